#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 21 25
"""Methods of a class that is redefined while they run: each has its own time, under its own name.

A full collection after each redefinition frees the methods of earlier versions, whose places new ones take.

Tolerances: 2 %, and five standard deviations (one false alarm in 1.7 million) of what the calls leave open: the time from
the last sample to the end of a call is evenly distributed over an interval, and so is that at its start, so a call leaves
interval / sqrt(6). A delayed sample counts for what runs then; the bound covers that as well."""
import math
import re
import zipfile

import jvmtest as t

MS = 1_000_000
ROUNDS, SIGMAS = 20, t.Sigmas(5)
classes = t.compile_java("Redefines")
jar = t.path("redefines.jar")
with zipfile.ZipFile(jar, "w") as z:
    z.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: Redefines\nCan-Redefine-Classes: true\n\n")

for options in ([], ["-Xint"]):
    title = " ".join(["redefinition", *options]) + ": "
    j = t.Jvm(["-Xmx32m", "-XX:+UseSerialGC", "-Xshare:off", *options, f"-javaagent:{jar}", f"-Xbootclasspath/a:{classes}", "-cp", classes, "Redefines"], "redefines")
    t.check(title + "the program runs", j.wait_for("(?m)^up"), j.output())
    file = t.path(f"redefines{len(options)}.jfr")
    r = t.start(j.pid, file, "-e", "cpu", "-i", "1ms")
    t.check(title + "a recording starts", r.status == 0, r)
    *used, redefined = [int(n) for n in (j.ask(f"go {ROUNDS}", r"went ([\d ]+)", 900) or "0 0").split()]
    t.stop(j.pid)
    j.kill()
    t.check(title + "the class was redefined many times", redefined >= 20, (redefined, j.output()))
    seen = [0] * 10
    for frames, weight in t.stacks(file):
        names = [m.group(1) for m in (re.search(r"Redefines\$Target\.m(\d)(?!\d)", f) for f in frames) if m]
        for n in set(names):
            seen[int(n)] += weight
    for m, truth in enumerate(used):
        slack = 0.02 * truth + SIGMAS * MS * math.sqrt(ROUNDS / 6)
        t.check(title + f"m{m} has its own time", abs(seen[m] - truth) < slack,
                f"{seen[m] / MS:.0f} ms of {truth / MS:.0f} ms, slack {slack / MS:.0f} ms\nall: {[s // MS for s in seen]}")
    print(f"# {title}{redefined} redefinitions, {[round(s / MS) for s in seen]} of {[round(u / MS) for u in used]} ms")
t.done()
