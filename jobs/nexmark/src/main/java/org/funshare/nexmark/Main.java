package org.funshare.nexmark;

import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.KafkaException;

/**
 * Fills Kafka topics with generated events; settings in {@link Settings}. Reports are JSON lines on standard
 * output, the last one after everything is stored.
 *
 * <p>Exit codes: 0 all sent, or stopped by SIGTERM and flushed; 1 the broker failed; 2 a bad setting.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Generator generator;
        try {
            generator = new Generator(new Settings(args), System.out);
        } catch (SettingException error) {
            System.err.println(error.getMessage());
            System.exit(2);
            return;
        }
        CountDownLatch done = new CountDownLatch(1);
        int[] exitCode = {1};
        Runtime.getRuntime().addShutdownHook(new Thread(() -> finish(generator, done, exitCode)));
        try {
            exitCode[0] = run(generator);
        } finally {
            done.countDown();
        }
    }

    private static int run(Generator generator) {
        try {
            generator.run();
            return 0;
        } catch (SettingException error) {
            System.err.println(error.getMessage());
            return 2;
        } catch (KafkaException error) {
            System.err.println(error.getMessage());
            return 1;
        }
    }

    /** Runs at the end and on SIGTERM. Halting gives our exit code; after a signal the JVM would give 143. */
    private static void finish(Generator generator, CountDownLatch done, int[] exitCode) {
        generator.stop();
        try {
            done.await();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        System.out.flush();
        Runtime.getRuntime().halt(exitCode[0]);
    }
}
