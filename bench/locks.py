#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""locks.py - what recording locks costs, and whether the time waited is right

- A million locks a second that nobody contends for: rounds per second of the process's CPU time, in windows with and without
  `-e lock`.
- Threads that fight for a monitor and for a ReentrantLock: rounds per second of wall time, without a profiler, with wick
  and with the peer, both with `-e lock` as it comes: each window is compared with the two around it.
- The same: the sum of weights, by interval, and the time counted by wick, against what the program measured around its own
  locks, all of whose waits begin and end while wick records.

Environment: PAIRS (default 7) windows, SECONDS (default 3) a window.
"""

import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
import lab
import pairs

INTERVALS = {"100us": 100_000, "1ms": 1_000_000, "10ms": 10_000_000}
SETTLE_SECONDS = 0.5


class Locks(lab.Wick):
    """wick with nothing but locks; an interval is one of waiting."""

    def start(self, pid, file, event="lock", interval="10ms", *more):
        lab.run(lab.WICK, "start", "-q", "-e", event, "-f", file, *more, pid)


class Peer:
    """The peer with nothing but locks, its own threshold."""

    def __init__(self, peer):
        self.name, self.peer = peer.name, peer

    def start(self, pid, file):
        lab.run(self.peer.command, "start", "-e", "lock", "-f", file, pid)

    def stop(self, pid):
        self.peer.stop(pid)


def counted(target):
    return [int(word) for word in target.ask("?").split()]


def rate(target, length, clock):
    rounds, begin = counted(target)[0], clock()
    time.sleep(length)
    return (counted(target)[0] - rounds) / (clock() - begin) * 1e9


def alternate(target, profilers, folder, count, length, clock):
    """{profiler: (rates without, rates with)}, the windows without around those with."""
    found = {p.name: ([], []) for p in profilers}
    before = rate(target, length, clock)
    for turn in range(count):
        for profiler in profilers if turn % 2 == 0 else reversed(profilers):
            profiler.start(target.pid, f"{folder}/{profiler.name}-{turn}.jfr")
            time.sleep(SETTLE_SECONDS)
            on = rate(target, length, clock)
            profiler.stop(target.pid)
            after = rate(target, length, clock)
            found[profiler.name][0].append((before + after) / 2)
            found[profiler.name][1].append(on)
            lab.say(f"{profiler.name}: {100 * (1 - on / found[profiler.name][0][-1]):.2f} % lost")
            before = after
    return found


def row_of(label, off, on):
    c = pairs.Comparison(off, on)
    lost = sorted(100 * (1 - y / x) for x, y in zip(off, on))
    interval = "-" if c.low is None else f"{100 * (1 - c.high):.2f} .. {100 * (1 - c.low):.2f} %"
    return [label, f"{statistics.median(off):.0f}", f"{statistics.median(on):.0f}", f"{100 * (1 - c.ratio):.2f} %",
            interval, f"{lost[0]:.2f} .. {lost[-1]:.2f} %", str(len(on))]


def costs(folder, count, length, peer):
    rows = []
    with lab.Target("wick.bench.Contended", "free", jvm=["-Xmx256m"]) as target:
        found = alternate(target, [Locks()], folder, count, length, lambda: lab.process_cpu_ns(target.pid))
        rows.append(row_of("uncontended, locks per CPU s: wick", *found["wick"]))
    with lab.Target("wick.bench.Contended", "fought", jvm=["-Xmx256m"]) as target:
        found = alternate(target, [Locks(), *([Peer(peer)] if peer else [])], folder, count, length, time.monotonic_ns)
        rows += [row_of(f"contended, rounds per s: {name}", *both) for name, both in found.items()]
    print(pairs.table(rows, ["what", "without", "with", "lost", "95 % interval", "range", "pairs"]))


def totals(target, folder, interval, length):
    """(program, counted, weight) in ns of one turn, which begins and ends while wick records."""
    wick = Locks()
    wick.start(target.pid, f"{folder}/totals-{interval}.jfr", f"lock=/{interval}")
    before = target.waited
    target.waited = int(target.ask(str(int(length * 1000))).split()[1])
    time.sleep(SETTLE_SECONDS)
    status = wick.status(target.pid)
    wick.stop(target.pid)
    counted_ns = status["lock_waited_ns"] + status["park_waited_ns"]
    return target.waited - before, counted_ns, status["lock_weight"] + status["lock_lost_weight"]


def truth(folder, count, length):
    rows = []
    with lab.Target("wick.bench.Contended", "turns", jvm=["-Xmx256m"]) as target:
        target.ask("2000")
        target.waited = int(target.ask("1").split()[1])
        for interval in INTERVALS:
            runs = [totals(target, folder, interval, length) for _ in range(count)]
            program, by_wick, weight = (sum(r[i] for r in runs) for i in range(3))
            by_chance = (INTERVALS[interval] / program) ** 0.5
            rows.append([interval, f"{program / 1e9:.1f} s", f"{by_wick / program:.4f}", f"{weight / program:.4f}", f"{by_chance:.4f}",
                         str(count)])
            lab.say(" ".join(rows[-1]))
    print("\n" + pairs.table(rows, ["interval", "waited, by the program", "counted / program", "weights / program",
                                    "standard deviation by chance, at most", "windows"]))


def measure():
    count, length, peer = int(os.environ.get("PAIRS", "7")), lab.seconds(3), lab.peer()
    with lab.scratch("locks") as folder:
        costs(folder, count, length, peer)
        truth(folder, count, length)
    print(f"\nasync-profiler {peer.version()}, event=lock" if peer else f"\n{lab.NO_PEER}")


if __name__ == "__main__":
    lab.main(measure)
