#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heap before and after each collection, with each collector: as the JVM's log says, and with garbage of a known size in
between; then with so much of it that the young generation fills up. No chance is in it."""
import re
import time

import jvmtest as t

ROUNDS, GARBAGE, MUCH = 4, 20 << 20, 600 << 20
MIB = 1 << 20
UNITS = {"B": 1, "K": 1 << 10, "M": MIB, "G": 1 << 30}
# JDK 8 has no word for it: [Full GC (System.gc())  21M->645K(256M), 0.01 secs]
# and Shenandoah none for why: Pause Full 29M->8M(300M)
LOGGED = re.compile(r"(Young|Full|Collection|GC)(?: \(System\.gc\(\)\))?\s+(\d+)([BKMG])(?:\(\d+%\))?->(\d+)([BKMG])")
ANY = re.compile(r"(?:Pause|\[GC|\[Full GC).* (\d+)([BKMG])->(\d+)([BKMG])\(")
YOUNG = re.compile(r"Pause Young .*->|\[GC .*->")  # a full one that follows at once is of the same collection
CONCURRENT = ("Z", "ZGenerational", "ConcMarkSweep")
classes = t.compile_java("Live")


def logged(text):
    """(before, after) of each System.gc(): Parallel logs a young collection first, as one of its own."""
    out, young = [], None
    for m in LOGGED.finditer(text):
        before, after = int(m[2]) * UNITS[m[3]], int(m[4]) * UNITS[m[5]]
        if m[1] == "Young" or (m[1] == "GC" and not text[:m.start()].endswith("Full ")):
            young = before
            continue
        out.append((before if young is None else young, after))
        young = None
    return out


def collect(name, options):
    """What the log says, and the events of collections that the program asked for; None if there is no such JVM."""
    more = ["-XX:G1HeapRegionSize=1m"] if name == "G1" else ["-XX:-ExplicitGCInvokesConcurrent"] if name == "Shenandoah" else []
    j = t.Jvm([*options, *more, "-Xms300m", "-Xmx300m", "-Xmn150m", "-XX:+PrintGC" if t.JDK == 8 else "-Xlog:gc", "-cp", classes, "Live"], name)
    if not j.wait_for(r"(?m)^(\[.*\])?up"):
        return None
    j.ask("gc", "(done)")
    file = t.path(f"{name}.jfr")
    t.check(f"{name}: a recording starts", t.start(j.pid, file, "-e", "cpu").status == 0, j.output())
    begun = len(j.output())
    for _ in range(ROUNDS):
        j.ask(f"garbage {GARBAGE >> 10}", "(done)")
        j.ask("gc", "(done)")
    t.until(lambda: len(logged(j.output()[begun:])) >= ROUNDS or name not in CONCURRENT, 5)
    filled = len(j.output())
    if name not in CONCURRENT:
        j.ask(f"garbage {MUCH >> 10}", "(done)")
    t.check(f"{name}: and ends", t.stop(j.pid).status == 0)
    j.kill()
    asked, others = [], []
    for e in t.json_values(file, "jdk.GarbageCollection"):
        (asked if "System.gc" in (e["cause"] or "") else others).append((int(e["heapUsedBefore"]), int(e["heapUsedAfter"])))
    if name in ("Serial", "Parallel", "G1"):
        check_young(name, [(int(a) * UNITS[x], int(b) * UNITS[y]) for a, x, b, y in ANY.findall(j.output()[filled:])], others)
    return logged(j.output()[begun:filled]), asked


def slack_of(name):
    """The log cuts off what is less than a unit of a mebibyte; of G1 the region that is being filled is not counted."""
    return 2 * MIB if name == "G1" else MIB


def check_young(name, log, events):
    t.check(f"{name}: each young collection is there", len(log) == len(events) >= 3, (log, events))
    t.check(f"{name}: with the heap before and after it", all(abs(a - c) <= slack_of(name) and abs(b - d) <= MIB
                                                              for (a, b), (c, d) in zip(log, events)), (log, events))


def check_stopped(name, log, events):
    """Collectors that do it all in one stop."""
    slack = slack_of(name)
    t.check(f"{name}: each collection is there", len(log) == len(events) == ROUNDS, (log, events))
    t.check(f"{name}: the heap before it is that of the JVM's log", all(abs(a - b) <= slack for (a, _), (b, _) in zip(log, events)), (log, events))
    t.check(f"{name}: and so is the heap after it", all(abs(a - b) <= MIB for (_, a), (_, b) in zip(log, events)), (log, events))
    t.check(f"{name}: the garbage is in the difference", all(before - after >= GARBAGE - slack for before, after in events), events)


def check_cycles(name, log, events):
    """ZGC stops the program several times in each cycle; the log's first figure is that of the first stop."""
    t.check(f"{name}: each cycle is there", len(log) == ROUNDS <= len(events), (log, events))
    t.check(f"{name}: the heap before a stop is known", all(before > 0 for before, _ in events), events)
    t.check(f"{name}: the heap before each cycle is that of the JVM's log",
            all(any(abs(a - b) < MIB for b, _ in events) for a, _ in log), (log, events))


def check_many():
    """A young generation that is filled hundreds of times a second."""
    log = "-XX:+PrintGC" if t.JDK == 8 else "-Xlog:gc"
    j = t.Jvm(["-XX:+UseSerialGC", "-Xmn16m", "-Xmx64m", log, "-cp", t.compile_java("Garbage"), "Garbage"], "many")
    j.wait_for(r"(?m)^(\[.*\])?up")
    file = t.path("many.jfr")
    t.check("many: a recording starts", t.start(j.pid, file, "-e", "cpu").status == 0, j.output())
    begun = len(YOUNG.findall(j.output()))
    time.sleep(3)
    between = len(YOUNG.findall(j.output())) - begun
    t.check("many: and ends", t.stop(j.pid).status == 0)
    j.kill()
    events = len(t.json_values(file, "jdk.GarbageCollection"))
    t.check("many: each of hundreds of collections a second is there", events >= between > 0, (events, between))


for name, options in t.collectors():
    if name == "Epsilon":  # never collects
        continue
    found = collect(name, options)
    if not found:
        t.skip(f"{name}: the heap before a collection", "this JVM has no such collector")
    elif name == "ConcMarkSweep":
        t.check("ConcMarkSweep: the heap before a collection is not known, and nothing is claimed of it",
                found[1] and not any(before for before, _ in found[1]), found)
    else:
        (check_cycles if name in CONCURRENT else check_stopped)(name, *found)
check_many()
t.done()
