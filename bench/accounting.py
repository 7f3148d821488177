#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""accounting.py - is the sum of the weights the CPU time that the process used?

A busy program with four worker threads on however many CPUs there are, and the same with threads that live a few
milliseconds only, each with perf events and with thread timers, at 10 ms and at 1 ms. The truth is the process's CPU clock,
which the kernel keeps exactly (getrusage() reports the same time rounded to ticks). It is read at moments while the recording
runs, and compared with the weights of the samples whose time lies between two such moments: so neither the time it takes to
start and stop nor a busy machine blurs the comparison. A second column compares the weights in the file with the total that
the agent reports: nothing may be lost on the way.

Environment: SECONDS (default 10) a window, PAIRS (default 3) windows for each line.
"""

import os
import sys
import time

sys.dont_write_bytecode = True
import jfr
import lab
import pairs

LIMIT = 0.02


def moment(pid):
    """(ns since 1970, CPU ns of the process) read within 50 us of each other, if the machine lets us."""
    best = None
    for _ in range(50):
        before = time.time_ns()
        cpu = lab.process_cpu_ns(pid)
        after = time.time_ns()
        if best is None or after - before < best[0]:
            best = after - before, (before + after) // 2, cpu
        if best[0] < 50_000:
            break
    return best[1:]


def weight_between(timeline, begin, end):
    return sum(weight for at, weight in timeline if begin <= at < end)


def line(kind, engine, interval, length, count):
    wick = lab.Wick()
    with lab.scratch("accounting") as folder, lab.Target("wick.demo.Steady", 4, 50, 4, kind, jvm=["-Xmx256m"]) as target:
        file = f"{folder}/a.jfr"
        wick.start(target.pid, file, engine, interval)
        time.sleep(0.5)
        moments = [moment(target.pid)]
        for _ in range(count):
            time.sleep(length)
            moments.append(moment(target.pid))
        running = wick.status(target.pid)
        wick.stop(target.pid)
        total = wick.status(target.pid)
        timeline = [(fields["startTime"], weight) for _, weight, fields in jfr.Recording(file).samples()]
    if not moments[0][0] < timeline[len(timeline) // 2][0] < moments[-1][0]:
        raise lab.Failed("the times in the recording are not those of the windows")
    recorded = sum(weight for _, weight in timeline)
    windows = [(weight_between(timeline, m[0], n[0]), n[1] - m[1]) for m, n in zip(moments, moments[1:])]
    ratios = [weight / cpu for weight, cpu in windows]
    lab.say(f"{kind} {running.get('engine', engine)} {interval}: {ratios}")
    worst = max(abs(ratio - 1) for ratio in ratios)
    return [
        f"{kind}, {running.get('engine', engine)}, {interval}",
        f"{sum(cpu for _, cpu in windows) / 1e9:.2f} s",
        lab.spread(ratios, "{:.4f}"),
        f"{recorded / total['weight']:.6f}",
        f"{total['samples']}",
        f"{total['dropped']}",
        "yes" if worst <= LIMIT else "no",
    ]


def measure():
    length, count = lab.seconds(10), int(os.environ.get("PAIRS", "3"))
    rows = [
        line(kind, engine, interval, length, count)
        for kind in ("busy", "churn")
        for engine in ("cpu-clock", "ctimer")
        for interval in ("10ms", "1ms")
    ]
    headings = ["program, engine, interval", "CPU time", "weight / CPU time, median (range)", "file / total", "samples", "drops", "within 2 %"]
    print(pairs.table(rows, headings))


if __name__ == "__main__":
    lab.main(measure)
