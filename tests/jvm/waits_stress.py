#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 21 25
# ci: 25
"""Locks and safepoints are recorded while threads wait at the end of their stacks, end while they wait, recordings begin
and end, and at last the JVM itself ends in the middle of one."""
import re
import time

import jvmtest as t

classes = t.compile_java("Depths")
CYCLES = 25
dynamic = ["-XX:+EnableDynamicAgentLoading"] if t.JDK >= 21 else []


def counts(j):
    said = j.ask("", r"(\d+ overflows .*)")
    m = re.match(r"(\d+) overflows (\d+) short lives, wrong: null", said or "")
    return [int(v) for v in m.groups()] if m else None


def jvm(name, *options):
    j = t.Jvm([*options, *dynamic, "-Xmx128m", "-cp", classes, "Depths"], name)
    t.check(f"{name}: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    return j


def cycles():
    j = jvm("cycles")
    file, failed = t.path("cycle.jfr"), []
    signals = [j.caught(s) for s in range(1, 65)]
    for i in range(CYCLES):
        r = t.start(j.pid, file, "-e", ("lock=/1us", "lock,ttsp", "ttsp", "cpu,lock=/1us,ttsp")[i % 4])
        time.sleep(0.02 * (i % 5))
        q = t.stop(j.pid)
        if r.status or q.status:
            failed.append((i, r, q))
    t.check("cycles: recordings begin and end", not failed and j.proc.poll() is None, f"{failed} {j.output()[-3000:]}")
    before = counts(j)
    t.start(j.pid, file, "-e", "lock=/1us,ttsp")
    now = before

    def enough():
        nonlocal now
        now = counts(j)
        return not now or not before or (now[0] > before[0] + 1 and now[1] > before[1])
    t.until(lambda: enough() and t.status(j.pid).get("park_waits", 0) > 50, t.HANGS, 0.2)
    status = t.status(j.pid)
    q = t.stop(j.pid)
    t.check("cycles: stacks overflow and threads end as before", before and now and now[0] > before[0] + 1 and
            now[1] > before[1], (before, now, j.output()[-2000:]))
    t.check("cycles: waits were recorded at the same time", q.status == 0 and status.get("park_waits", 0) > 50, status)
    t.check("cycles: no signal handler stays", signals == [j.caught(s) for s in range(1, 65)])
    j.proc.stdin.close()
    t.check("cycles: the JVM ends as it should", j.wait() == 0, j.output()[-3000:])


def death(n):
    """The JVM exits while a recording runs, which must be whole."""
    file = t.path(f"death{n}.jfr")
    j = jvm(f"death{n}", f"-agentpath:{t.AGENT}=start,event=lock=/1us\\,ttsp\\,cpu,file={file}")
    t.until(lambda: "deep-0" in t.wick("convert", file, "--to", "collapsed", "-t", "-o", "-").out)
    time.sleep(0.3 * n)
    j.proc.stdin.close()
    t.check(f"death{n}: the JVM ends as it should", j.wait() == 0, j.output()[-3000:])
    r = t.wick("locks", file)
    t.check(f"death{n}: the recording is whole", r.status == 0 and "deep-0" in t.wick("convert", file, "--to", "collapsed",
                                                                                 "-t", "-o", "-").out, r)


cycles()
for n in range(3):
    death(n)
t.done()
