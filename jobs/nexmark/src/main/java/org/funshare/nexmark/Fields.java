package org.funshare.nexmark;

/** Fields that may be NULL. */
final class Fields {
    private Fields() {}

    static void nullable(JsonRow row, String name, long value, boolean isNull) {
        if (isNull) {
            row.nullValue(name);
        } else {
            row.number(name, value);
        }
    }
}
