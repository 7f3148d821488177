#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""chains.py - for how long a JVM is stopped to find out who holds its heap

A program holds a heap of a known shape (bench/java/wick/bench/HeapHeld.java) and measures the longest time for which a thread
that wakes every millisecond did not run: beside nothing, beside a collection of all of the heap, beside `wick heap PID --copy`, which does what `wick explain --chains` does
(a copy of the process writes the dump), and beside `wick heap PID --live`, which that does where there can be no copy: a collection and a dump,
during which the JVM is stopped, and the analysis outside. Dumps are written to /tmp or /var/tmp, and their speed is that of the disk.

Environment: RECORDS, a list of sizes (default 200000,1000000,12000000: 4.25 objects and some 110 bytes of heap each, so 50
million objects at the end; its heap of 4 GiB, the dump of 2.4 GiB and the analysis need about 8 GiB); PAIRS (default 3) dumps of each.
"""

import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
import lab
import pairs

OBJECTS, BYTES = 4.25, 110  # a record


def longest_ms(target, action):
    """How long the thread did not run while that was done."""
    target.ask("?")
    action()
    return int(target.ask("?")) / 1000


def measure_one(records, count):
    heap = max(256, int(records * BYTES * 3.2) >> 20)
    actions = {
        "nothing": lambda pid: time.sleep(1),
        "a full collection": lambda pid: lab.run(lab.java("jcmd"), pid, "GC.run"),
        "a dump by a copy": lambda pid: lab.run(lab.WICK, "heap", "--copy", "--json", "-n", "1", pid),
        "a dump by the JVM": lambda pid: lab.run(lab.WICK, "heap", "--live", "--json", "-n", "1", pid),
    }
    rows = []
    with lab.Target("wick.bench.HeapHeld", records, jvm=[f"-Xmx{heap}m", "-XX:+UseParallelGC"]) as target:
        for name, action in actions.items():
            lab.say(f"{records} records: {name}")
            found = [longest_ms(target, lambda a=action: a(target.pid)) for _ in range(count)]
            rows.append([f"{records * OBJECTS / 1e6:.1f} million", name, f"{statistics.median(found):.1f}", f"{max(found):.1f}", str(count)])
    return rows


def measure():
    count = int(os.environ.get("PAIRS", "3"))
    rows = []
    for records in os.environ.get("RECORDS", "200000,1000000,12000000").split(","):
        rows += measure_one(int(records), count)
    print(pairs.table(rows, ["objects", "beside", "stopped, ms (median)", "longest", "runs"]))


if __name__ == "__main__":
    lab.main(measure)
