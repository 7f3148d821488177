#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explaincost.py - what `wick explain PID` costs a program while it records

Three programs that count their own work: hashing and streams under 50 calls (the demo's), javac over small files, and a service
with its clients, whose requests are spans, wait, allocate and take a contended lock. Each runs in several JVMs, one after another, each
warmed up: what the JIT compiler makes of a program differs from JVM to JVM by more than windows in one of them do. Windows with
`wick explain PID`, with `wick record -e cpu` at its defaults, and without either alternate, in an order that turns round every time. Each
window with a recording is divided by the two without one around it, and the two sides of a turn, which are neighbours in time, by each other: the
last is what the evidence costs that explain takes beyond a CPU profile.

Work is counted in two ways: for each second of the process's own CPU time, which has all that the profiler does inside the
program, and for each second of the clock, which also has what the command takes from it on a machine without a CPU to spare.
The windows begin when the recording runs, and end before it does: the command's own analysis, which follows, is given apart,
as CPU time of the command.

The intervals are of all turns as if they were of one JVM; beside them stands the median of each JVM, which says how far these agree.

Environment: JVMS (default 3), PAIRS (default 5) turns in each, SECONDS (default 5) a window, PARTS (default "steady javac service").
"""

import os
import re
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import lab
import overhead
import pairs

SETTLE_SECONDS = 2
MARGIN_SECONDS = 1
PATIENCE_SECONDS = 60
JAVAC_SOURCES = 60
WAYS = ("CPU s", "s")


def is_recorded(pid):
    """Also where the agent is not in the process yet, or ends its recording just now."""
    return re.search(r"^running=1$", lab.run(lab.WICK, "status", pid, check=False), re.MULTILINE)


class Recording:
    """A command of wick that records for a given time and ends."""

    def __init__(self, name, *words):
        self.name, self.words = name, [str(lab.WICK), *words]
        self.cpu_s = []

    def start(self, pid, length):
        self.pid = pid
        command = [*self.words, "-d", f"{SETTLE_SECONDS + length + MARGIN_SECONDS:g}s", str(pid)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE_SECONDS
        while not is_recorded(pid):
            if self.process.poll() is not None or time.monotonic() > until:
                raise lab.Failed(f"{self.name} did not begin to record")
            time.sleep(0.05)
        self.ends = time.monotonic() + SETTLE_SECONDS + length + MARGIN_SECONDS
        time.sleep(SETTLE_SECONDS)

    def stop(self):
        if time.monotonic() > self.ends or not is_recorded(self.pid):
            raise lab.Failed(f"{self.name}: the window was longer than the recording")
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode:
            raise lab.Failed(f"{self.name} ended with status {self.process.returncode}")
        self.cpu_s.append(usage.ru_utime + usage.ru_stime)


def window(target, length):
    """Work for each second of the process's CPU time, and of the clock."""
    work, cpu, clock = int(target.ask("?")), lab.process_cpu_ns(target.pid), time.monotonic_ns()
    time.sleep(length)
    work, cpu, clock = int(target.ask("?")) - work, lab.process_cpu_ns(target.pid) - cpu, time.monotonic_ns() - clock
    return work / cpu * 1e9, work / clock * 1e9


def alternate(name, target, sides, count, length):
    """{side: [((work without), (work with)) of each turn]}, both in two ways."""
    found = {side.name: [] for side in sides}
    off = window(target, length)
    for turn in range(count):
        for side in sides if turn % 2 == 0 else reversed(sides):
            side.start(target.pid, length)
            on = window(target, length)
            side.stop()
            off_after = window(target, length)
            around = tuple((x + y) / 2 for x, y in zip(off, off_after))
            found[side.name].append((around, on))
            lab.say(f"{name}, {side.name}: lost " + ", ".join(f"{100 * (1 - y / x):.2f} % by {way}" for x, y, way in zip(around, on, WAYS)))
            off = off_after
    return found


def rows_of(name, runs):
    """One row for each comparison, of all turns of all JVMs."""
    profile, explain = runs[0]
    found = {side: [turn for run in runs for turn in run[side]] for side in runs[0]}
    (_, a), (_, b) = found.items()

    def each(off, on):
        """The medians of the JVMs, whose turns follow one another."""
        count = len(off) // len(runs)
        parts = (slice(i * count, (i + 1) * count) for i in range(len(runs)))
        return ", ".join(f"{100 * (1 - statistics.median(y / x for x, y in zip(off[p], on[p]))):.2f}" for p in parts) + " %"

    for i, way in enumerate(WAYS):
        share = {}
        for side, turns in found.items():
            off, on = ([turn[k][i] for turn in turns] for k in (0, 1))
            share[side] = [y / x for x, y in zip(off, on)]
            yield [f"{name}: {side} against nothing", f"{statistics.median(off):.5g} a {way}", *pairs.Comparison(off, on).lost(), each(off, on), str(len(on))]
        both = share[profile], share[explain]
        yield [f"{name}: {explain} against {profile}", f"by {way}", *pairs.Comparison(*both).lost(), each(*both), str(len(a))]


def compiled_by_17(source):
    """Whether JDK 17 or an older one can compile a program of bench/causes."""
    return int(re.search(r"^// jdk: (\d+)", source.read_text(encoding="utf-8"), re.MULTILINE)[1]) <= 17


def steady(_folder):
    return lab.Target("wick.demo.Steady", overhead.THREADS, 50, overhead.WARM_UP_SECONDS, jvm=["-Xmx256m"])


def javac(folder):
    sources = [s for s in sorted((lab.ROOT / "bench" / "causes").glob("*.java")) if compiled_by_17(s)][:JAVAC_SOURCES]
    with open(f"{folder}/sources", "w", encoding="utf-8") as f:
        f.writelines(f"{source}\n" for source in sources)
    return lab.Target("wick.bench.CompileEach", f"{folder}/sources", lab.API_JAR, folder, overhead.WARM_UP_SECONDS, jvm=["-Xmx256m"])


def service(_folder):
    return lab.Target("wick.bench.Serves", 48, 24, 100, overhead.WARM_UP_SECONDS, jvm=["-Xmx256m"])


PROGRAMS = {"steady": steady, "javac": javac, "service": service}


def measure():
    count, length, jvms = int(os.environ.get("PAIRS", "5")), lab.seconds(5), int(os.environ.get("JVMS", "3"))
    parts = os.environ.get("PARTS", " ".join(PROGRAMS)).split()
    unknown = [part for part in parts if part not in PROGRAMS]
    if unknown:
        raise lab.Failed(f"no part {unknown[0]}; there are: {' '.join(PROGRAMS)}")
    rows, costs = [], []
    for part in parts:
        with lab.scratch("explaincost") as folder:
            sides = [Recording("record -e cpu", "record", "-q", "-e", "cpu", "-f", f"{folder}/cpu.jfr"), Recording("explain", "explain", "--json")]
            runs = []
            for jvm in range(1, jvms + 1):
                with PROGRAMS[part](folder) as target:
                    runs.append(alternate(f"{part}, JVM {jvm}", target, sides, count, length))
            rows += rows_of(part, runs)
        costs += [[part, side.name, lab.spread(side.cpu_s, "{:.2f}")] for side in sides]
    print(pairs.table(rows, ["program", "work without", "lost", "95 % interval", "each JVM", "pairs"]))
    seconds = SETTLE_SECONDS + length + MARGIN_SECONDS
    print("\n" + pairs.table(costs, ["program", "command", f"CPU s of the command for {seconds:g} s, its analysis included: median (range)"]))


if __name__ == "__main__":
    lab.main(measure)
