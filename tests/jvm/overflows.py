#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""CPU time where HotSpot blocks signals: threads that overflow their stacks in a loop, with ZGC. A delayed signal
must not take CPU time with it.

The threads are born and end within the recording, so a thread's weight is its CPU time but for the interval that was not
over: at most one interval more or less, whatever the random phase. So nothing here is statistical, and no machine is too
crowded for it. 2 % is what wick promises; a thread reads its own clock before it ends, and its end is a few tenths of a
millisecond of the second that it works."""
import jvmtest as t

MS = 1_000_000
COUNT, EACH_MS = 3, 1000
classes = t.compile_java("Overflows")


def check(engine, interval_ms):
    title = f"-e {engine} at {interval_ms} ms: "
    j = t.Jvm(["-Xmx256m", "-XX:+UseZGC", "-cp", classes, "Overflows"], "overflows")
    j.wait_for("(?m)^up")
    file = t.path(f"{engine}{interval_ms}.jfr")
    r = t.start(j.pid, file, "-e", engine, "-i", f"{interval_ms}ms")
    if not t.check(title + "starts", r.status == 0, r):
        return j.kill()
    answer = j.ask(f"burn {COUNT} {EACH_MS}", r"burnt ([\d ]+)", 300)
    t.stop(j.pid)
    j.kill()
    if not t.check(title + "the threads end", answer, j.output()):
        return
    *used, overflows = [int(n) for n in answer.split()]
    t.check(title + "stacks overflowed in each thread many times", overflows >= 20 * COUNT, overflows)
    rows = t.stacks(file)
    for i, truth in enumerate(used):
        mine = [r for r in rows if r[0][0].startswith(f"[overflow-{i} ")]
        seen, end = t.weight_of(mine), t.weight_of([r for r in mine if any("[not sampled" in f for f in r[0])])
        t.check(title + f"thread {i}: weights sum up to its CPU time", abs(seen - truth) <= 0.02 * truth + interval_ms * MS,
                f"weights {seen / 1e9:.3f} s, CPU {truth / 1e9:.3f} s")
        t.check(title + f"thread {i}: samples stand for it", end <= 0.02 * truth + 2 * interval_ms * MS,
                f"{end / 1e9:.3f} s of {seen / 1e9:.3f} s without a sample")
        print(f"# {title}thread {i}: {seen / truth - 1:+.2%} of {truth / 1e9:.3f} s, {end / 1e9:.3f} s without a sample")


for what in [("cpu", 1), ("cpu", 10)]:
    check(*what)
t.done()
