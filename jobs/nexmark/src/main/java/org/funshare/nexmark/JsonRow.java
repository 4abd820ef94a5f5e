package org.funshare.nexmark;

import java.util.Arrays;

/** One flat JSON object, written field by field into a reused buffer. Text values must be plain ASCII. */
final class JsonRow {
    private static final long MS_PER_DAY = 86_400_000L;

    private byte[] buffer = new byte[512];
    private int length;
    private long cachedDay = Long.MIN_VALUE;
    private final byte[] cachedDate = new byte[10];

    JsonRow start() {
        length = 0;
        put('{');
        return this;
    }

    byte[] finish() {
        put('}');
        return Arrays.copyOf(buffer, length);
    }

    JsonRow number(String name, long value) {
        name(name);
        digits(value);
        return this;
    }

    JsonRow nullValue(String name) {
        name(name);
        ascii("null");
        return this;
    }

    JsonRow text(String name, String value) {
        name(name);
        put('"');
        ascii(value);
        put('"');
        return this;
    }

    /** A text that ends in a number, such as "item-17", without building the string. */
    JsonRow text(String name, String prefix, long number) {
        name(name);
        put('"');
        ascii(prefix);
        digits(number);
        put('"');
        return this;
    }

    /** 'yyyy-MM-dd HH:mm:ss.SSS', the SQL form of Flink's JSON format, in UTC. */
    JsonRow timestamp(String name, long epochMs) {
        name(name);
        put('"');
        date(Math.floorDiv(epochMs, MS_PER_DAY));
        put(' ');
        int ofDay = (int) Math.floorMod(epochMs, MS_PER_DAY);
        twoDigits(ofDay / 3_600_000);
        put(':');
        twoDigits(ofDay / 60_000 % 60);
        put(':');
        twoDigits(ofDay / 1000 % 60);
        put('.');
        int millis = ofDay % 1000;
        put((char) ('0' + millis / 100));
        twoDigits(millis % 100);
        put('"');
        return this;
    }

    private void date(long day) {
        if (day != cachedDay) {
            byte[] text = java.time.LocalDate.ofEpochDay(day).toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            System.arraycopy(text, 0, cachedDate, 0, cachedDate.length);
            cachedDay = day;
        }
        reserve(cachedDate.length);
        System.arraycopy(cachedDate, 0, buffer, length, cachedDate.length);
        length += cachedDate.length;
    }

    private void name(String name) {
        if (length > 1) {
            put(',');
        }
        put('"');
        ascii(name);
        put('"');
        put(':');
    }

    private void digits(long value) {
        if (value < 0) {
            put('-');
        }
        long rest = Math.abs(value);
        int count = 1;
        for (long left = rest / 10; left > 0; left /= 10) {
            count++;
        }
        reserve(count);
        for (int at = length + count - 1; at >= length; at--) {
            buffer[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += count;
    }

    private void twoDigits(int value) {
        put((char) ('0' + value / 10));
        put((char) ('0' + value % 10));
    }

    @SuppressWarnings("deprecation") // the only copy of ASCII chars into bytes that makes no new array
    private void ascii(String text) {
        int count = text.length();
        reserve(count);
        text.getBytes(0, count, buffer, length);
        length += count;
    }

    private void put(char one) {
        reserve(1);
        buffer[length++] = (byte) one;
    }

    private void reserve(int more) {
        if (length + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
        }
    }
}
