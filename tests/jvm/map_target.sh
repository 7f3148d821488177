#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wick map by root of an unprivileged user's JVM whose /tmp is a bind mount of a directory that only root can write to.
# once
# shellcheck source=attach_lib.sh
source "$(dirname "$0")/attach_lib.sh"
{ [ "$(id -u)" = 0 ] && unshare -m true; } || { skip "a JVM with mounts of its own" "needs root"; done_testing; exit; }
compile
v=${VERSIONS##* }
has_jdk "$v" || { skip "JDK $v" "is not there"; done_testing; exit; }
java=$(readlink -f "$(home_of "$v")")/bin/java
mkdir "$work/roots" "$work/theirs" && chmod 755 "$work/roots" && chmod 1777 "$work/theirs"

# boxed DIRECTORY: a JVM of nobody with that /tmp. CAP_DAC_OVERRIDE's way to the JDK is opened by capabilities that only
# read, because the JDK may lie in a private directory.
boxed()
{
    log=$work/log.$RANDOM
    # what lies in /tmp is gone below the bind mount, so the class path is opened before
    mkdir -p "$1/classes" && cp "$classes"/Waits.class "$1/classes/"
    unshare -m sh -c 'mount --bind "$0" /tmp && exec setpriv --reuid nobody --regid nogroup --clear-groups \
        --inh-caps +dac_read_search --ambient-caps +dac_read_search "$@"' "$1" \
        "$java" -XX:-UsePerfData -Xmx64m -cp /tmp/classes Waits >"$log" 2>&1 &
    pid=$!
    has_started "$pid"
    wait_for grep -q up "$log"
}
no_map() { ! find "$1" -maxdepth 1 -name '*perf-*' -o -maxdepth 1 -name '.wick-*' | grep -q .; }

boxed "$work/roots"
run timeout 600 "$WICK" map "$pid"
check "the JVM is up" grep -q up "$log"
expect "a directory that the target cannot write to is refused" 5 'cannot make a file in /tmp'
check "and nothing is written there" no_map "$work/roots"
kill -KILL "$pid"
boxed "$work/theirs"
run timeout 600 "$WICK" map "$pid"
expect "in its own /tmp the map is written" 0 "symbols in /tmp/perf-$pid.map of its container"
check "it belongs to root, as perf demands" test "$(stat -c %u:%a "$work/theirs/perf-$pid.map")" = 0:600
run timeout 600 "$WICK" map "$pid"
expect "and again, over the first one" 0 "symbols in"
run timeout 600 "$WICK" map --max-size 1k "$pid"
expect "a map of more names than it may have is refused" 1 'has more than 1024 bytes of names'
run timeout 600 "$WICK" map --jitdump "$work" --max-size 10k "$pid" -- sleep 2.5
expect "a jitdump ends with what it may have" 0 'made more than 10240 bytes'
check "and says so once" test "$(grep -c 'made more than' <<<"$out")" = 1
check "it is not larger" test "$(stat -c %s "$work"/jit-*.dump)" -le 10300
run timeout 600 "$WICK" map --max-size none "$pid"
expect "a size is a number" 2 'takes a size'
kill -KILL "$pid"
done_testing
