#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 11
"""A thread that stops at a safepoint poll in a loop is seen there: the return address is on the stack only later, and a walk that
searches for it finds that of some caller, or none."""
import jvmtest as t

SAMPLES = 3000
LEAST = 8  # of these: 35 on a quiet machine, of which 30 are broken without the place that the thread keeps
# JDK 8 skips safepoints that nobody asked for: collections make them.
OPTIONS, WORKERS = (["-XX:+UseSerialGC", "-Xmn1m"], ["spin=2", "alloc"]) if t.JDK == 8 else \
    (["-XX:+UnlockDiagnosticVMOptions", "-XX:GuaranteedSafepointInterval=1", "-XX:+SafepointALot"], ["spin=2"])

classes = t.compile_java("Busy")
file = t.path("polls.jfr")
j = t.Jvm([*OPTIONS, "-Xmx128m", f"-Dnative={t.NATIVE}", "-cp", classes, "Busy", *WORKERS], "busy")
t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())
t.start(j.pid, file, "-i", "1ms")


def at_polls(recording):
    """Stacks of threads on their way into a safepoint, by number."""
    return [(f, n) for f, n in t.stacks(recording, samples=True) if f[0].startswith("[spin") and any(x.startswith("SafepointBlob") for x in f)]


def enough():
    """How many safepoints there are for a second of CPU time is up to the scheduler."""
    if t.status(j.pid)["samples"] < SAMPLES:
        return False
    t.wick("dump", "--force", "-q", "-f", t.path("so-far.jfr"), j.pid)
    return t.weight_of(at_polls(t.path("so-far.jfr"))) >= LEAST


t.until(enough, 300, 0.5)
t.stop(j.pid)
at = at_polls(file)
caller = [f[next(i for i, x in enumerate(f) if x.startswith("SafepointBlob")) - 1] for f, _ in at]
t.check("threads were sampled on their way into a safepoint", t.weight_of(at) >= LEAST, at)
t.check("the loop is below all of them", all(x.startswith("Busy.") for x in caller), caller)
t.check("and no walk breaks there", not any("[broken" in x for f, _ in at for x in f), at)
t.done()
