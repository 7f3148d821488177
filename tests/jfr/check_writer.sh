#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks recordings of jfr_synth with the JDK's own jfr tool.
#
#     check_writer.sh JFR_SYNTH JFR...
#
# JFR_SYNTH is the built tests/jfr/jfr_synth, each JFR the path of a JDK's jfr command (JDK 17 and later). For each:
# summary, metadata, print, print --json and, where the JDK has it, view must succeed without a word on stderr; event
# counts, sums of weights and every descriptor and name must be what was written. Then recordings whose writer was
# killed (SIGKILL) at ten moments must be readable. Exit status 0 = all good. Needs python3.
set -eu
[ $# -ge 2 ] || { sed -n '3,11p' "$0" >&2; exit 2; }
synth=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "check_writer: $*" >&2
    exit 1
}

# run NAME COMMAND...: stdout to $dir/NAME, stderr must stay empty.
run() {
    out=$dir/$1
    shift
    "$@" >"$out" 2>"$dir/err" || { head -5 "$dir/err" >&2; fail "$* failed"; }
    [ ! -s "$dir/err" ] || { head -5 "$dir/err" >&2; fail "$* complained"; }
}

"$synth" write "$dir/a.jfr" 100000 >"$dir/expected"
"$synth" write "$dir/small.jfr" 10000 >/dev/null
for jfr in "$@"; do
    run summary "$jfr" summary "$dir/a.jfr"
    run metadata "$jfr" metadata "$dir/a.jfr"
    run print "$jfr" print --stack-depth 3 "$dir/a.jfr"
    run json "$jfr" print --json --stack-depth 2 "$dir/a.jfr"
    python3 "$(dirname "$0")/check_writer.py" "$dir/expected" "$dir/summary" "$dir/print" "$dir/json" ||
        fail "$jfr: not what was written"
    if "$jfr" help view >/dev/null 2>&1; then
        for view in hot-methods cpu-load active-recordings active-settings jvm-information events-by-count \
            jdk.ExecutionSample wick.PerfSample wick.Profiler wick.Drops wick.Log jdk.NativeLibrary; do
            run view "$jfr" view "$view" "$dir/small.jfr"
        done
    fi
    echo "check_writer: $jfr reads it as written"
done

# Killed between the two writes of a flush, a file has bytes behind its last chunk: that is allowed, and counted.
grows_twice() {
    before=
    for _ in 1 2; do
        while size=$(stat -c %s "$1" 2>/dev/null || echo 0); [ "$size" = "${before:-0}" ]; do
            kill -0 $pid 2>/dev/null || fail "the recording does not begin"
            sleep 0.01
        done
        before=$size
    done
}
tails=0
i=0
while [ $i -lt 10 ]; do
    i=$((i + 1))
    rm -f "$dir/k.jfr"
    "$synth" endless "$dir/k.jfr" &
    pid=$!
    grows_twice "$dir/k.jfr" # the first flush is written, however long that takes
    sleep "$(awk -v i=$i 'BEGIN { printf "%.3f", 0.04 + i * 0.0213 }')"
    kill -9 $pid
    wait $pid 2>/dev/null || true
    tail_bytes=$(python3 "$(dirname "$0")/check_writer.py" --cut "$dir/k.jfr")
    [ "$tail_bytes" = 0 ] || tails=$((tails + 1))
    for jfr in "$@"; do
        run summary "$jfr" summary "$dir/k.jfr"
        run print "$jfr" print --events ExecutionSample --stack-depth 3 "$dir/k.jfr"
        counted=$(awk '$1 == "jdk.ExecutionSample" { print $2 }' "$dir/summary")
        printed=$(grep -c '^jdk.ExecutionSample {' "$dir/print")
        [ "$counted" = "$printed" ] && [ "$printed" -gt 0 ] || fail "kill $i: $counted counted, $printed printed"
    done
done
echo "check_writer: 10 killed recordings are readable, $tails of them after cutting an unfinished flush"
