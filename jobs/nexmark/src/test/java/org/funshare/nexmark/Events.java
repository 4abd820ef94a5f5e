package org.funshare.nexmark;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/** Helpers of the tests: make events, read fields of their JSON. */
final class Events {
    private Events() {}

    static List<Event> of(long count, String... args) {
        LongFunction<Event> make = new Settings(args).newShape()::event;
        return LongStream.range(0, count).mapToObj(make).toList();
    }

    static String json(Event event) {
        return new String(event.value(), StandardCharsets.US_ASCII);
    }

    /** A number of the event's JSON; -1 for null. */
    static long number(Event event, String field) {
        Matcher found = Pattern.compile("\"" + field + "\":(-?\\d+|null)").matcher(json(event));
        if (!found.find()) {
            throw new AssertionError(field + " is missing in " + json(event));
        }
        return found.group(1).equals("null") ? -1 : Long.parseLong(found.group(1));
    }

    static List<Event> topic(List<Event> events, int topic) {
        return events.stream().filter(event -> event.topic() == topic).toList();
    }
}
