#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
#
# The demo service and its load generator do what demo, tests and benchmarks count on, on every JDK and collector.
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"

# The work of /cpu depends on its parameters only, so its answer is the same everywhere.
readonly CPU_ANSWER=e7d84ffb8eb14c02

answers() {
    local answer
    answer=$(get "$1") || { echo "$answer"; return 1; }
    [[ $answer =~ $2 ]] || { echo "answered: $answer"; return 1; }
}

while read -r name options; do
    read -ra options <<<"$options"
    start_demo -Xmx512m "${options[@]}" || { not_ok "$name: the service starts" "$(cat "$WORK/demo.out")"; continue; }
    check "$name: /cpu computes the same as everywhere" answers cpu "^$CPU_ANSWER\$"
    check "$name: /quit is obeyed" answers quit bye
    check "$name: the service ends after /quit" wait_for 120 is_gone "$JVM_PID"
done < <(collectors)

start_demo -Xmx512m || not_ok "the service starts" "$(cat "$WORK/demo.out")"
check "/health names the Java version" answers health "ok, java .*WAITING"
check "/compress gets back what it packed" answers "compress?kib=100" "^102400 -> [0-9]+ bytes"
check "/allocation-stalls allocates" answers "allocation-stalls?tasks=12&mib=2" "^12 tasks of 2 x 2 MiB"
check "/lock lets everybody have a turn" answers "lock?rounds=5&us=50" "^20 turns"
check "/io goes through file and socket" answers "io?kib=64" "^65536 bytes by file, 65536 bytes by socket"
check "/sleep sleeps" answers "sleep?ms=7" "^slept 7 ms"
check "/leak keeps" answers "leak?kib=100" "^1 sessions keep 100 KiB"
check "/leak forgets" answers "leak?forget=1&kib=1" "^1 sessions keep 1 KiB"
check "/safepoint delays" answers safepoint "copied 1 x 64 MiB"
if [ "$WICK_JDK" -ge 21 ]; then
    check "/vthreads runs virtual threads" answers "vthreads?tasks=50" "^50 virtual threads, sum"
else
    skip "/vthreads runs virtual threads" "JDK $WICK_JDK has none"
fi

status_of() {
    [ "$(curl -s -o "$WORK/body" -w '%{http_code}' "http://127.0.0.1:$DEMO_PORT/$1")" = "$2" ] || { cat "$WORK/body"; return 1; }
}
check "an unknown endpoint is an error" status_of nowhere 404
check "a bad parameter is an error" status_of "cpu?rounds=many" 400
check "a parameter out of range is an error" status_of "cpu?rounds=-1" 400
check "running out of memory is an error, and the service goes on" status_of "allocation-stalls?tasks=1&mib=1000" 500

load() {
    "$JAVA_HOME/bin/java" -cp "$DEMO_JAR" wick.demo.LoadGen --port "$DEMO_PORT" "$@"
}
# load_some SECONDS OPTION...: sets output and status; for longer if the machine was too busy to send a request in time
load_some() {
    for ((period = $1; period < 200 * $1; period *= 5)); do
        output=$(load --seconds "$period" "${@:2}" 2>&1)
        status=$?
        [[ $output =~ ^load:\ 0\ requests ]] || break
    done
}
# On a busy machine some requests are not sent in time; those are also counted.
all_due_requests_are_accounted_for() {
    local output status period
    load_some 2 --rate 25 --mix cpu=2,sleep?ms=5=1
    if [ "$status" != 0 ] || [[ ! $output =~ ^load:\ ([0-9]+)\ requests,\ 0\ errors,\ ([0-9]+)\ not\ sent ]] ||
        [ $((BASH_REMATCH[1] + BASH_REMATCH[2])) != $((25 * period)) ]; then
        echo "$output"
        return 1
    fi
}
check "the load generator accounts for rate x seconds requests" all_due_requests_are_accounted_for
load_some 1 --rate 10 --mix nowhere=1
if [ "$status" = 0 ]; then
    not_ok "the load generator fails when requests fail" "$output"
else
    check "the load generator counts failed requests" grep -qE '([1-9][0-9]*) requests, \1 errors' <<<"$output"
fi
pool_is_idle() {
    [ "$(grep -l '^idle-worker' /proc/"$JVM_PID"/task/*/comm | wc -l)" = 200 ]
}
check "200 idle workers wait for a job" wait_for 120 pool_is_idle
stop "$JVM_PID"
done_testing
