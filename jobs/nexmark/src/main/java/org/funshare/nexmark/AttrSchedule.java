package org.funshare.nexmark;

import java.util.ArrayList;
import java.util.List;

/**
 * The distribution of a filter attribute over event time: phases, each from its second on.
 *
 * <p>Text form: phases joined by ';', each {@code SECOND=DISTRIBUTION}, the first from second 0. A
 * distribution is {@code uniform}, {@code uniform:LOW:HIGH}, {@code zipf:EXPONENT}, or
 * {@code zipf:EXPONENT:rank|permuted[:SHIFT]}. Seconds count from the event time of event 0.
 */
final class AttrSchedule {
    private final long[] fromSecond;
    private final IntDistribution[] phases;

    private AttrSchedule(long[] fromSecond, IntDistribution[] phases) {
        this.fromSecond = fromSecond;
        this.phases = phases;
    }

    /** Reads the text form; {@code domain}: values are 0 .. domain - 1. */
    static AttrSchedule parse(String text, int domain, long seed) {
        List<IntDistribution> phases = new ArrayList<>();
        String[] parts = text.split(";");
        long[] seconds = new long[parts.length];
        for (int at = 0; at < parts.length; at++) {
            String[] sides = parts[at].split("=", 2);
            if (sides.length != 2) {
                throw new SettingException("phase '" + parts[at] + "': write it as SECOND=DISTRIBUTION, like 0=uniform");
            }
            seconds[at] = Numbers.wholeNumber("phase second", sides[0]);
            phases.add(distribution(sides[1], domain, seed));
        }
        Numbers.requirePhaseOrder(text, seconds);
        return new AttrSchedule(seconds, phases.toArray(IntDistribution[]::new));
    }

    int pick(long eventSecond, long bits) {
        int phase = phases.length - 1;
        while (phase > 0 && fromSecond[phase] > eventSecond) {
            phase--;
        }
        return phases[phase].pick(bits);
    }

    private static IntDistribution distribution(String text, int domain, long seed) {
        String[] words = text.split(":");
        if (words[0].equals("uniform") && words.length == 1) {
            return new UniformInts(0, domain - 1);
        }
        if (words[0].equals("uniform") && words.length == 3) {
            return new UniformInts(value(words[1], domain), value(words[2], domain));
        }
        if (words[0].equals("zipf") && words.length >= 2 && words.length <= 4) {
            return zipf(words, domain, seed);
        }
        throw new SettingException("distribution '" + text
                + "': use uniform, uniform:LOW:HIGH, zipf:EXPONENT or zipf:EXPONENT:rank|permuted[:SHIFT]");
    }

    private static IntDistribution zipf(String[] words, int domain, long seed) {
        double exponent = Numbers.decimal("zipf exponent", words[1]);
        int shift = words.length == 4 ? (int) Numbers.wholeNumber("zipf shift", words[3]) : 0;
        String order = words.length >= 3 ? words[2] : "permuted";
        return switch (order) {
            case "rank" -> ZipfInts.byRank(domain, exponent, shift);
            case "permuted" -> ZipfInts.permuted(domain, exponent, seed, shift);
            default -> throw new SettingException("zipf order '" + order + "': use rank or permuted");
        };
    }

    private static int value(String text, int domain) {
        long value = Numbers.wholeNumber("uniform bound", text);
        if (value < 0 || value >= domain) {
            throw new SettingException("uniform bound " + value + ": the attribute's values are 0 to " + (domain - 1));
        }
        return (int) value;
    }
}
