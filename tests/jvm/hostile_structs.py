#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""A live JVM whose tables of its own layout lie: `wick stack` and `wick map`, often run by root, refuse it or show less, but
neither crash nor hang."""
import os

import jvmtest as t

LIBRARY = os.path.join(t.BUILD, "tests/jvm/libwickhostilestructs.so")
TYPES = ["CodeBlob", "CompiledMethod", "nmethod", "PcDesc", "Method", "ConstMethod", "ConstantPool", "Symbol", "Klass",
         "InstanceKlass", "JavaThread", "OSThread", "CodeCache", "CodeHeap", "VirtualSpace"]
LIES = [("size", "PcDesc", 0), ("size", "nmethod", 0), ("size", "CodeBlob", 1 << 40), ("size", "ConstMethod", 0),
        *(("fields", name, lie) for name in TYPES for lie in (65535, 65528, (1 << 64) - 8))]
classes = t.compile_java("HostileStructs")


j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", classes, "HostileStructs", LIBRARY], "hostile")
if not t.check("the JVM runs", j.wait_for("(?m)^up"), j.output()):
    t.done()


def ask(line):
    return int(j.ask(line, r"set (\d+)") or -1)


def commands():
    return [t.wick("stack", j.pid), t.wick("map", j.pid)]


for r in commands():
    t.check("an honest JVM is shown", r.status == 0, r)
seen = refused = 0
for what, name, value in LIES:
    number = ask(f"{what} {name} {value - (1 << 64) if value >> 63 else value}")
    if number == 0:  # this JDK has no such thing
        continue
    t.check(f"{what} {name}: the tables can be made to lie", number > 0, j.output())
    for r in commands():
        seen += 1
        refused += r.status > 0
        t.check(f"{what} of {name} = {value:#x}: answered with a result or a sentence", r.status == 0 and r.out or
                0 < r.status < 64 and r.err.startswith("wick: "), r)
        if (what, name, value) == LIES[0]:
            t.check("PcDesc of no size is refused, by its name", r.status > 0 and "pcdesc" in r.err, r)
    t.check(f"{what} {name}: and to be honest again", ask("honest") == number, j.output())
t.check("most lies were found out", refused > seen // 2, (refused, seen))
for r in commands():
    t.check("an honest JVM is shown again", r.status == 0, r)
t.done()
