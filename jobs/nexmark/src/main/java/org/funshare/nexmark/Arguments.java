package org.funshare.nexmark;

import java.util.HashMap;
import java.util.Map;

/** Command line of the form {@code --name value}; flags are {@code --name} alone. Unknown names are errors. */
final class Arguments {
    private final Map<String, String> values = new HashMap<>();

    Arguments(String... args) {
        for (int at = 0; at < args.length; at++) {
            if (!args[at].startsWith("--")) {
                throw new SettingException("'" + args[at] + "': write settings as --name value");
            }
            boolean hasValue = at + 1 < args.length && !args[at + 1].startsWith("--");
            values.put(args[at].substring(2), hasValue ? args[at + 1] : "true");
            at += hasValue ? 1 : 0;
        }
    }

    String text(String name, String otherwise) {
        String given = values.remove(name);
        return given == null ? otherwise : given;
    }

    boolean flag(String name) {
        return text(name, "false").equals("true");
    }

    long number(String name, long otherwise, long least) {
        String given = values.remove(name);
        long value = given == null ? otherwise : Numbers.wholeNumber("--" + name, given);
        if (value < least) {
            throw new SettingException("--" + name + " is " + value + "; it must be " + least + " or more");
        }
        return value;
    }

    int smallNumber(String name, int otherwise, int least) {
        long value = number(name, otherwise, least);
        if (value > Integer.MAX_VALUE) {
            throw new SettingException("--" + name + " is " + value + "; it must be " + Integer.MAX_VALUE + " or less");
        }
        return (int) value;
    }

    double share(String name, double otherwise) {
        String given = values.remove(name);
        double value = given == null ? otherwise : Numbers.decimal("--" + name, given);
        if (value > 1) {
            throw new SettingException("--" + name + " is " + value + "; a share is 0 to 1");
        }
        return value;
    }

    /** Call last: whatever nobody asked for is a mistake. */
    void requireAllUsed() {
        if (!values.isEmpty()) {
            throw new SettingException("unknown setting --" + values.keySet().iterator().next()
                    + "; see org.funshare.nexmark.Settings for the names");
        }
    }
}
