package org.funshare.nexmark;

/** A setting cannot be taken; the message names it and says what to write. Exit code 2. */
final class SettingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SettingException(String message) {
        super(message);
    }
}
