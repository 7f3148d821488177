# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# lib.sh - what every test with a real JVM needs; sourced by tests/jvm/*.sh
#
# A test prints TAP and is called once for each JDK (run-tests says how). It begins with
#
#   source "$(dirname "$0")/lib.sh"
#
# and has then:
#
#   JAVA_HOME, WICK_JDK   the JDK under test and its version (8, 11...)
#   BUILD, WICK, LIBWICK  the build folder, the command and the agent
#   DEMO_JAR              the demo service
#   WORK                  a folder of its own, removed at the end (kept if KEEP is set)
#
#   ok TITLE / not_ok TITLE [DETAIL] / skip TITLE REASON
#   check TITLE COMMAND...          ok if the command succeeds; what it printed becomes the detail otherwise
#   done_testing                    last line of every test: prints the plan, sets the exit status
#   start_jvm NAME ARG...           java ARG... in the background; JVM_PID; output in $WORK/NAME.out
#   start_demo [JVM-OPTION...]      the demo service; JVM_PID and DEMO_PORT
#   get PATH                        the demo service's answer on standard output; fails unless it is a success
#   wait_for SECONDS COMMAND...     until the command succeeds
#   stop PID                        SIGTERM, and SIGKILL after ten seconds; returns the exit status
#   collectors                      lines "Name options...": the collectors that this JDK has
#   jdk_home N                      the JAVA_HOME of version N
#
# What was started is stopped when the test ends, by its pid.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${WICK_BUILD:-$ROOT/build}
WICK=$BUILD/wick
LIBWICK=$BUILD/libwick.so
DEMO_JAR=$BUILD/java/wick-demo.jar
export BUILD WICK LIBWICK DEMO_JAR
WORK=$(mktemp -d "${TMPDIR:-/tmp}/wick-test.XXXXXX")
tests_done=0
tests_failed=0
# shellcheck source=tests/jvm/started.sh
source "$ROOT/tests/jvm/started.sh"

jdk_home() {
    "$ROOT/tools/get-jdk" --or-system "$1"
}

WICK_JDK=${WICK_JDK:-17}
JAVA_HOME=${JAVA_HOME:-$(jdk_home "$WICK_JDK")}
export WICK_JDK JAVA_HOME

ok() {
    tests_done=$((tests_done + 1))
    echo "ok $tests_done - $1"
}

not_ok() {
    tests_done=$((tests_done + 1))
    tests_failed=$((tests_failed + 1))
    echo "not ok $tests_done - $1"
    [ -z "${2:-}" ] || sed 's/^/# /' <<<"$2"
}

skip() {
    tests_done=$((tests_done + 1))
    echo "ok $tests_done - $1 # SKIP $2"
}

check() {
    local title=$1 output
    shift
    if output=$("$@" 2>&1); then
        ok "$title"
    else
        not_ok "$title" "$* failed with status $?: $output"
    fi
}

done_testing() {
    echo "1..$tests_done"
    [ "$tests_failed" = 0 ]
    exit
}

wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

is_running() {
    kill -0 "$1" 2>/dev/null && ! grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null
}

is_gone() {
    ! is_running "$1"
}

stop() {
    kill "$1" 2>/dev/null
    wait_for 10 is_gone "$1" || kill -9 "$1" 2>/dev/null
    wait "$1" 2>/dev/null
}

start_jvm() {
    local name=$1
    shift
    : >"$WORK/$name.out" # the background job opens it too late to hide what an earlier JVM has said
    "$JAVA_HOME/bin/java" "$@" >>"$WORK/$name.out" 2>&1 &
    JVM_PID=$!
    has_started "$JVM_PID"
}

demo_listens() {
    is_gone "$JVM_PID" || grep -q 'listening on' "$WORK/demo.out"
}

start_demo() {
    start_jvm demo "$@" -jar "$DEMO_JAR" --seconds 600
    wait_for 240 demo_listens
    DEMO_PORT=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\) .*/\1/p' "$WORK/demo.out")
    [ -n "$DEMO_PORT" ]
}

get() {
    curl -sS --fail-with-body -m 240 "http://127.0.0.1:$DEMO_PORT/$1"
}

collectors() {
    case $WICK_JDK in
    8) printf '%s\n' Serial Parallel ConcMarkSweep G1 ;;
    11) printf '%s\n' Serial Parallel ConcMarkSweep G1 Shenandoah Z Epsilon ;;
    *) printf '%s\n' Serial Parallel G1 Shenandoah Z Epsilon ;;
    esac | while read -r name; do
        case $name in
        Z | Epsilon | Shenandoah) echo "$name -XX:+UnlockExperimentalVMOptions -XX:+Use${name}GC" ;;
        *) echo "$name -XX:+Use${name}GC" ;;
        esac
    done
    case $WICK_JDK in
    21) echo "ZGenerational -XX:+UseZGC -XX:+ZGenerational" ;;
    esac
}

clean_up() {
    local pid
    for pid in $(started_pids); do
        is_gone "$pid" || stop "$pid"
    done
    if [ -n "${KEEP:-}" ]; then
        echo "# kept $WORK"
    else
        rm -rf "$WORK"
    fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM
