#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21 25
"""Stacks of virtual threads are whole: the frames on the stack, those frozen in the heap, a boundary, the carrier's. Of at least 1,000
samples, 5,000 of a crowd, as many as is credible at t.FALSE_ALARM where the share is what each check names."""

import jvmtest as t
from heapcheck import jcmd

DEPTH = 20
STUBS = ("cont_", "cont thaw")  # of JDK 25; of 21 to 24, "Cont thaw return barrier"
BOUNDARY = "[virtual thread above, carrier below]"
GAP = "[broken: virtual thread frame]"
classes = t.compile_java("VDeep")
FORMS = [("compiled", []), ("interpreted", ["-Xint"]), ("C1 only", ["-XX:TieredStopAtLevel=1"]),
         ("plain references", ["-XX:+UseParallelGC", "-XX:-UseCompressedOops"]),
         ("Z", ["-XX:+UseZGC"]), ("Shenandoah", ["-XX:+UseShenandoahGC"])]
if t.JDK == 21:
    FORMS.append(("generational Z", ["-XX:+UseZGC", "-XX:+ZGenerational"]))


def enough(pid):
    """Waits until there is something to judge by, however slow the machine is."""
    t.until(lambda: t.status(pid).get("samples", 0) >= 1000, 240)


def seen_from_outside(j):
    """Whether `wick stack` once shows all calls with most of them frozen, a boundary with the thread's id, and the carrier. Z may
    have moved frozen frames that the program has not used since; then the stack has a gap, and the next collection repairs the
    references to them."""
    whole, said = [], ""

    def look():
        nonlocal said
        if GAP in said:
            jcmd(j, "GC.run")
        for block in t.wick("stack", j.pid).out.split("\n\n"):
            above, _, below = block.partition("-- virtual thread \"\" id=")
            if "VDeep.burn" not in above:
                continue
            said = block
            if above.count("VDeep.down") == DEPTH and "enterSpecial" not in above and "VirtualThread.run" in above \
                    and "ForkJoinWorkerThread.run" in below and "carries virtual thread \"\" id=" + below.split()[0] in above:
                whole.append(block)
        return whole
    return t.until(look, 240), whole[0] if whole else said


def is_whole(frames):
    """root first: carrier, boundary (or enterSpecial, if all is on the stack), run of the virtual thread, calls"""
    bare = [x.replace("/", ".") for x in frames]
    boundary = next((i for i, x in enumerate(bare) if x == BOUNDARY or "enterSpecial" in x), None)
    return boundary is not None and any("ForkJoinWorkerThread.run" in x for x in bare[:boundary]) \
        and any("VirtualThread.run" in x for x in bare[boundary + 1:])


def examine(title, options):
    file = t.path("v.jfr")
    load = f"-agentpath:{t.AGENT}=start,interval=1ms,file={file}"
    j = t.Jvm([load, *options, "-Xmx128m", "-cp", classes, "VDeep", str(DEPTH)], "v")
    if not t.check(f"{title}: the JVM runs", j.wait_for(r"(?m)^up"), j.output()):
        return
    enough(j.pid)
    outside, block = seen_from_outside(j)
    t.check(f"{title}: also whole from outside, with its id", outside, block)
    t.stop(j.pid)
    rows = [(f, n) for f, n in t.stacks(file, annotate=False, samples=True) if any("VDeep.burn" in x for x in f)]
    total = t.weight_of(rows)
    calls = t.weight_of([r for r in rows if sum("VDeep.down" in x for x in r[0]) == DEPTH])
    t.check(f"{title}: all {DEPTH} calls are there", calls >= t.least_of(total, 0.98) > 0,
            f"{calls} of {total}\n" + "\n".join(";".join(f)[:900] for f, _ in rows[:3]))

    whole = t.weight_of([r for r in rows if is_whole(r[0])])
    t.check(f"{title}: carrier below, virtual thread above a boundary", whole >= t.least_of(total, 0.98) > 0,
            f"{whole} of {total}\n" + "\n".join(";".join(f)[:900] for f, _ in rows[:3]))
    frozen = t.weight_of([r for r in rows if BOUNDARY in r[0]])
    t.check(f"{title}: most of them were frozen", frozen >= t.least_of(total, 0.5) > 0, f"{frozen} of {total}")
    s = t.status(j.pid)
    t.check(f"{title}: hardly a gap", s["gaps"] <= t.most_of(s["samples"], 0.02) and
            s["broken"] <= t.most_of(s["samples"], 0.01), s)
    j.kill()


def crowd():
    """30,000 virtual threads that wait, come back frame by frame, and meet methods that are compiled and deoptimised. What
    puts their frames back, and what unpacks a deoptimised frame, is walked through: 1.1 % of these stacks broke without;
    now fewer than 0.2 % do."""
    file = t.path("crowd.jfr")
    load = f"-agentpath:{t.AGENT}=start,interval=1ms,file={file}"
    j = t.Jvm([load, "-Xmx512m", "-cp", t.compile_java("VCrowd"), "VCrowd", "30000"], "crowd")
    j.wait_for(r"(?m)^up")
    t.until(lambda: t.status(j.pid).get("samples", 0) >= 5000, 240)
    s = t.status(j.pid)
    t.stop(j.pid)
    j.kill()
    t.check("crowd: hardly a gap", s["samples"] >= 1000 and s["gaps"] + s["broken"] <= t.most_of(s["samples"], 0.002, 2), s)
    back = [r for r in t.stacks(file, annotate=False, samples=True) if any(x.lower().startswith(STUBS) for x in r[0])]
    met = t.weight_of(back)
    t.check("crowd: the stubs that put frames back were met", met >= t.least_of(5000, 0.01) > 0, met)
    broken = [r for r in back if not is_whole(r[0])]
    silent = [f for f, _ in back if BOUNDARY in f and not is_whole(f) and not any(x.startswith("[broken") for x in f)]
    t.check("crowd: what is missing is named", t.least_of(met, 0.99) <= met - len(silent), silent[:1])
    t.check("crowd: and stacks through them are whole, but for a few that a walk cannot resolve", t.weight_of(broken) <= t.most_of(met, 0.1),
            f"{t.weight_of(broken)} of {met}\n" + "\n".join(";".join(f)[:900] for f, _ in broken[:3]))
    wrong = [f for f, _ in back for a, b in zip(f, f[1:]) if b.lower().startswith(STUBS) and a.endswith(".nanoTime")]
    t.check("crowd: they are called by what waits in the heap, not by what lay there before", not wrong, wrong[:1])


for name, how in FORMS:
    examine(name, how)
crowd()
t.done()
