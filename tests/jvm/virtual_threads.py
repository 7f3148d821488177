#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21 25
"""Stacks of virtual threads are whole: the frames on the stack, those frozen in the heap, a border, the carrier's."""
import time

import jvmtest as t

DEPTH = 20
STUBS = ("cont_", "cont thaw")  # of JDK 25; of 21 to 24, "Cont thaw return barrier"
BORDER = "[virtual thread above, carrier below]"
classes = t.compile_java("VDeep")
FORMS = [("compiled", []), ("interpreted", ["-Xint"]), ("C1 only", ["-XX:TieredStopAtLevel=1"]),
         ("plain references", ["-XX:+UseParallelGC", "-XX:-UseCompressedOops"]),
         ("Z", ["-XX:+UseZGC"]), ("Shenandoah", ["-XX:+UseShenandoahGC"])]
if t.JDK == 21:
    FORMS.append(("generational Z", ["-XX:+UseZGC", "-XX:+ZGenerational"]))


def enough(pid):
    """Waits until there is something to judge by, however slow the machine is."""
    end = time.monotonic() + 60
    while time.monotonic() < end and t.status(pid).get("samples", 0) < 1000:
        time.sleep(0.2)


def seen_from_outside(pid):
    """Whether `wick stack` once shows all calls with most of them frozen, a border with the thread's id, and the carrier."""
    end, said = time.monotonic() + 60, ""
    while time.monotonic() < end:
        for block in t.wick("stack", pid).out.split("\n\n"):
            above, _, below = block.partition("-- virtual thread \"\" id=")
            if "VDeep.burn" not in above:
                continue
            said = block
            if above.count("VDeep.down") == DEPTH and "enterSpecial" not in above and "VirtualThread.run" in above \
                    and "ForkJoinWorkerThread.run" in below and "carries virtual thread \"\" id=" + below.split()[0] in above:
                return True, block
    return False, said


def is_whole(frames):
    """root first: carrier, border (or enterSpecial, if all is on the stack), run of the virtual thread, calls"""
    bare = [x.replace("/", ".") for x in frames]
    border = next((i for i, x in enumerate(bare) if x == BORDER or "enterSpecial" in x), None)
    return border is not None and any("ForkJoinWorkerThread.run" in x for x in bare[:border]) \
        and any("VirtualThread.run" in x for x in bare[border + 1:])


def examine(title, options):
    file = t.path("v.jfr")
    load = f"-agentpath:{t.AGENT}=start,interval=1ms,file={file}"
    j = t.Jvm([load, *options, "-Xmx128m", "-cp", classes, "VDeep", str(DEPTH)], "v")
    if not t.check(f"{title}: the JVM runs", j.wait_for(r"(?m)^up"), j.output()):
        return
    enough(j.pid)
    outside, block = seen_from_outside(j.pid)
    t.check(f"{title}: also whole from outside, with its id", outside, block)
    t.stop(j.pid)
    rows = [(f, w) for f, w in t.stacks(file, annotate=False) if any("VDeep.burn" in x for x in f)]
    total = t.weight_of(rows)
    calls = t.weight_of([r for r in rows if sum("VDeep.down" in x for x in r[0]) == DEPTH])
    t.check(f"{title}: all {DEPTH} calls are there", total > 0 and calls >= 0.98 * total,
            f"{calls / 1e9} of {total / 1e9} s\n" + "\n".join(";".join(f)[:900] for f, _ in rows[:3]))

    whole = t.weight_of([r for r in rows if is_whole(r[0])])
    t.check(f"{title}: carrier below, virtual thread above a border", whole >= 0.98 * total,
            f"{whole / 1e9} of {total / 1e9} s\n" + "\n".join(";".join(f)[:900] for f, _ in rows[:3]))
    frozen = t.weight_of([r for r in rows if BORDER in r[0]])
    t.check(f"{title}: most of them were frozen", frozen >= 0.5 * total, f"{frozen / 1e9} of {total / 1e9} s")
    s = t.status(j.pid)
    t.check(f"{title}: hardly a gap", s["gaps"] <= 0.02 * s["samples"] and s["broken"] <= 0.01 * s["samples"], s)
    j.kill()


def crowd():
    """30,000 virtual threads that wait, come back frame by frame, and meet methods that are compiled and deoptimised. What
    puts their frames back, and what unpacks a deoptimised frame, is walked through: 1.1 % of these stacks broke without.
    Of at least 5,000 samples, of which fewer than 0.1 % break, more than 0.4 % and 10 do in fewer than one run in 10^9."""
    file = t.path("crowd.jfr")
    load = f"-agentpath:{t.AGENT}=start,interval=1ms,file={file}"
    j = t.Jvm([load, "-Xmx512m", "-cp", t.compile_java("VCrowd"), "VCrowd", "30000"], "crowd")
    j.wait_for(r"(?m)^up")
    end = time.monotonic() + 120
    while time.monotonic() < end and t.status(j.pid).get("samples", 0) < 5000:
        time.sleep(0.2)
    s = t.status(j.pid)
    t.stop(j.pid)
    j.kill()
    t.check("crowd: hardly a gap", s["samples"] >= 5000 and s["gaps"] + s["broken"] <= 0.004 * s["samples"] + 10, s)
    rows = t.stacks(file, annotate=False)
    back = [f for f, _ in rows if any(x.lower().startswith(STUBS) for x in f)]
    t.check("crowd: the stubs that put frames back were met", len(back) >= 5, len(back))
    broken = [f for f in back if not is_whole(f)]
    t.check("crowd: and stacks through them are whole, but for a few that a walk cannot resolve", len(broken) <= 0.1 * len(back),
            f"{len(broken)} of {len(back)}\n" + "\n".join(";".join(f)[:900] for f in broken[:3]))
    wrong = [f for f in back for a, b in zip(f, f[1:]) if b.lower().startswith(STUBS) and a.endswith(".nanoTime")]
    t.check("crowd: they are called by what waits in the heap, not by what lay there before", not wrong, wrong[:1])


for name, how in FORMS:
    examine(name, how)
crowd()
t.done()
