# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
#
# attach_lib.sh - what the tests of attaching share; sourced by attach_*.sh
#
# They are run once for each JDK: WICK_JDK is its version and JAVA_HOME its place. By hand, without these, they go through
# WICK_TEST_JDKS (default "8 11 17 21 25") below ~/.cache/wick/jdk. WICK_BUILD is the build folder, default build/.
# They use agents whose session records nothing but what it was asked (session_double.c).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILD=${WICK_BUILD:-$here/../../build}
WICK=$BUILD/wick
AGENT_A=$BUILD/tests/jvm/libwickdouble_a.so
AGENT_B=$BUILD/tests/jvm/libwickdouble_b.so
VERSIONS=${WICK_JDK:-${WICK_TEST_JDKS:-8 11 17 21 25}}

# home_of VERSION
home_of() { [ -n "${WICK_JDK:-}" ] && echo "$JAVA_HOME" || echo "$HOME/.cache/wick/jdk/$1/home"; }
has_jdk() { [ -x "$(home_of "$1")/bin/java" ]; }
java_of() { echo "$(home_of "$1")/bin/java"; }

# shellcheck source=tests/jvm/started.sh
. "$here/started.sh"
failed=0 count=0
work=$(mktemp -d /tmp/wick-jvm-XXXXXX)
chmod 755 "$work"

# Removes a directory, but nothing that is mounted below it: a process that ends just now may still be in a mount, and a test may
# have been interrupted between the two.
remove_tree()
{
    local at
    awk -v d="$1/" 'index($2, d) == 1 { print $2 }' /proc/self/mounts | sort -r | while read -r at; do umount -l "$at"; done
    grep -qF " $1/" /proc/self/mounts || rm -rf "$1"
}

# Ends what this script started, by pid, and nothing else.
clean_up()
{
    local p
    for p in $(started_pids); do kill -CONT "$p" 2>/dev/null; kill -KILL "$p" 2>/dev/null; done
    [ "$(type -t after_test)" = function ] && after_test
    wait
    # A killed JVM leaves its socket file behind; the number may be another's by now, which listens there.
    for p in "${started[@]%%:*}"; do [ -e "/proc/$p" ] || rm -f "/tmp/.java_pid$p"; done
    remove_tree "$work"
}
trap 'clean_up 2>/dev/null' EXIT

ok() { count=$((count + 1)); echo "ok $count - $1"; }
not_ok()
{
    count=$((count + 1)); failed=$((failed + 1))
    echo "not ok $count - $1"
    shift
    printf '%s\n' "$@" | sed 's/^/#   /'
}
# check NAME CONDITION... : the condition is a command
check() { local name=$1; shift; if "$@"; then ok "$name"; else not_ok "$name" "failed: $*"; fi; }
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
done_testing() { echo "1..$count"; [ "$failed" = 0 ]; }

# run COMMAND... : sets out, status; the output holds stdout and stderr. `wick record` and `wick start` get a minute for a JVM that has
# hardly a processor, unless they say otherwise.
run()
{
    local words=() word
    for word; do
        words+=("$word")
        case $word in record | start) [[ " $* " = *" --attach-timeout "* ]] || words+=(--attach-timeout 60) ;; esac
    done
    out=$("${words[@]}" 2>&1)
    status=$?
}
# expect NAME STATUS PATTERN : judges the last run
expect()
{
    if [ "$status" = "$2" ] && [[ $out =~ $3 ]]; then ok "$1"
    else not_ok "$1" "wanted status $2 and /$3/, got status $status:" "$out"; fi
}

# The test programs, compiled once for JDK 8.
classes=$work/classes
mkdir -p "$classes"
compile()
{
    local v javac=
    for v in $VERSIONS 8 11 17 21; do
        [ -x "$(home_of "$v")/bin/javac" ] && { javac=$(home_of "$v")/bin/javac; break; }
    done
    [ -n "$javac" ] || javac=$(command -v javac) || { echo "Bail out! no javac"; exit 1; }
    local level=(--release 8)
    "$javac" -version 2>&1 | grep -q ' 1\.8' && level=()
    "$javac" -nowarn "${level[@]}" -d "$classes" "$here/Waits.java" "$here/Spawns.java" 2>/dev/null ||
        { echo "Bail out! javac failed"; exit 1; }
    chmod -R a+rX "$classes"
}

# wait_for COMMAND... : until it succeeds; only what never comes takes five minutes
wait_for() { local end=$((SECONDS + 300)); until "$@" >/dev/null 2>&1; do [ "$SECONDS" -lt "$end" ] || return 1; sleep 0.05; done; }

# start_java VERSION [OPTION...] : a program that only waits; sets pid and log once it is up
start_java()
{
    local v=$1; shift
    log=$work/log.$v.$RANDOM
    "$(java_of "$v")" "$@" -cp "$classes" Waits >"$log" 2>&1 &
    pid=$!
    has_started "$pid"
    wait_for grep -q up "$log"
}
stop_java() { kill -KILL "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; rm -f "/tmp/.java_pid$pid"; }
alive() { kill -0 "$1" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null; }
no_thread_dump() { ! grep -q 'Full thread dump' "$1"; }
# What is left behind stays; what another test has there now goes, and something else of it may come.
left_in() { find "$1" -maxdepth 1 \( -name '.attach_pid*' -o -name '.wick-*' \) 2>/dev/null; }
all_gone() { local f; for f in "$@"; do [ ! -e "$f" ] || return 1; done; }
no_leftovers() { local now; mapfile -t now < <(left_in "$1"); wait_for all_gone "${now[@]}"; }
