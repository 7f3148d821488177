#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wallsize.py - how large recordings of the wall clock are: 16 threads, each sampled 100 times a second

Once with all 16 busy (the demo's CPU-bound work under 50 calls), once with all 16 parked; every thread of the JVM is drawn at
each tick. Sizes are scaled to 60 s, which counts what is written once (settings, names, most stacks) several times over
if SECONDS is less.

Environment: SECONDS (default 60) a recording.
"""

import os
import sys
import time

sys.dont_write_bytecode = True
import jfr
import lab
import pairs

THREADS = 16
PROGRAMS = {"busy": ("wick.demo.Steady", THREADS, 50, 10), "idle": ("wick.bench.IdleThreads", THREADS, 0)}
EVENT = "profiler.WallClockSample"


def measure_one(kind, profiler, length, folder):
    file = f"{folder}/{kind}.jfr"
    with lab.Target(*PROGRAMS[kind], jvm=["-Xmx256m"]) as target:
        more = ["--filter", "all", "--wall-threads", "256"] if profiler.name == "wick" else []
        profiler.start(target.pid, file, "wall", "10ms", *more)
        time.sleep(length)
        profiler.stop(target.pid)
    recording = jfr.Recording(file)
    events, mib = recording.named(EVENT), recording.bytes / 2**20 * 60 / length
    samples = sum(int(e["samples"]) for e in events)
    lab.say(f"{profiler.name}, {kind}: {mib:.2f} MiB in 60 s")
    return mib, [profiler.name, kind, f"{mib:.2f} MiB", str(samples), str(len(events)),
                 f"{sum(recording.sizes[EVENT]) / max(len(events), 1):.1f}"]


def measure():
    rows, length, sizes = [], lab.seconds(60), {}
    with lab.scratch("wallsize") as folder:
        for kind in PROGRAMS:
            sizes[kind], row = measure_one(kind, lab.Wick(), length, folder)
            rows.append(row)
    print(pairs.table(rows, ["profiler", "16 threads", "in 60 s", "samples", "events", "bytes an event"]))
    print(f"\nidle / busy: {sizes['idle'] / sizes['busy']:.3f} (targets: busy at most 6 MiB, idle a twentieth of it)")


if __name__ == "__main__":
    lab.main(measure)
