#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wall.py - what the wall clock costs with many idle threads: CPU time of the profiler's threads, memory, signals, bytes

A JVM with N parked threads and two busy ones is sampled every 10 ms, all threads being candidates. The cost is the CPU time
of the threads that the profiler brings along, from when every thread has been seen once (the first visit to a thread walks
it) until the end; of wick also the time in its signal handler. Memory is what the process's resident set gained, signals are
what wick's own figures say. "woken" counts how often one of the idle threads got a processor during the run, as the kernel says.

Environment: SECONDS (default 20) a measurement, IDLE (default "100 1000 4000") numbers of idle threads.
"""

import os
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import lab
import pairs

BUSY = 2
INTERVAL = "10ms"


def tids(pid):
    return set(os.listdir(f"/proc/{pid}/task"))


def name_of(pid, tid):
    return Path(f"/proc/{pid}/task/{tid}/comm").read_text(encoding="utf-8").strip()


def cpu_ns(pid, threads):
    """CPU time of some threads of a process, dead ones left out."""
    total = 0
    for tid in threads:
        try:
            total += int(Path(f"/proc/{pid}/task/{tid}/schedstat").read_text(encoding="utf-8").split()[0])
        except OSError:
            pass
    return total


def slices(pid, threads):
    """How often they got a processor."""
    return sum(int(Path(f"/proc/{pid}/task/{tid}/schedstat").read_text(encoding="utf-8").split()[2]) for tid in threads)


def settle_seconds(idle):
    """After this, all but a thousandth of the threads have been drawn: 16 of them a tick, 100 ticks a second."""
    return 2 + 7 * (idle + 40) / 1600


def measure_one(profiler, idle, length, folder):
    file = f"{folder}/{profiler.name}.jfr"
    with lab.Target("wick.bench.IdleThreads", idle, BUSY, jvm=["-Xmx128m", "-Xss256k"]) as target:
        pid, before, rss = target.pid, tids(target.pid), lab.resident_kib(target.pid)
        idlers = [tid for tid in before if name_of(pid, tid).startswith("idle-")]
        profiler.start(pid, file, "wall", INTERVAL, *(["--filter", "all"] if profiler.name == "wick" else []))
        time.sleep(settle_seconds(idle))
        own, got = tids(pid) - before, slices(pid, idlers)
        size = os.path.getsize(file) if os.path.exists(file) else 0
        handler = profiler.status(pid)["handler_ns"] if profiler.name == "wick" else 0
        start, used = time.monotonic_ns(), cpu_ns(pid, own)
        time.sleep(length)
        elapsed, used = time.monotonic_ns() - start, cpu_ns(pid, own) - used
        woken, grown = slices(pid, idlers) - got, lab.resident_kib(pid) - rss
        if profiler.name == "wick":
            used += profiler.status(pid)["handler_ns"] - handler
        profiler.stop(pid)
        share = 100 * used / elapsed
        lab.say(f"{profiler.name}, {idle} idle threads: {share:.2f} % of a core")
        return [profiler.name, str(idle), f"{share:.2f} %", str(woken), f"{grown / 1024:.1f} MiB",
                f"{(os.path.getsize(file) - size) / 1024:.0f} KiB"]


def measure():
    rows, length = [], lab.seconds(20)
    peer = lab.peer()
    with lab.scratch("wall") as folder:
        for idle in map(int, os.environ.get("IDLE", "100 1000 4000").split()):
            rows.append(measure_one(lab.Wick(), idle, length, folder))
            if peer:
                rows.append(measure_one(peer, idle, length, folder))
    print(pairs.table(rows, ["profiler", "idle threads", "CPU of the profiler (share of one core)", "idle threads woken",
                             "resident set gained", "recorded"]))
    if not peer:
        print(f"\n{lab.NO_PEER}")


if __name__ == "__main__":
    lab.main(measure)
