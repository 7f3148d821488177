#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25
# ci: 17
# timeout: 8000
"""All engines at once, those for memory and locks as well, under one collector after another: no crash, no lost thread, and
nothing of it is left in the JVM when recording ends.

WICK_STRESS_SECS says for how long each (20), WICK_STRESS_ONLY under which collectors (a part of the options). Resident memory is
printed and not judged: the program's own grows for minutes."""
import os
import re
import time

import jvmtest as t

COLLECTORS = {
    11: ("-XX:+UseG1GC", "-XX:+UseParallelGC"),
    17: ("-XX:+UseShenandoahGC", "-XX:+UseZGC", "-XX:+UseSerialGC"),
    21: ("-XX:+UseZGC -XX:+ZGenerational", "-XX:+UseShenandoahGC", "-XX:-UseCompressedOops"),
    25: ("-XX:+UseZGC", "-XX:+UseShenandoahGC -XX:ShenandoahGCMode=generational", "-XX:+UseCompactObjectHeaders"),
}
SECONDS = int(os.environ.get("WICK_STRESS_SECS", "20"))
WORK = ("loaded", "deopts", "threads", "thrown", "garbage", "kept", "natives", "fights") + (("virtual",) if t.JDK >= 21 else ())
OPTIONS = ("-e", "cpu,ttsp", "--wall", "10ms", "--alloc", "64k", "--live", "--nativemem", "64k", "--lock", "100us", "--memlimit", "32m")
classes = t.compile_java("Stress")


def references(j):
    """How many JNI references the JVM holds: (global, weak); None in place of both where it does not say it."""
    out = t.run(t.JAVA_HOME + "/bin/jcmd", j.pid, "Thread.print").out
    found = re.search(r"JNI global refs: (\d+), weak refs: (\d+)", out)
    return found and (int(found[1]), int(found[2]))


def record(j):
    """Resident memory once a second while it records, and the last status."""
    resident, last, end = [], {}, time.monotonic() + SECONDS
    while time.monotonic() < end and j.proc.poll() is None:
        time.sleep(1)
        now = t.status(j.pid)
        if "fired" in now and j.proc.poll() is None:
            last = now
            resident.append(j.rss_kib())
    return resident, last


def stress(collector):
    file, errors = t.path("stress.jfr"), t.path("hs_err.log")
    j = t.Jvm(["-Xmx512m", "-Xms512m", "-XX:+AlwaysPreTouch", *collector.split(), "-XX:ErrorFile=" + errors, "-cp", classes, "Stress",
               str(SECONDS + 600)], "stress")
    t.check("the program works", j.wait_for(r"progress"), j.output()[-2000:])
    if os.path.exists(file):
        os.remove(file)
    before, threads = references(j), j.threads()
    r = t.start(j.pid, file, *OPTIONS)
    t.check("recording starts", r.status == 0, r)
    resident, s = record(j)
    r = t.stop(j.pid)
    t.check("and stops", r.status == 0, r)
    t.check("the counts balanced a moment before", 0 <= s["fired"] - s["samples"] - s["dropped"] <= 64, s)
    missing = [e for e in ("cpu", "wall", "alloc", "nativemem", "lock") if not s["recorded_" + e] > 0]
    t.check("each engine recorded", not missing and s["ttsp_looks"] > 0 and s["alloc_reports"] > 0, (missing, s))
    after = references(j)
    # the JVM's own come and go: those of its classes that are hidden, of the command itself
    t.check("no JNI reference of wick's is left", before and after and all(a - b <= 16 for a, b in zip(after, before)), (before, after))
    left = {n for n in j.threads() if n.startswith("wick") and n not in threads}
    t.check("nor a thread but the one that waits for commands", left <= {"wick-control"}, left)
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
          f"{max(resident[half:], default=0)} in the second; {s['alloc_reports']} allocations, {s['nativemem_samples']} blocks of memory")


ONLY = os.environ.get("WICK_STRESS_ONLY", "")
for options in [o for o in COLLECTORS[t.JDK] if ONLY in o][:1 if os.environ.get("CI") else None]:
    with t.titled(options):
        stress(options)
t.done()
