package org.funshare.nexmark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeterminismTest {
    private static final String[] AWKWARD = {
        "--events", "20000", "--digest", "--max-out-of-order-ms", "300", "--null-share", "0.1",
        "--duplicate-share", "0.1", "--tie-share", "0.1", "--attr-phases", "0=uniform;1=zipf:1.2"
    };

    @Test
    void theSameArgumentsGiveTheSameBytes() {
        assertEquals(digests(AWKWARD), digests(AWKWARD));
        assertEquals(digests(with(AWKWARD, "--shape", "dense")), digests(with(AWKWARD, "--shape", "dense")));
    }

    @Test
    void thePaceDoesNotChangeTheData() {
        assertEquals(digests(AWKWARD), digests(with(AWKWARD, "--rate", "100000")));
    }

    @Test
    void anotherSeedGivesOtherData() {
        assertNotEquals(digests(AWKWARD), digests(with(AWKWARD, "--seed", "43")));
    }

    /** The bytes themselves are a contract: recorded results stay comparable between versions. */
    @Test
    void theDataOfSeed42AreFixed() {
        assertEquals(
                "{\"id\":1001,\"name\":\"Barbara 1001\",\"email\":\"Barbara@mail.example/1001\",\"city\":\"Redmond\","
                        + "\"state\":\"WY\",\"attr\":9903,\"ts\":\"2024-01-01 00:00:00.005\"}",
                Events.json(Events.of(51).get(50)));
    }

    @Test
    void anyEventCanBeMadeAlone() {
        Shape forward = new Settings().newShape();
        Shape backward = new Settings().newShape();
        List<Event> events = new ArrayList<>();
        for (long index = 0; index < 500; index++) {
            events.add(forward.event(index));
        }
        for (int index = 499; index >= 0; index--) {
            assertArrayEquals(events.get(index).value(), backward.event(index).value());
        }
    }

    @Test
    void duplicatesAreCountedAndFollowTheirOriginal() {
        String report = run("--events", "10000", "--digest", "--duplicate-share", "0.5", "--shape", "dense");
        long total = 0;
        for (String topic : new String[] {"stream_a", "stream_b"}) {
            total += Long.parseLong(report.replaceAll(".*\"" + topic + "\":(\\d+).*", "$1"));
        }
        assertEquals(1.5, total / 10_000.0, 0.03);
    }

    @Test
    void stopEndsAnEndlessRunWithAReport() throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Generator generator = new Generator(
                new Settings("--digest", "--rate", "1000"), new PrintStream(out, true, StandardCharsets.UTF_8));
        Thread thread = new Thread(generator::run);
        thread.start();
        generator.stop();
        thread.join(5_000);
        assertTrue(out.toString(StandardCharsets.UTF_8).startsWith("{\"events\":"), out.toString(StandardCharsets.UTF_8));
    }

    private static String digests(String... args) {
        return run(args).replaceAll(".*\"digests\":", "");
    }

    private static String run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Generator(new Settings(args), new PrintStream(out, true, StandardCharsets.UTF_8)).run();
        return out.toString(StandardCharsets.UTF_8).strip();
    }

    private static String[] with(String[] args, String name, String value) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add(name);
        all.add(value);
        return all.toArray(String[]::new);
    }
}
