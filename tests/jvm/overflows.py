#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""CPU time of threads whose signals are blocked: by HotSpot, when stacks overflow in a loop, with ZGC, and by native code, for
300 ms of each 320. A delayed signal must not take CPU time with it.

The threads are born and end within the recording, so a thread's weight is its CPU time but for the interval that was not
over: at most one interval more or less, whatever the random phase. So nothing here is statistical, and no machine is too
crowded for it: at intervals below 1 ms, a ring has room for three seconds of a CPU's samples, and all threads together
work for four on all CPUs. 2 % is what wick promises; a thread reads its own clock before it ends, and its end is a few
tenths of a millisecond of the second that it works.

ROUNDS in the environment repeats all of it, for a series (docs/benchmarks.md)."""
import os

import jvmtest as t

MS = 1_000_000
COUNT, EACH_MS = 3, 1000
PROGRAMS = {"burn": "overflow", "block": "blocked"}
LEAST = {"burn": 20 * COUNT, "block": 2 * COUNT}  # overflows, turns
classes = t.compile_java("Overflows")


def check_thread(title, rows, name, truth, interval_ms):
    mine = [r for r in rows if r[0][0].startswith(f"[{name} ")]
    seen, end = t.weight_of(mine), t.weight_of([r for r in mine if any("[not sampled" in f for f in r[0])])
    t.check(title + "weights sum up to its CPU time", abs(seen - truth) <= 0.02 * truth + interval_ms * MS,
            f"weights {seen / 1e9:.3f} s, CPU {truth / 1e9:.3f} s")
    t.check(title + "samples stand for it", end <= 0.02 * truth + 2 * interval_ms * MS,
            f"{end / 1e9:.3f} s of {seen / 1e9:.3f} s without a sample")
    print(f"# {title}{seen / truth - 1:+.2%} of {truth / 1e9:.3f} s, {end / 1e9:.3f} s without a sample")


def check(program, interval_ms):
    title = f"{program} at {interval_ms} ms: "
    j = t.Jvm(["-Xmx256m", "-XX:+UseZGC", "-cp", classes, "Overflows", t.NATIVE], "overflows")
    j.wait_for("(?m)^up")
    file = t.path(f"{program}{interval_ms}.jfr")
    r = t.start(j.pid, file, "-e", "cpu", "-i", f"{interval_ms * 1000:.0f}us")
    if not t.check(title + "starts", r.status == 0, r):
        return j.kill()
    answer = j.ask(f"{program} {COUNT} {EACH_MS}", r"burnt ([\d ]+)", 300)
    t.stop(j.pid)
    j.kill()
    if not t.check(title + "the threads end", answer, j.output()):
        return
    *used, times = [int(n) for n in answer.split()]
    t.check(title + "signals were blocked in each thread many times", times >= LEAST[program], times)
    if interval_ms < 1:  # the first flush, which takes half a second or more, used to lose samples
        full = [e for e in t.events(file, "wick.Drops") if e["name"] == "ring_full"]
        t.check(title + "each sample found room until it was written", not full, full)
    rows = t.stacks(file)
    for i, truth in enumerate(used):
        check_thread(f"{title}thread {i}: ", rows, f"{PROGRAMS[program]}-{i}", truth, interval_ms)


for _ in range(int(os.environ.get("ROUNDS", "1"))):
    for what in [("burn", 1), ("burn", 10), ("block", 1), ("block", 0.2), ("block", 0.1)]:
        check(*what)
    if "ROUNDS" in os.environ:
        check("burn", 0.2)
        check("burn", 0.1)
        check("block", 10)
t.done()
