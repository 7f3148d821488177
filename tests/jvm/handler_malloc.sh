#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
#
# No signal handler of wick allocates memory or takes a lock: a preloaded library (handler_guard.c) aborts the JVM if one
# does. Under load, with every way to sample, and across a stop and a second start.
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"

GUARD=$BUILD/tests/jvm/libhandler_guard.so
least=200

# run EVENT [ENVIRONMENT]: the demo service with the agent and the guard, busy for some seconds until it exits
run() {
    local event=$1
    shift
    # The demo is started through env, so that only the JVM is guarded.
    : >"$WORK/demo.out"
    env LD_PRELOAD="$GUARD" "$@" "$JAVA_HOME/bin/java" -Xmx256m \
        "-agentpath:$LIBWICK=start,event=$event,interval=1ms,file=$WORK/out-$event.jfr" \
        -jar "$DEMO_JAR" --seconds 120 >>"$WORK/demo.out" 2>&1 &
    JVM_PID=$!
    has_started "$JVM_PID"
    wait_for 240 demo_listens || return 1
    DEMO_PORT=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\) .*/\1/p' "$WORK/demo.out")
    [ -n "$DEMO_PORT" ] || return 1
    # at least three rounds, and on until there are handlers enough to judge by: processors may be short
    local rounds=0
    while [ $rounds -lt 3 ] || { [ "$(samples)" -lt $((2 * least)) ] && [ $rounds -lt 60 ]; }; do
        get cpu && get "compress?kib=2000" && get "lock?rounds=5&us=50" || return 1
        rounds=$((rounds + 1))
    done >/dev/null 2>&1
}

samples() {
    "$WICK" status "$JVM_PID" | sed -n 's/^samples=//p' | grep . || echo 0
}

ends_guarded() {
    local n
    get quit >/dev/null
    wait_for 120 is_gone "$JVM_PID" || { echo "the JVM did not end"; return 1; }
    n=$(sed -n 's/^handlers checked: //p' "$WORK/demo.out")
    if [ "${n:-0}" -lt "$least" ] || grep 'handler guard' "$WORK/demo.out"; then
        tail -5 "$WORK/demo.out"
        return 1
    fi
    echo "# $n handlers checked"
}

for event in cpu ctimer itimer wall; do
    least=200
    [ "$event" != wall ] || least=50 # threads that wait are not signalled
    if run "$event"; then
        check "$event: no handler allocates or locks" ends_guarded
    else
        not_ok "$event: no handler allocates or locks" "$(tail -5 "$WORK/demo.out")"
    fi
done

least=200
second_recording() {
    "$WICK" record -d 2 -i 1ms -f "$WORK/second.jfr" "$JVM_PID" && ends_guarded
}
if run ctimer && "$WICK" stop "$JVM_PID" >/dev/null; then
    check "a second recording in the same JVM neither" second_recording
else
    not_ok "a second recording in the same JVM neither" "$(tail -5 "$WORK/demo.out")"
fi

is_caught() {
    wait_for 240 grep -q 'handler guard: a signal handler of wick called malloc' "$WORK/demo.out"
}
run cpu WICK_GUARD_PROVE=1
check "a handler that allocates would be caught" is_caught
done_testing
