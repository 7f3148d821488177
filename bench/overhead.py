#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""overhead.py - what profiling costs the program: work per second of CPU time, with and without

The CPU-bound program of the demo (hashing, streams and chains of shifts under 50 recursive calls, about 70 frames with
those of the JDK) runs in one warmed-up JVM. Windows without a profiler alternate with windows of each profiler, in an order
that turns round every time; each window with a profiler is compared with the two around it. So neither a neighbour on the
machine nor the luck of the JIT compiler counts for one side only. The CPU time is that of the process, so everything the profiler does
inside it counts: signals, walks, and the thread that writes.

A loss of L at an interval of I means L x I of CPU time for each sample: the cost of a sample with the signal, the walk and the caches
that the program finds cold afterwards. The second table gives that by depth of the stack, beside the CPU time that wick's own
counters say its handler took.

Environment: PAIRS (default 7) windows of each profiler, SECONDS (default 3) a window.
"""

import itertools
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
import lab
import pairs

INTERVALS = {"10ms": 10_000_000, "1ms": 1_000_000, "100us": 100_000}
SETTLE_SECONDS = 2
WARM_UP_SECONDS = 40
THREADS = 2


def work_rate(target, length):
    """Rounds per second of CPU time during a window."""
    rounds, cpu = int(target.ask("?")), lab.process_cpu_ns(target.pid)
    time.sleep(length)
    return (int(target.ask("?")) - rounds) / (lab.process_cpu_ns(target.pid) - cpu) * 1e9


def profiled(target, profiler, folder, interval, length, event):
    """(work rate under the profiler, what wick's counters gained)."""
    profiler.start(target.pid, f"{folder}/{profiler.name}.jfr", event, interval)
    time.sleep(SETTLE_SECONDS)
    counts = hasattr(profiler, "status")
    before = profiler.status(target.pid) if counts else {}
    rate = work_rate(target, length)
    after = profiler.status(target.pid) if counts else {}
    profiler.stop(target.pid)
    return rate, {key: after[key] - before[key] for key in ("samples", "handler_ns", "frames") if counts}


def alternate(target, profilers, interval, count, length, folder, event="cpu"):
    """{profiler: (rates without, rates with, counters)}, pair by pair."""
    found = {p.name: ([], [], []) for p in profilers}
    off = work_rate(target, length)
    for turn in range(count):
        for profiler in profilers if turn % 2 == 0 else reversed(profilers):
            on, counters = profiled(target, profiler, folder, interval, length, event)
            off_after = work_rate(target, length)
            found[profiler.name][0].append((off + off_after) / 2)
            found[profiler.name][1].append(on)
            found[profiler.name][2].append(counters)
            lab.say(f"{interval} {profiler.name}: {100 * (1 - on / found[profiler.name][0][-1]):.2f} % lost")
            off = off_after
    return found


def row_of(label, off, on, interval):
    compared = pairs.Comparison(off, on)
    low, high = (compared.low, compared.high) if compared.low is not None else (min(y / x for x, y in zip(off, on)), max(y / x for x, y in zip(off, on)))
    cost = (1 - compared.ratio) * INTERVALS[interval] / 1000
    return [
        label,
        f"{statistics.median(off):.0f}",
        f"{statistics.median(on):.0f}",
        f"{100 * (1 - compared.ratio):.2f} %",
        f"{100 * (1 - high):.2f} .. {100 * (1 - low):.2f} %",
        f"{cost:.1f}",
        str(len(on)),
    ]


def losses(profilers, count, length, folder):
    rows = []
    with lab.Target("wick.demo.Steady", THREADS, 50, WARM_UP_SECONDS, jvm=["-Xmx256m"]) as target:
        for interval in INTERVALS:
            found = alternate(target, profilers, interval, count, length, folder)
            for name, (off, on, _) in found.items():
                rows.append(row_of(f"{name}, {interval}", off, on, interval))
            if len(found) == 2:
                (off, on, _), (peer_off, peer_on, _) = found.values()
                loss, peer_loss = 1 - pairs.Comparison(off, on).ratio, 1 - pairs.Comparison(peer_off, peer_on).ratio
                rows.append([f"wick's loss / {list(found)[1]}'s, {interval}", "", "", f"{loss / peer_loss:.2f}", "", "", ""])
    headings = ["profiler, interval", "rounds per CPU s without", "with", "lost", "95 % interval", "us a sample", "pairs"]
    print(pairs.table(rows, headings))


def by_depth(count, length, folder):
    rows = []
    for depth, interval in itertools.product((10, 50, 200), ("1ms",)):
        with lab.Target("wick.demo.Steady", THREADS, depth, WARM_UP_SECONDS, jvm=["-Xmx256m"]) as target:
            off, on, counters = alternate(target, [lab.Wick()], interval, count, length, folder)["wick"]
        samples, frames = (sum(c[key] for c in counters) for key in ("samples", "frames"))
        handler = [c["handler_ns"] / c["samples"] / 1000 for c in counters]
        rows.append([str(depth), f"{frames / samples:.0f}", row_of("", off, on, interval)[5], lab.spread(handler, "{:.1f}")])
    headings = ["calls deep", "frames a sample", "us a sample, from the loss", "us of CPU time in the handler, median (range)"]
    print("\n" + pairs.table(rows, headings))


def measure():
    count, length = int(os.environ.get("PAIRS", "7")), lab.seconds(3)
    peer = lab.peer()
    with lab.scratch("overhead") as folder:
        losses([lab.Wick(), *([peer] if peer else [])], count, length, folder)
        print("" if peer is None else f"\nasync-profiler {peer.version()}, event=cpu", end="")
        print(f"\n{lab.NO_PEER}" if peer is None else "")
        by_depth(count, length, folder)


if __name__ == "__main__":
    lab.main(measure)
