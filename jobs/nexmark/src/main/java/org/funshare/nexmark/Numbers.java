package org.funshare.nexmark;

/** Reads numbers out of settings; every failure names the setting and the text. */
final class Numbers {
    private Numbers() {}

    static long wholeNumber(String name, String text) {
        try {
            return Long.parseLong(text.trim());
        } catch (NumberFormatException error) {
            throw new SettingException(name + " '" + text + "' is not a whole number");
        }
    }

    static double decimal(String name, String text) {
        try {
            double value = Double.parseDouble(text.trim());
            if (value >= 0 && value < Double.POSITIVE_INFINITY) {
                return value;
            }
        } catch (NumberFormatException error) {
            throw new SettingException(name + " '" + text + "' is not a number");
        }
        throw new SettingException(name + " '" + text + "' must be 0 or more and finite");
    }

    /** Phases start at second 0 and their seconds rise. */
    static void requirePhaseOrder(String text, long[] seconds) {
        if (seconds[0] != 0) {
            throw new SettingException("phases '" + text + "': the first must start at second 0");
        }
        for (int at = 1; at < seconds.length; at++) {
            if (seconds[at] <= seconds[at - 1]) {
                throw new SettingException("phases '" + text + "': the seconds must rise");
            }
        }
    }
}
