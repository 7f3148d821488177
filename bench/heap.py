#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heap.py - time and memory that the analysis of a large heap dump takes

A program makes a heap of a known shape (bench/java/wick/bench/HeapDump.java) and dumps it. `wick heap` counts it, then
analyses it: CPU time, time on the clock, and the most memory that was resident, files that were mapped included, as a
share of the dump's size. Temporary files go where the dump is.

Environment: RECORDS (default 7500000, which makes a dump of 1.4 GiB with 32 million objects in a heap of 3 GiB); DUMP, a
dump to analyse instead; COMMAND, another wick to analyse it with.
"""

import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import lab
import pairs

RUNS = [("histogram", ["--histogram"]), ("classes, retained sizes", ["--class", "wick.bench"]), ("everything", [])]


def run(name, options, dump, folder):
    command = [os.environ.get("COMMAND", str(lab.WICK)), "heap", *options, dump]
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": folder}, text=True) as p:
        out = p.stdout.read()
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        raise lab.Failed(f"wick heap {' '.join(options)} ended with status {p.returncode}")
    share = usage.ru_maxrss * 1024 / os.path.getsize(dump)
    return out, [name, f"{usage.ru_utime + usage.ru_stime:.1f}", f"{time.monotonic() - began:.1f}",
                 f"{usage.ru_maxrss / 1024:.0f}", f"{100 * share:.1f} %"]


def measure():
    records = os.environ.get("RECORDS", "7500000")
    rows = []
    with lab.scratch("heap") as folder:
        dump = os.environ.get("DUMP") or f"{folder}/big.hprof"
        if not os.environ.get("DUMP"):
            lab.run(lab.java(), "-Xmx3g", "-XX:+UseSerialGC", "-cp", lab.classpath(), "wick.bench.HeapDump", records,
                    dump)
        size = os.path.getsize(dump)
        for name, options in RUNS:
            out, row = run(name, options, dump, folder)
            rows.append(row)
            if name == "histogram":
                print(f"A dump of {size / 2**30:.2f} GiB: {out.splitlines()[1].strip()}\n")
    print(pairs.table(rows, ["what", "CPU, s", "clock, s", "resident, MiB", "of the dump"]))


if __name__ == "__main__":
    lab.main(measure)
