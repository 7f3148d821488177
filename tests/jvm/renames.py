#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 11 17 21 25
"""Samples have the name that their thread had, as far as the drain thread can know: it reads names every 50 ms, and what
was sampled since it did so before gets the new name. So a sample may have the name that follows its own, never one that
its thread had before.

How long the drain thread waits for a processor is up to the machine, so it is names that are counted, 12 of them, not
samples. A name that follows comes from the time between two reads; for most samples of a piece of work to have one the drain
thread, which sleeps, would have to be kept waiting for more than half of that piece: one in ten is allowed to. An earlier
name needs a collection that lasts for more than 20 ms where a thread was just renamed (a tenth of the time), or a handler
that is interrupted for 200 ms between its clock and its ring. With ZGC what cannot be read is known from the kernel's name of
the thread. Names that are read once, or always come from before, are wrong
in 11 of 12."""
import collections
import re

import jvmtest as t

NAMES = 12
classes = t.compile_java("Renames")
# one run for each way in which objects are laid out or move
early = "-XX:+UnlockExperimentalVMOptions"  # in JDK 11
runs = {8: [("UseParallelGC", [], "cpu")],
        11: [("UseSerialGC", [], "cpu"), ("UseZGC", [early], "cpu"), ("UseShenandoahGC", [early], "cpu")],
        17: [("UseG1GC", ["-XX:-UseCompressedOops"], "cpu"), ("UseZGC", [], "cpu"), ("UseShenandoahGC", [], "cpu")],
        21: [("UseG1GC", ["-XX:-UseCompressedClassPointers"], "wall"), ("UseZGC", [], "cpu"),
             ("UseZGC", ["-XX:+ZGenerational"], "wall"), ("UseShenandoahGC", ["-XX:-UseCompressedOops"], "cpu")],
        25: [("UseG1GC", ["-XX:+UseCompactObjectHeaders"], "cpu"), ("UseZGC", [], "cpu"),
             ("UseShenandoahGC", ["-XX:ShenandoahGCMode=generational"], "cpu")]}


def check(collector, options, event):
    title = f"{collector} {' '.join(options)}, {event}: "
    j = t.Jvm(["-Xmx64m", *options, f"-XX:+{collector}", "-cp", classes, "Renames"], "renames")
    t.check(title + "the program runs", j.wait_for("(?m)^up"), j.output())
    file = t.path(f"{collector}-{len(options)}-{event}.jfr")
    r = t.start(j.pid, file, "-e", event, "-i", "1ms" if event == "cpu" else "5ms")
    t.check(title + "a recording starts", r.status == 0, r)
    done = j.ask("", "(done)")
    r = t.stop(j.pid)
    t.check(title + "the program ends its work", done and r.status == 0, (r, j.output()))
    j.kill()
    right, next_one, earlier = (collections.Counter() for _ in range(3))  # samples by the number in their name
    spellings = set()
    for frames, samples in t.stacks(file, samples=True):
        thread = re.match(r"\[(.*) tid=\d+\]", frames[0]).group(1)
        work = next((int(m.group(1)) for m in (re.search(r"Renames\.work(\d)(?!\d)", f) for f in frames) if m), None)
        if any(re.search(r"Renames\.rename(?!d)", f) for f in frames):
            spellings.add(thread)
        if work is None:
            continue
        m = re.match(r"work-(\d+)$", thread)
        if m and int(m.group(1)) % 4 == work:
            right[int(m.group(1))] += samples
        elif m and (int(m.group(1)) - 1) % 4 == work:
            next_one[int(m.group(1)) - 1] += samples
        else:
            earlier[int(m.group(1)) if m else -1] += samples
    all_of_it = sum(right.values()) + sum(next_one.values()) + sum(earlier.values())
    t.check(title + "names were seen", len(right) >= t.least_of(NAMES, 0.9), sorted(right))
    most = sum(right[n] > next_one[n] for n in range(NAMES))
    t.check(title + "most samples have the name of their time", most >= t.least_of(NAMES, 0.9) > 1, (right, next_one, earlier))
    t.check(title + "none has one from before", len(earlier) <= t.most_of(NAMES, 0.1) < NAMES - 1, (right, next_one, earlier))
    t.check(title + "names are whole in every script", {"plain", "\u00fcber-\u00fc", "\u540d\u524d"} <= spellings and
            all(s in ("plain", "renamed", "\u00fcber-\u00fc", "\u540d\u524d") or s.endswith("-x") for s in spellings), spellings)
    print(f"# {title}{sum(right.values()) / (all_of_it or 1):.1%} as named, {sum(next_one.values()) / (all_of_it or 1):.1%} under the "
          f"next name, {most} names of {NAMES} for most of their time, {dict(earlier)} earlier")


for run in runs.get(t.JDK, [("UseG1GC", [], "cpu")]):
    check(*run)
t.done()
