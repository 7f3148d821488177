#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attach.py - what a profiler costs a JVM that it has never seen before

For each start a fresh JVM that is idle, or idle with 1,000 threads: how long `wick start` takes from the outside, how much
the JVM's resident memory has grown two seconds later, and how long it stopped: the longest of the safepoints that the JVM
logged since (reaching it plus being at it). With one more thread that reads the clock all the time, also the longest
gap that this thread saw, and, as the noise of the machine, the longest gap in as much time without an attach.
The last table is about programs that never show the same stack twice: the memory must stop growing at --memlimit.

Environment: PAIRS (default 7) JVMs for each line.
"""

import os
import re
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import lab
import pairs

SAFEPOINT = re.compile(r"\[safepoint *\] Safepoint .* Total: *(\d+) ns")
SETTLE_SECONDS = 2


def safepoints_ms(log):
    return [int(ns) / 1e6 for ns in SAFEPOINT.findall(Path(log).read_text(encoding="utf-8", errors="replace"))]


def cold_start(profiler, engine, threads, spin, folder):
    """(milliseconds of the command, MiB grown, longest safepoint ms, longest gap ms, longest gap before ms)"""
    log = f"{folder}/safepoints.log"
    jvm = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", f"-Xlog:safepoint:file={log}"]
    with lab.Target("wick.bench.Idle", threads, *(["spin"] if spin else []), jvm=jvm) as target:
        target.ask("clear")
        time.sleep(SETTLE_SECONDS)
        before_gap = float(target.ask("?")) / 1000
        before_kib, known = lab.resident_kib(target.pid), len(safepoints_ms(log))
        began = time.monotonic()
        profiler.start(target.pid, f"{folder}/cold.jfr", engine, "10ms")
        took = time.monotonic() - began
        time.sleep(SETTLE_SECONDS)
        grown = (lab.resident_kib(target.pid) - before_kib) / 1024
        gap = float(target.ask("?")) / 1000
        stops = safepoints_ms(log)[known:]
        profiler.stop(target.pid)
    return took * 1000, grown, max(stops, default=0.0), gap, before_gap


def lines(profilers, engine, threads, spin, count, folder):
    found = {p.name: [] for p in profilers}
    for turn in range(count):
        for profiler in profilers if turn % 2 == 0 else reversed(profilers):
            found[profiler.name].append(cold_start(profiler, engine, threads, spin, folder))
            lab.say(f"{engine} {threads} {profiler.name}: {found[profiler.name][-1]}")
    for name, starts in found.items():
        took, grown, stops, gaps, gaps_before = zip(*starts)
        cells = [lab.spread(took, "{:.0f}"), lab.spread(grown, "{:.2f}"), lab.spread(stops, "{:.2f}")]
        cells += [lab.spread(gaps, "{:.1f}"), lab.spread(gaps_before, "{:.1f}")] if spin else ["", ""]
        yield [f"{name}, {engine}, {threads} threads{', one busy' if spin else ''}", *cells]
    if len(found) == 2:
        ours, theirs = found.values()
        took, grown = (pairs.Comparison([s[i] for s in theirs], [s[i] for s in ours]) for i in (0, 1))
        yield ["wick / " + list(found)[1], f"{took.ratio:.2f}", f"{grown.ratio:.2f}", "", "", ""]


def growth(limit, length, folder):
    wick = lab.Wick()
    jvm = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]
    with lab.Target("wick.bench.ManyStacks", jvm=jvm) as target:
        before = lab.resident_kib(target.pid)
        wick.start(target.pid, f"{folder}/many.jfr", "cpu", "100us", "--memlimit", limit)
        sizes = []
        for _ in range(4):
            time.sleep(length / 4)
            sizes.append((lab.resident_kib(target.pid) - before) / 1024)
        status = wick.status(target.pid)
        wick.stop(target.pid)
    return [limit, str(status["samples"]), *(f"{size:.1f}" for size in sizes), str(status["dropped"])]


def measure():
    count, peer = int(os.environ.get("PAIRS", "7")), lab.peer()
    profilers = [lab.Wick(), *([peer] if peer else [])]
    with lab.scratch("attach") as folder:
        rows = []
        for engine in ("cpu", "ctimer"):
            rows += lines(profilers, engine, 0, False, count, folder)
            rows += lines(profilers, engine, 1000, False, count, folder)
        rows += lines(profilers, "cpu", 0, True, count, folder)
        headings = ["profiler, event, JVM", "start, ms", "growth, MiB", "longest safepoint, ms", "longest gap, ms", "the same without, ms"]
        print(pairs.table(rows, headings))
        print(f"\nasync-profiler {peer.version()}" if peer else f"\n{lab.NO_PEER}")
        rows = [growth(limit, lab.seconds(20), folder) for limit in ("16m", "64m")]
        headings = ["--memlimit", "samples", "growth after 1/4, MiB", "1/2", "3/4", "at the end", "drops"]
        print("\n" + pairs.table(rows, headings))


if __name__ == "__main__":
    lab.main(measure)
