#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 11 17 21 25
"""Samples have the name that their thread had, as far as the drain thread can know: it reads names every 50 ms, and what
was sampled since it did so before gets the new name. So a sample may have the name that follows its own, never one that
its thread had before.

Nothing here is statistical. A name that follows comes from the time between two reads; for more than half of the samples
to have one the drain thread, which sleeps, would have to be kept waiting for more than 250 ms on average, at 12 renamings.
An earlier name needs a collection that lasts for more than 20 ms where a thread was just renamed (a tenth of the time), or a
handler that is interrupted for 200 ms between its clock and its ring: for 5 % of the samples collections would have to
take half of the time, in which the program, that stands still, makes none."""
import re

import jvmtest as t

classes = t.compile_java("Renames")
# one run for each way in which objects are laid out or move
runs = {8: [("UseParallelGC", [], "cpu")], 11: [("UseSerialGC", [], "cpu")], 17: [("UseG1GC", ["-XX:-UseCompressedOops"], "cpu")],
        21: [("UseG1GC", ["-XX:-UseCompressedClassPointers"], "wall")],
        25: [("UseG1GC", ["-XX:+UseCompactObjectHeaders"], "cpu")]}


def check(collector, options, event):
    title = f"{collector}, {event}: "
    j = t.Jvm(["-Xmx64m", f"-XX:+{collector}", *options, "-cp", classes, "Renames"], "renames")
    t.check(title + "the program runs", j.wait_for("(?m)^up"), j.output())
    file = t.path(f"{collector}-{event}.jfr")
    r = t.start(j.pid, file, "-e", event, "-i", "1ms" if event == "cpu" else "5ms")
    t.check(title + "a recording starts", r.status == 0, r)
    done = j.ask("", "(done)", 120)
    r = t.stop(j.pid)
    t.check(title + "the program ends its work", done and r.status == 0, (r, j.output()))
    j.kill()
    right = next_one = earlier = 0
    seen, spellings = set(), set()
    for frames, weight in t.stacks(file):
        thread = re.match(r"\[(.*) tid=\d+\]", frames[0]).group(1)
        work = next((int(m.group(1)) for m in (re.search(r"Renames\.work(\d)(?!\d)", f) for f in frames) if m), None)
        if any(re.search(r"Renames\.rename(?!d)", f) for f in frames):
            spellings.add(thread)
        if work is None:
            continue
        m = re.match(r"work-(\d+)$", thread)
        if m and int(m.group(1)) % 4 == work:
            right += weight
            seen.add(int(m.group(1)))
        elif m and (int(m.group(1)) - 1) % 4 == work:
            next_one += weight
        else:
            earlier += weight
    all_of_it = right + next_one + earlier
    t.check(title + "all names were seen", seen == set(range(12)), sorted(seen))
    t.check(title + "most samples have the name of their time", right > 0.5 * all_of_it, (right, next_one, earlier))
    t.check(title + "none has one from before", earlier <= 0.05 * all_of_it, (right, next_one, earlier))
    t.check(title + "names are whole in every script", {"plain", "\u00fcber-\u00fc", "\u540d\u524d"} <= spellings and
            all(s in ("plain", "renamed", "\u00fcber-\u00fc", "\u540d\u524d") or s.endswith("-x") for s in spellings), spellings)
    print(f"# {title}{right / (all_of_it or 1):.1%} as named, {next_one / (all_of_it or 1):.1%} under the next name")


for run in runs.get(t.JDK, [("UseG1GC", [], "cpu")]):
    check(*run)
t.done()
