# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# started.sh - the processes that a test has started; sourced by lib.sh and attach_lib.sh
#
# The shell reaps what ends, and then the kernel gives the number again: where tests make 30,000 threads a minute, to a thread of the
# JVM of another test, and a signal to that number ends that JVM. So a process is known by its number and the time of its start.
started=()

# birth_of PID : when it was started, in ticks since the machine was; the name before that may have anything in it
birth_of()
{
    local stat words
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    read -ra words <<<"${stat##*) }"
    echo "${words[19]}"
}
# has_started PID : remembers it
has_started() { started+=("$1:$(birth_of "$1")"); }
# still_runs PID:BIRTH
still_runs() { [ "$(birth_of "${1%%:*}")" = "${1#*:}" ]; }
# started_pids : those that still run
started_pids()
{
    local one
    for one in ${started[@]+"${started[@]}"}; do
        [ "$one" != "${one%%:*}:" ] && still_runs "$one" && echo "${one%%:*}"
    done
}
