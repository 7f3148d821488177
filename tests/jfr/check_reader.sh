#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_reader.sh JFR WICK FILE... - holds wick's reading of recordings against the JDK's own.
#
# For each file and each type of sample it compares
#   - the number of events with `jfr summary`,
#   - every stack, line number, frame kind, thread and the number of samples with `jfr print --json`.
# JFR is the JDK's jfr tool, WICK the wick command. Prints one line a file and fails if anything differs.
set -eu
[ $# -ge 3 ] || { echo "usage: check_reader.sh JFR WICK FILE..." >&2; exit 2; }
jfr=$1 wick=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
for file; do
    "$jfr" summary "$file" > "$work/summary"
    ok=1
    for event in jdk.ExecutionSample jdk.NativeMethodSample jdk.CPUTimeSample profiler.WallClockSample; do
        n=$(awk -v e="$event" '$1 == e { print $2 }' "$work/summary")
        [ "${n:-0}" -gt 0 ] || continue
        "$jfr" print --json --stack-depth 10000 --events "$event" "$file" > "$work/json"
        "$here/oracle.py" "$work/json" "$event" > "$work/want"
        : > "$work/got"
        # One event type of a recording can be several of wick's (unbatched wall samples), so every kind is asked for.
        for kind in cpu wall native; do
            "$wick" top --json --rows 1 --event "$kind" "$file" 2> /dev/null | head -1 | grep -q "\"$event\"" || continue
            "$wick" convert --event "$kind" --samples --threads --lines --annotate --signatures "$file" >> "$work/got"
        done
        if [ "$event" = jdk.CPUTimeSample ] || ! [ -s "$work/got" ]; then
            "$wick" convert --event "$event" --samples --threads --lines --annotate --signatures "$file" > "$work/got"
        fi
        sort "$work/got" -o "$work/got"
        sort "$work/want" -o "$work/want"
        if ! cmp -s "$work/want" "$work/got"; then
            echo "$file: $event differs (< the JDK, > wick):"
            diff "$work/want" "$work/got" | head -6 || true
            ok=0
        fi
        total=$(awk '{ s += $NF } END { print s + 0 }' "$work/got")
        samples=$(awk -F'"samples" : ' '{ s += $2 } END { print s + 0 }' "$work/json")
        [ "$event" = profiler.WallClockSample ] || samples=$n
        [ "$total" = "$samples" ] || { echo "$file: $event: $total samples, the JDK's tool says $samples"; ok=0; }
        echo "$file: $event: $n events, $total samples, $(wc -l < "$work/got") different stacks"
    done
    if [ $ok = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
