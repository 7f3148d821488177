#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25
# ci: 21 25
# timeout: 8000
"""All engines at once, those for memory and locks as well, under one collector after another: no crash, no lost thread, and
nothing of it is left in the JVM when recording ends.

WICK_STRESS_SECS says for how long each (20), WICK_STRESS_ONLY under which collectors (a part of the options); where CI is set there is
one collector for each JDK. Resident memory and the JVM's own tables are printed and not judged: the program's own grow for minutes. The
JVM tracks its native memory, so that wick asks it for that as well: under ZGC on JDK 25 that once stopped it for good.

Ten minutes for each JDK, on two processors that were busy otherwise (load 30 to 80):
    WICK_STRESS_SECS=86 WICK_TEST_JDKS=21 tests/jvm/run-tests stress_memory
    WICK_STRESS_SECS=75 WICK_TEST_JDKS=25 tests/jvm/run-tests stress_memory"""
import os
import re
import time

import jvmtest as t
from heapcheck import jcmd

COLLECTORS = {
    11: ("-XX:+UseG1GC", "-XX:+UseParallelGC", "-XX:+UseSerialGC", "-XX:+UnlockExperimentalVMOptions -XX:+UseZGC"),
    17: ("-XX:+UseShenandoahGC", "-XX:+UseZGC", "-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:-UseCompressedOops"),
    21: ("-XX:+UseZGC -XX:+ZGenerational", "-XX:+UseShenandoahGC", "-XX:-UseCompressedOops", "-XX:+UseZGC -XX:-ZGenerational", "-XX:+UseSerialGC",
         "-XX:+UseParallelGC", "-XX:+UseG1GC"),
    25: ("-XX:+UseZGC", "-XX:+UseShenandoahGC -XX:ShenandoahGCMode=generational", "-XX:+UseCompactObjectHeaders", "-XX:+UseShenandoahGC",
         "-XX:-UseCompressedOops", "-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"),
}
SECONDS = int(os.environ.get("WICK_STRESS_SECS", "20"))
WORK = ("loaded", "deopts", "threads", "thrown", "garbage", "kept", "natives", "fights") + (("virtual",) if t.JDK >= 21 else ())
OPTIONS = ("-e", "cpu,ttsp", "--wall", "10ms", "--alloc", "64k", "--live", "--nativemem", "64k", "--lock", "100us", "--memlimit", "32m")
classes = t.compile_java("Stress")


def references(j):
    """How many JNI references the JVM holds: (global, weak); None in place of both where it does not say it."""
    out = jcmd(j, "Thread.print").out
    found = re.search(r"JNI global refs: (\d+), weak refs: (\d+)", out)
    return found and (int(found[1]), int(found[2]))


def tables(j):
    """KiB of what the JVM keeps for itself, by its own count: where what an agent makes it keep would be. {} without an answer."""
    out = jcmd(j, "VM.native_memory", "summary").out
    found = re.findall(r"- +(Internal|Symbol|Serviceability|Other|Synchronization|Module|Native Memory Tracking) \(.*?committed=(\d+)KB", out)
    return {name: int(kib) for name, kib in found}


def record(j):
    """Resident memory once a second while it records, the last status, and the JVM's own tables in the middle and at the end."""
    resident, last, middle, end = [], {}, {}, time.monotonic() + SECONDS
    while time.monotonic() < end and j.proc.poll() is None:
        time.sleep(1)
        now = t.status(j.pid)
        if "fired" in now and j.proc.poll() is None:
            last = now
            resident.append(j.rss_kib())
        if not middle and time.monotonic() > end - SECONDS / 2:
            middle = tables(j)
    return resident, last, middle, tables(j)


def stress(collector):
    file, errors = t.path("stress.jfr"), t.path("hs_err.log")
    j = t.Jvm(["-Xmx512m", "-Xms512m", "-XX:+AlwaysPreTouch", "-XX:NativeMemoryTracking=summary", *collector.split(), "-XX:ErrorFile=" + errors, "-cp", classes, "Stress",
               str(SECONDS + 600)], "stress")
    t.check("the program works", j.wait_for(r"progress"), j.output()[-2000:])
    if os.path.exists(file):
        os.remove(file)
    before, threads = references(j), j.threads()
    r = t.start(j.pid, file, *OPTIONS)
    t.check("recording starts", r.status == 0, r)
    resident, s, middle, last = record(j)
    r = t.stop(j.pid)
    t.check("and stops", r.status == 0, r)
    t.check("the counts balanced a moment before", 0 <= s["fired"] - s["samples"] - s["dropped"] <= 64, s)
    missing = [e for e in ("cpu", "wall", "alloc", "nativemem", "lock") if not s["recorded_" + e] > 0]
    t.check("each engine recorded", not missing and s["ttsp_looks"] > 0 and s["alloc_reports"] > 0, (missing, s))
    after = references(j)
    # wick keeps some 15 from its first recording on: classes, and the JDK's sets of virtual threads. The JVM's own come and go: those of its
    # classes that are hidden, of the command itself. What is left at each sample, collection or thread would be hundreds.
    t.check("no JNI references pile up", before and after and all(a - b <= 64 for a, b in zip(after, before)), (before, after))

    def left():  # a thread that has been joined may be seen for a moment
        return {n for n in j.threads() if n.startswith("wick") and n not in threads}
    t.check("nor a thread but the one that waits for commands", t.until(lambda: left() <= {"wick-control"}), left())
    j.say("end")
    status = j.wait(180)
    counts = dict(re.findall(r"(\w+)=(\d+)", j.output().splitlines()[-1] if j.output() else ""))
    t.check("the program ends with success", status == 0 and "done" in j.output(), f"{status}\n{j.output()[-3000:]}")
    idle = [w for w in WORK if not int(counts.get(w, 0))]
    t.check("no thread was lost and all kinds of work were done", counts.get("lost") == "0" and not idle, (idle, j.output()[-3000:]))
    kinds = {e: t.weight_of(t.stacks("--event", e, file)) for e in ("cpu", "wall", "alloc", "live", "nativemem", "lock")}
    t.check("the recording has samples of all of them", all(w > 0 for w in kinds.values()), kinds)
    half = len(resident) // 2
    print(f"# {collector}: resident memory at most {max(resident[:half], default=0)} KiB in the first half, "
          f"{max(resident[half:], default=0)} in the second; {s['alloc_reports']} allocations, {s['nativemem_samples']} blocks of memory; "
          f"KiB of the JVM's tables in the middle and at the end: {', '.join(f'{n} {middle.get(n)} {last[n]}' for n in last)}")


ONLY = os.environ.get("WICK_STRESS_ONLY", "")
for options in [o for o in COLLECTORS[t.JDK] if ONLY in o][:1 if os.environ.get("CI") else None]:
    with t.titled(options):
        stress(options)
t.done()
