#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 21 25
# ci: 21
"""Walks through the entry barrier of nmethods, which pushes a cookie below its return address. Each call of the barrier is recorded with
its stack: what the stub was called from is a compiled method. Without knowledge of the cookie a walk takes an old word for the return
address, in one of ten calls of JDK 21 (12 of 108)."""
import re

import jvmtest as t
from host_recording import Recording

CALLS = 250  # of which all are right by chance in one of 10^11 runs, if one of ten is wrong
BARRIER = "_ZN17BarrierSetNMethod26nmethod_stub_entry_barrierEPPh"
EVENT = f"uprobe:{t.JAVA_HOME}/lib/server/libjvm.so:{BARRIER}"


def stacks(file):
    """[(frames from the barrier on, how many)], as far as there are some yet. Walks that came before the code cache was read, which say so,
    know no compiled method."""
    r = t.wick("convert", "--own", "--annotate", "--to", "collapsed", "-o", "-", file)
    rows = [line.rpartition(" ") for line in r.out.splitlines()]
    return [(frames.split(";")[::-1], int(n)) for frames, _, n in rows
            if "nmethod_stub_entry_barrier" in frames and "JVM not yet read" not in frames]


j = t.Jvm(["-Xmx64m", "-XX:+UseZGC", "-cp", t.compile_java("Busy"), "Busy", "chain", "alloc", "interp", "lambda", "zip"])
t.check("the JVM runs", j.wait_for("(?m)^up"), j.output())
recording = Recording("barrier", EVENT)
t.check("its methods are entered through the barrier", t.until(lambda: sum(n for _, n in stacks(recording.file)) >= CALLS))
recording.end()
j.kill()
found = stacks(recording.file)
# On a crowded machine the method may be read too late to have a name; that its caller follows shows that it was found.
NAMELESS = "[broken: method not readable]_[b]"
wrong = [(f[:5], n) for f, n in found if len(f) < 3 or not re.search(r"_\[s\]$", f[1])
         or not re.search(r"_\[[12ji]\]$", f[2]) and not (f[2] == NAMELESS and re.search(r"_\[[012ji]\]$", " ".join(f[3:4])))]
t.check("who is called from the barrier is a compiled method", found and not wrong, wrong[:5])
broken = [(f[:6], n) for f, n in found if any("no interpreter frame" in x for x in f)]
t.check("and no walk takes an old word for its return address", not broken, broken[:5])
t.done()
