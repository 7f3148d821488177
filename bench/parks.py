#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parks.py - what Unsafe.park costs after a recording of locks

The first recording of locks binds Unsafe.park to the agent for the rest of the JVM's life. What a park costs afterwards, with
no recording running, is compared with what it cost in the same JVM before the agent was loaded, and with what it cost after a
recording of CPU time only; other JVMs that never see wick, run in turn, show how much such figures differ by themselves. CPU time of
the threads, per park that finds its permit (nothing but the call) and per round of two threads that park for each other; of
many short blocks the least, since what else the machine does only adds to them.

Environment: PAIRS (default 7) JVMs of each kind.
"""

import os
import sys
import time

sys.dont_write_bytecode = True
import lab
import pairs

BLOCKS = 40
OPERATIONS = {"permit": 50_000, "pingpong": 1_000}
PHASES = ["before", "agent", "locks"]


def figures(target):
    """{operation: ns}: of blocks in turn, the least."""
    found = {name: [] for name in OPERATIONS}
    for _ in range(BLOCKS):
        for name, n in OPERATIONS.items():
            found[name].append(int(target.ask(f"{name} {n}")) / n)
    return {name: min(values) for name, values in found.items()}


def record(target, folder, event):
    wick = lab.Wick()
    wick.start(target.pid, f"{folder}/{event}.jfr", event)
    time.sleep(0.3)
    wick.stop(target.pid)


def one_jvm(folder, is_recorded):
    """{phase: figures}; the agent comes before the second phase, the recording of locks before the third, if at all."""
    with lab.Target("wick.bench.Parks", jvm=["-Xmx128m"]) as target:
        found = {"before": figures(target)}
        for phase, event in (("agent", "cpu"), ("locks", "lock")):
            if is_recorded:
                record(target, folder, event)
            found[phase] = figures(target)
        return found


def measure():
    count = int(os.environ.get("PAIRS", "7"))
    found = {True: [], False: []}
    with lab.scratch("parks") as folder:
        for turn in range(count):
            for is_recorded in (True, False) if turn % 2 == 0 else (False, True):
                found[is_recorded].append(one_jvm(folder, is_recorded))
                lab.say(f"JVM {turn + 1} of {count}, {'recorded' if is_recorded else 'left alone'}: {found[is_recorded][-1]}")
    rows = []
    for name in OPERATIONS:
        for is_recorded, phase, label in ((True, "agent", "agent loaded"), (True, "locks", "after a recording of locks"),
                                          (False, "locks", "never recorded, at the same time")):
            runs = found[is_recorded]
            c = pairs.Comparison([r["before"][name] for r in runs], [r[phase][name] for r in runs])
            rows.append(c.row(f"{name}: {label}"))
    print(pairs.table(rows, ["what", "before, ns", "then, ns", "then / before", "95 % interval", "JVMs"]))


if __name__ == "__main__":
    lab.main(measure)
