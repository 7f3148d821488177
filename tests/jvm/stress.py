#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 21 25
# ci: 25
# timeout: 4000
"""All engines at once, CPU time every 100 us, while classes come and go, code is thrown away, threads churn: no crash, no hang, no lost thread.

WICK_STRESS_SECS says for how long (20)."""
import os
import re
import resource
import time

import jvmtest as t

BURST = 50  # broken walks that may have one cause: a place that cannot be walked from, in which a thread is for 5 ms at most
SECONDS = int(os.environ.get("WICK_STRESS_SECS", "20"))
classes = t.compile_java("Stress")
file = t.path("stress.jfr")
j = t.Jvm(["-Xmx256m", f"-agentpath:{t.AGENT}=start,event=cpu,wall=5ms,ttsp,interval=100us,chunktime=5s,memlimit=16m,file={file}",
           "-XX:ErrorFile=" + t.path("hs_err.log"), "-cp", classes, "Stress", str(SECONDS)], "stress")


def children_seconds():
    """CPU time of children that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


end = time.monotonic() + SECONDS - 2
s, fired, in_flight = {}, [], []
while time.monotonic() < end and j.proc.poll() is None:
    time.sleep(1)
    now = t.status(j.pid)
    if "fired" in now and j.proc.poll() is None:
        s = now
        fired.append(now["fired"])
        in_flight.append(now["fired"] - now["samples"] - now["dropped"])
before = children_seconds()
status = j.wait(SECONDS + t.HANGS)
used = children_seconds() - before  # by the JVM, all its life
counts = dict(re.findall(r"(\w+)=(\d+)", j.output().splitlines()[-1] if j.output() else ""))
t.check("it ends by itself, with success", status == 0 and "done" in j.output(), f"{status}\n{j.output()[-3000:]}")
t.check("no thread was lost", counts.get("lost") == "0", j.output()[-3000:])
for what in ("loaded", "deopts", "threads", "thrown", "garbage") + (("virtual",) if t.JDK >= 21 else ()):
    t.check(f"work was done: {what}", int(counts.get(what, 0)) > 0, counts)
# More are in flight where the thread that adds up the counters of the processors loses its own; a sample that is lost is missing for ever.
t.check("the counts balanced shortly before", min(in_flight) >= 0 and min(in_flight[-5:]) <= 32, in_flight)
# How many is up to the machine; the kernel takes fewer when they take too much of its time, and they then weigh more.
# 1,000 are a tenth of a second of CPU time; a thread or an engine that is lost on the way adds none in the second half.
t.check("many samples were taken, to the end", len(fired) > 2 and s["fired"] > 1000 and fired[-1] - fired[len(fired) // 2] > 100, fired)
t.check("no more than 0.5 % of the walks broke", s["broken"] <= t.most_of(s["samples"], 0.005, BURST), s)
# The kernel accounts for what the JVM did after its last sample, until it ended; at 100 us chance has no part in the sum.
total = next(e for e in reversed(t.events(file, "wick.SampleTotals")) if e["type"] == "cpu")
sampled = (int(total["weight"]) + int(total["droppedWeight"])) / 1e9
print(f"# {used:.2f} s of CPU time used, {sampled:.2f} s sampled or dropped ({sampled / used - 1:+.2%})")
t.check("its CPU time is sampled, within 2 % and what its end takes", abs(sampled - used) <= 0.02 * used + 0.25, (sampled, used))
t.check("the recording can be read", t.weight_of(t.stacks(file)) > 0)
complaints = t.jfr_complaints(file, events=False)
t.check("and the JDK's tool has no complaint", not complaints, complaints)
t.done()
