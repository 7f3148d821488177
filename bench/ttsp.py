#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ttsp.py - threads slow to reach safepoints: false negatives and positives, how soon one is asked, and the watcher's cost

The world is stopped some thousand times, with a thread that runs without a poll for about 10 ms at a time, then as often
without one. The JVM's own log of safepoints is the truth, to the nanosecond: each one that took the threshold or
longer to reach must be found, and no other. Where the watcher had no processor for so long that several passed, only their sum is
known; wick counts them, so that nothing is missed in silence.
A recording contains for each slow thread when its first signal was sent; what that is above the threshold is the latency.

Then a program that does steady work, and stops 100 times a second, runs in windows with and without the watcher; compared is
its work per second of the process's CPU time, in which the watcher's counts.

Environment: STOPS (default 1300) safepoints of each kind, PAIRS (default 7) windows, SECONDS (default 3) a window.
"""

import collections
import json
import os
import re
import statistics
import sys
import time

sys.dont_write_bytecode = True
import lab
import pairs

THRESHOLD_MS = 2


def reached_ns(file):
    with open(file, encoding="utf-8") as f:
        return [int(ns) for ns in re.findall(r"Reaching safepoint: +(\d+) ns", f.read())]


def provoke(target, folder, log, stops, late):
    """(times to safepoint by the JVM's log, by wick, its counters, latencies) in ns."""
    file, before = f"{folder}/late-{late}.jfr", len(reached_ns(log))
    lab.run(lab.WICK, "start", "-q", "-e", "ttsp", "--ttsp-threshold-ms", f"{THRESHOLD_MS},4,8,16,32", "-f", file, target.pid)
    time.sleep(1)
    target.ask(f"late {late}")
    target.ask(f"stop {stops} 3000")
    target.ask("late off")
    status = lab.Wick().status(target.pid)
    lab.Wick().stop(target.pid)
    found = json.loads(lab.output(lab.WICK, "ttsp", "--json", "-n", "0", file))["worst"]
    first = [s["waited_ns"] for i in found for c in i["threads"] for s in c["signals"] if s["attempt"] == 1 and not s["gave_way"]]
    return reached_ns(log)[before:], [i["reach_ns"] for i in found], status, [ns - THRESHOLD_MS * 1e6 for ns in first]


def incidents(target, folder, log, stops):
    rows, latencies = [], []
    for late in ("on", "off"):
        truth, found, status, latency = provoke(target, folder, log, stops, late)
        slow = [ns for ns in truth if ns >= THRESHOLD_MS * 1e6]
        latencies += latency
        missing = list((collections.Counter(slow) - collections.Counter(found)).elements())
        made_up = list((collections.Counter(found) - collections.Counter(slow)).elements())
        lab.say(f"not found: {missing}, made up: {made_up}")
        rows.append([f"slow thread {late}", len(truth), len(slow), len(missing), len(made_up), status["ttsp_unwatched"],
                     status["ttsp_unclear"]])
    headings = ["what", "safepoints", f"slower than {THRESHOLD_MS} ms, by the JVM's log", "not found", "made up",
                "of those found: nobody could be asked", "of which only a sum is known"]
    print(pairs.table([[str(c) for c in r] for r in rows], headings))
    if latencies:
        cuts = statistics.quantiles(latencies, n=100)
        us = [f"{ns / 1000:.0f} us" for ns in (statistics.median(latencies), cuts[89], cuts[98])]
        print("\n" + pairs.table([[str(len(latencies)), *us]], ["first signals", "after the threshold: median", "90 %", "99 %"]))


def work_rate(target, length):
    rounds, cpu = int(target.ask("?")), lab.process_cpu_ns(target.pid)
    time.sleep(length)
    return (int(target.ask("?")) - rounds) / (lab.process_cpu_ns(target.pid) - cpu) * 1e9


def loss(target, folder, count, length):
    target.ask("pace 10000")
    off, on, before = [], [], work_rate(target, length)
    for turn in range(count):
        lab.run(lab.WICK, "start", "-q", "-e", "ttsp", "-f", f"{folder}/armed-{turn}.jfr", target.pid)
        time.sleep(1)
        on.append(work_rate(target, length))
        lab.Wick().stop(target.pid)
        after = work_rate(target, length)
        off.append((before + after) / 2)
        before = after
        lab.say(f"{100 * (1 - on[-1] / off[-1]):.2f} % lost")
    print("\n" + pairs.table([pairs.Comparison(off, on).row("rounds per CPU s: A without, B with the watcher")]))


def measure():
    with lab.scratch("ttsp") as folder:
        log = f"{folder}/safepoints.log"
        jvm = ["-XX:+UseSerialGC", "-Xmx256m", "-XX:-UseCountedLoopSafepoints", f"-Xlog:safepoint:file={log}"]
        with lab.Target("wick.bench.Tardy", jvm=jvm) as target:
            incidents(target, folder, log, int(os.environ.get("STOPS", "1300")))
            loss(target, folder, int(os.environ.get("PAIRS", "7")), lab.seconds(3))


if __name__ == "__main__":
    lab.main(measure)
