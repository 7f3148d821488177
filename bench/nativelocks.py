#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nativelocks.py - what recording native locks costs

- A mutex of the C library that nobody contends for: locks per second of the thread's CPU time, in turns with and without
  `-e nativelock`.
- Threads that fight for a mutex: rounds per second of wall time, without a profiler, with wick and with the peer, both with
  `-e nativelock` as it comes.

Environment: PAIRS (default 7) turns, SECONDS (default 3) of a fight, WORK (default 20000) steps under the lock.
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
import lab
import locks
import pairs

LOCKS = 3_000_000


class Native(locks.Locks):
    def start(self, pid, file, event="nativelock", interval="10ms", *more):
        super().start(pid, file, event, interval, *more)


class Peer(locks.Peer):
    def start(self, pid, file):
        lab.run(self.peer.command, "start", "-e", "nativelock", "-f", file, pid)


def alternate(target, line, profiler, folder, count, rate):
    """(rates without, rates with): each is compared with the mean of the two around it."""
    without, with_it = [], []
    before = rate(int(target.ask(line)))
    for turn in range(count):
        profiler.start(target.pid, f"{folder}/{profiler.name}-{turn}.jfr")
        on = rate(int(target.ask(line)))
        profiler.stop(target.pid)
        after = rate(int(target.ask(line)))
        without.append((before + after) / 2)
        with_it.append(on)
        lab.say(f"{profiler.name}: {line}: {100 * (1 - on / without[-1]):.2f} % lost")
        before = after
    return without, with_it


def build(folder):
    library = f"{folder}/libcontended.so"
    work = int(os.environ.get("WORK", "20000"))
    source = lab.ROOT / "bench" / "native" / "contended.c"
    subprocess.run(["cc", "-O2", f"-DWORK={work}", "-shared", "-fPIC", "-pthread", "-o", library, source], check=True)
    return library


def measure():
    count, length, peer = int(os.environ.get("PAIRS", "7")), lab.seconds(3), lab.peer()
    rows = []
    with lab.scratch("nativelocks") as folder:
        library = build(folder)
        # a process of its own for each: the peer leaves its functions in place when it stops
        with lab.Target("wick.bench.NativeContended", library, jvm=["-Xmx64m"]) as target:
            found = alternate(target, f"free {LOCKS}", Native(), folder, count, lambda ns: LOCKS / ns * 1e9)
            rows.append(locks.row_of("uncontended, locks per CPU s: wick", *found))
        for profiler in [Native(), *([Peer(peer)] if peer else [])]:
            with lab.Target("wick.bench.NativeContended", library, jvm=["-Xmx64m"]) as target:
                found = alternate(target, f"fight {int(length * 1000)}", profiler, folder, count, float)
                rows.append(locks.row_of(f"contended, rounds per s: {profiler.name}", *found))
    print(pairs.table(rows, ["what", "without", "with", "lost", "95 % interval", "range", "pairs"]))
    print(f"\nasync-profiler {peer.version()}, event=nativelock" if peer else f"\n{lab.NO_PEER}")


if __name__ == "__main__":
    lab.main(measure)
