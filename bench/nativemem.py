#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nativemem.py - what recording native memory costs

CPU time of the thread for a pair of malloc and free of 16 bytes to 1 KiB, 4,096 blocks alive, in turns with and without
`-e nativemem`: one after the other, and at a million pairs a second. The same with the peer, as it comes and with the same
interval.

Environment: PAIRS (default 7) turns, SECONDS (default 3) of a million pairs each.
"""

import os
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import lab
import locks
import pairs

MILLION = 1_000_000


class Memory(locks.Locks):
    def start(self, pid, file, event="nativemem", *more):
        super().start(pid, file, event, "", *more)


class Peer(locks.Peer):
    def __init__(self, peer, interval):
        super().__init__(peer)
        self.name, self.interval = f"{peer.name}, {interval}", interval

    def start(self, pid, file):
        lab.run(self.peer.command, "start", "-e", "nativemem", "--nativemem", self.interval, "-f", file, pid)


def alternate(target, line, n, profiler, folder, count):
    """(ns a pair without, with): each is compared with the mean of the two around it."""
    without, with_it = [], []
    before = int(target.ask(line)) / n
    for turn in range(count):
        profiler.start(target.pid, f"{folder}/{turn}.jfr")
        on = int(target.ask(line)) / n
        profiler.stop(target.pid)
        after = int(target.ask(line)) / n
        without.append((before + after) / 2)
        with_it.append(on)
        lab.say(f"{profiler.name}: {line}: {on - without[-1]:.2f} ns more")
        before = after
    return without, with_it


def row_of(label, off, on):
    more = sorted(y - x for x, y in zip(off, on))
    return [label, f"{statistics.median(off):.1f}", f"{statistics.median(on):.1f}", f"{statistics.median(more):.1f}",
            f"{more[0]:.1f} .. {more[-1]:.1f}", str(len(more))]


def measure():
    count, n, peer = int(os.environ.get("PAIRS", "7")), int(lab.seconds(3) * MILLION), lab.peer()
    rows = []
    with lab.scratch("nativemem") as folder:
        library = f"{folder}/libmalloc.so"
        source = lab.ROOT / "bench" / "native" / "malloc.c"
        subprocess.run(["cc", "-O2", "-fno-builtin", "-shared", "-fPIC", "-o", library, source], check=True)
        # a process of its own for each: the peer leaves its functions in place when it stops
        for profiler in [Memory(), *([Peer(peer, "0"), Peer(peer, "512k")] if peer else [])]:
            for line in ("pairs", "paced"):
                with lab.Target("wick.bench.NativeMalloc", library, jvm=["-Xmx64m"]) as target:
                    target.ask(f"pairs {n}")
                    found = alternate(target, f"{line} {n}", n, profiler, folder, count)
                    how = "one after the other" if line == "pairs" else "a million a second"
                    rows.append(row_of(f"{how}: {profiler.name}", *found))
    print(pairs.table(rows, ["malloc and free, ns of CPU time a pair", "without", "with", "more", "range", "pairs"]))
    print(f"\nasync-profiler {peer.version()}, event=nativemem" if peer else f"\n{lab.NO_PEER}")


if __name__ == "__main__":
    lab.main(measure)
