#!/bin/sh
# Finds the programs that the build needs. POSIX shell, because Python itself may be what is missing.
#
#   prerequisites.sh             one line for each missing program on standard error; exit 1 if there is any
#   prerequisites.sh --python    the path of a working Python 3.11
#   prerequisites.sh --packages  names of the Debian packages that are missing, one a line; always exit 0
set -eu

is_python() { # 3.11, and able to make virtual environments (Debian splits that off)
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' >/dev/null 2>&1
}

find_python() { # a version manager may put a program of the right name first that does not work
    for candidate in ${PYTHON:+"$PYTHON"} python3.11 /usr/bin/python3.11 python3 python; do
        if is_python "$candidate"; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

tool() { # JAVA_HOME first, as Maven and the embedded cluster do it
    if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/$1" ]; then
        echo "$JAVA_HOME/bin/$1"
    else
        command -v "$1" || return 1
    fi
}

major() { # 17 for: openjdk version "17.0.15", javac 17.0.15; 8 for 1.8.0_402
    "$1" -version 2>&1 | sed -n -E 's/^(.*version "|javac )(1\.)?([0-9]+).*/\3/p' | head -n 1
}

java_problem() {
    program=$(tool "$1") || { echo "$1 is not on the PATH"; return; }
    version=$(major "$program")
    [ "${version:-0}" -ge 17 ] || echo "$program is version ${version:-unknown}"
}

jdk_problem() {
    problem=$(java_problem java)
    [ -n "$problem" ] || problem=$(java_problem javac)
    [ -z "$problem" ] || echo "$problem"
}

case "${1:-}" in
--python)
    find_python
    ;;
--packages)
    find_python >/dev/null || printf 'python3.11\npython3.11-venv\n'
    [ -z "$(jdk_problem)" ] || echo openjdk-17-jdk-headless
    command -v mvn >/dev/null || echo maven
    ;;
*)
    missing=0
    say() {
        missing=1
        echo "missing: $1; on Debian: apt-get install $2" >&2
    }
    find_python >/dev/null || say "Python 3.11 with venv (none on the PATH; PYTHON may name one)" "python3.11 python3.11-venv"
    problem=$(jdk_problem)
    [ -z "$problem" ] || say "a Java development kit, 17 or newer ($problem)" openjdk-17-jdk-headless
    command -v mvn >/dev/null || say "Maven (mvn is not on the PATH)" maven
    exit $missing
    ;;
esac
