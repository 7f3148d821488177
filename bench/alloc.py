#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""alloc.py - allocated, live and native bytes: how right the estimates are, and what sampling objects costs

A program allocates known amounts, from 16 bytes to 8 MiB an object, at one method each (bench/java/wick/bench/Allocates.java). Each run
is a JVM of its own, since the JVM draws its gaps from the address of the thread that was started last: several recordings of one JVM
have the same samples. `wick top --json` has bytes and their 95 % interval by method. Reported for each event and size: the mean error over all
runs, the spread of a run, and how often the interval has the truth. Native memory of small blocks has the JVM's own among it.
From JDK 25 on sizes alternate; before it one comes after the other, since the JVM counts mixed sizes twice (docs/memory.md).

Then the cost: CPU time of the thread for an object of 64 bytes, in turns with and without `-e alloc` and `--live` at their defaults; the same with
the peer.

Environment: EVENTS (default "alloc live nativelive"); RUNS (default 200) recordings of each event; MIB (default 64) of each size in one; INTERVAL (default 64k); PAIRS (default 7)
turns for the cost, 0 = none (accuracy does not depend on a quiet machine), SECONDS (default 3) of about 20 million objects each.
"""

import json
import math
import os
import statistics
import sys

sys.dont_write_bytecode = True
import lab
import locks
import nativemem
import pairs

# event: (options of wick start, line, most KiB of each size)
EVENTS = {"alloc": (["-e", "alloc=INTERVAL"], "drop", None), "live": (["-e", "live", "--alloc", "INTERVAL"], "keep", 64 << 10),
          "nativelive": (["-e", "nativemem=INTERVAL"], "native", None)}
SITES = {"alloc": ("b16", "b128", "k1", "k32", "k512", "m8"), "live": ("b16", "b128", "k1", "k32"), "nativelive": ()}


def by_method(file, event):
    rows = json.loads(lab.output(lab.WICK, "top", "--json", "-n", "0", "-e", event, file))["rows"]
    return {r["name"].rsplit(".", 1)[-1]: r for r in rows if "Allocates." in r["name"]}


def one_run(target, event, interval, kib, folder):
    """[(site, truth, estimate, low, high)]"""
    options, line, most = EVENTS[event]
    file = f"{folder}/run.jfr"
    words = [o.replace("INTERVAL", interval) for o in options]
    lab.run(lab.WICK, "start", "-q", *words, "--alloc-rate", "0", "--ring", "16384", "-f", file, target.pid)
    if event == "alloc" and version() < 25:
        line = "each"
    answer = target.ask(f"{line} {min(kib, most) if most else kib}").split()
    lab.run(lab.WICK, "stop", "-q", target.pid)
    truth = {k: int(v) for k, v in (w.split("=") for w in answer[1:])}
    found = by_method(file, event)
    if not SITES[event]:  # nothing is freed, so what was allocated is the same, and has an interval
        kinds = [("alive", found.get("some", {})), ("allocated", by_method(file, "nativemem").get("some", {}))]
        os.unlink(file)
        return [(f"all sizes, {what}", sum(truth.values()), r.get("total", 0), r.get("total_low", 0), r.get("total_high", 0))
                for what, r in kinds]
    os.unlink(file)
    return [(s, truth[s], r.get("self", 0), r.get("self_low", 0), r.get("self_high", 0)) for s in SITES[event] for r in [found.get(s, {})]]


def version():
    said = lab.run(lab.java(), "-version").split('"')[1].split(".")
    return int(said[1] if said[0] == "1" else said[0])


def row_of(event, site, rows):
    errors = [100 * (e / t - 1) for t, e, _, _ in rows]
    known = any(high for _, _, _, high in rows)
    inside = sum(low <= t <= high for t, e, low, high in rows) / len(rows)
    spread = statistics.stdev(errors) if len(errors) > 1 else 0
    return [event, site, f"{rows[0][0] / 2**20:.0f}", f"{statistics.mean(errors):+.2f} +- {1.96 * spread / math.sqrt(len(errors)):.2f}",
            f"{spread:.2f}", f"{100 * inside:.1f}" if known else "-", str(len(rows))]


def accuracy(folder):
    runs, kib, interval = int(os.environ.get("RUNS", "200")), int(os.environ.get("MIB", "64")) << 10, os.environ.get("INTERVAL", "64k")
    table = []
    for event in os.environ.get("EVENTS", " ".join(EVENTS)).split():
        found = {}
        for turn in range(runs):
            with lab.Target("wick.bench.Allocates", jvm=["-Xmx1g", "-XX:+UseParallelGC"]) as target:
                for site, *figures in one_run(target, event, interval, kib, folder):
                    found.setdefault(site, []).append(figures)
            if turn % 20 == 19:
                lab.say(f"{event}: {turn + 1} of {runs} runs")
        table += [row_of(event, site, rows) for site, rows in found.items()]
    print(pairs.table(table, ["event", "size", "MiB a run", "mean error, %", "spread of a run, %", "interval has the truth, %", "runs"]))


class Sampling(locks.Locks):
    def __init__(self, name, *options):
        super().__init__()
        self.name, self.options = name, options

    def start(self, pid, file, event="", *more):
        lab.run(lab.WICK, "start", "-q", *self.options, "-f", file, pid)


class Peer(locks.Peer):
    def __init__(self, peer, name, *options):
        super().__init__(peer)
        self.name, self.options = f"{peer.name}: {name}", options

    def start(self, pid, file):
        lab.run(self.peer.command, "start", *self.options, "-f", file, pid)


class Cpu:
    """The first word of the program's answers: nanoseconds."""

    def __init__(self, target):
        self.target, self.pid = target, target.pid

    def ask(self, line):
        return self.target.ask(line).split()[0]


def cost(folder):
    count, peer = int(os.environ.get("PAIRS", "7")), lab.peer()
    kib = int(lab.seconds(3) * 20e6) * 64 >> 10
    rows = []
    profilers = [Sampling("-e alloc", "-e", "alloc"), Sampling("-e alloc --live", "-e", "alloc", "--live")]
    if peer:
        profilers += [Peer(peer, "alloc", "-e", "alloc"), Peer(peer, "alloc, live", "-e", "alloc", "--live")]
    for profiler in profilers:
        with lab.Target("wick.bench.Allocates", jvm=["-Xmx256m"]) as target:
            cpu = Cpu(target)
            cpu.ask(f"small {kib}")
            rows.append(nativemem.row_of(profiler.name, *nativemem.alternate(cpu, f"small {kib}", (kib << 10) // 64, profiler, folder, count)))
    print(pairs.table(rows, ["an object of 64 bytes, ns of CPU time", "without", "with", "more", "range", "pairs"]))
    print(f"\nasync-profiler {peer.version()}" if peer else f"\n{lab.NO_PEER}")


def measure():
    with lab.scratch("alloc") as folder:
        accuracy(folder)
        if os.environ.get("PAIRS") != "0":
            print()
            cost(folder)


if __name__ == "__main__":
    lab.main(measure)
