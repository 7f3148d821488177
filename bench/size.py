#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""size.py - how large recordings are

The same program (the demo's CPU-bound work under 50 calls, in one JVM) is recorded at 1 ms by wick and by the peer in
turns, equally long: bytes of one CPU event, and bytes of constant pools (strings, methods, stacks, threads), in total and
for each different stack. How many different stacks a recording meets depends on chance and on how much of a stack the
profiler shows, so the figure to compare is the one for each stack, beside how many frames it has.

Environment: SECONDS (default 15) a recording, PAIRS (default 3) recordings of each.
"""

import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
import jfr
import lab
import pairs

EVENT = "jdk.ExecutionSample"


def figures(file):
    recording = jfr.Recording(file)
    events = recording.sizes[EVENT]
    if not events:
        raise lab.Failed(f"{file}: no CPU samples")
    stacks = recording.pool_counts["jdk.types.StackTrace"]
    distinct = {recording.stack(fields["stackTrace"]) for fields in recording.named(EVENT)}
    pools = sum(recording.pool_bytes.values())
    return {
        "samples": len(events),
        "bytes an event": sum(events) / len(events),
        "file, KiB": recording.bytes / 1024,
        "pools, KiB": pools / 1024,
        "stacks": stacks,
        "frames a stack": sum(map(len, distinct)) / len(distinct),
        "pool bytes a stack": pools / stacks,
        "stack bytes a stack": recording.pool_bytes["jdk.types.StackTrace"] / stacks,
    }


def measure():
    length, count, peer = lab.seconds(15), int(os.environ.get("PAIRS", "3")), lab.peer()
    profilers = [lab.Wick(), *([peer] if peer else [])]
    found = {p.name: [] for p in profilers}
    with lab.scratch("size") as folder, lab.Target("wick.demo.Steady", 2, 50, 15, jvm=["-Xmx256m"]) as target:
        for _ in range(count):
            for profiler in profilers:
                file = f"{folder}/{profiler.name}.jfr"
                profiler.start(target.pid, file, "cpu", "1ms")
                time.sleep(length)
                profiler.stop(target.pid)
                found[profiler.name].append(figures(file))
                lab.say(f"{profiler.name}: {found[profiler.name][-1]}")
                os.remove(file)
    names = list(next(iter(found.values()))[0])
    rows = [[name, *(f"{statistics.median(run[name] for run in runs):.1f}" for name in names)] for name, runs in found.items()]
    print(pairs.table(rows, ["profiler", *names]))
    print(f"\nasync-profiler {peer.version()}" if peer else f"\n{lab.NO_PEER}")


if __name__ == "__main__":
    lab.main(measure)
