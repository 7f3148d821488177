#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 11 25
# alone
"""What compilers, class loaders and the VM thread do is in every recording, and explained where it is too much.

JDK 8 as Debian builds it has no symbols in libjvm.so: there the events that need them must be missing, not wrong."""
import json
import os
import re
import subprocess

import jvmtest as t

classes = t.compile_java("Churn")
SYMBOLS = t.JDK >= 11
READINGS = 8  # a second each: as long as shows whether deoptimisations go on
LENIENT = "-XX:+IgnoreUnrecognizedVMOptions"


def start(name, *options, event="cpu", mode=()):
    file = t.path(name + ".jfr")
    j = t.Jvm([f"-agentpath:{t.AGENT}=start,event={event},file={file}", "-XX:+UseSerialGC", LENIENT, *options, "-cp",
               classes, "Churn", *mode], name)
    t.check(f"{name}: the JVM runs", j.wait_for(r"(?m)^up", 120), j.output())
    return j, file


def finish(name, j, file):
    """The rules that explain reports, by name, and the seconds that the recording took."""
    said = t.status(j.pid)
    known = {"compile_queue_c2", "deoptimizations", "compiler_stopped"} & set(said)
    t.check(f"{name}: status shows what is known", said.get("code_cache_used", 0) > 0 and len(known) == (3 if SYMBOLS else 0),
            said)
    ended = t.stop(j.pid)
    t.check(f"{name}: the recording ends", ended.status == 0, ended)
    j.kill()
    r = t.wick("explain", "--json", file)
    t.check(f"{name}: explain reads it", r.status == 0, r)
    said = json.loads(r.out) if r.status == 0 else {"findings": [], "duration_ns": 1}
    found = {f["rule"]: f for f in said["findings"]}
    for f in found.values():
        print(f"# {name}: {f['rule']}: {f['sentence']}", flush=True)
    return found, said["duration_ns"] / 1e9


def check_rule(name, rule, found, measure, threshold):
    """The rule speaks from its threshold on, and not below; close to it either is right."""
    if abs(measure - threshold) > 0.05 * threshold:
        t.check(f"{name}: {rule} is explained where it is a lot", (rule in found) == (measure > threshold),
                (measure, found))


def grown(file, kind, field):
    v = [int(e[field]) for e in t.events(file, kind)]
    return v[-1] - v[0] if v else None


def so_far(j, kind):
    """The events of a kind that a recording has until now."""
    file = t.path("so-far.jfr")
    t.wick("dump", "--force", "-q", "-f", file, j.pid)
    return t.events(file, kind)


def has_next(j, kind):
    """Waits for the next event of a kind, of which one is written about once a second: it has what was before."""
    n = len(so_far(j, kind))
    t.until(lambda: len(so_far(j, kind)) > n, 240)


def seconds_of(text):
    """Of a time as the jfr tool prints it: 1.5 s, 20.3 ms, 800 us."""
    number, unit = text.split()
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def clock_of(event):
    hours, minutes, seconds = event["startTime"].split()[0].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def check_deopts(file, found, rate):
    """The rule is about warmed-up code that costs something: it may be silent where there are few in the second half, or where
    compiling that again took little. How that falls in a few seconds is up to the machine, so only what is clear is checked."""
    readings = [(clock_of(e), int(e["count"])) for e in t.events(file, "wick.Deoptimizations")]
    half = (readings[0][0] + readings[-1][0]) / 2
    earlier = [r for r in readings if r[0] <= half][-1]
    later = (readings[-1][1] - earlier[1]) / max(readings[-1][0] - earlier[0], 0.001)
    compilers = t.events(file, "jdk.CompilerStatistics")
    spent = seconds_of(compilers[-1]["totalTimeSpent"]) - seconds_of(compilers[0]["totalTimeSpent"])
    compiles = int(compilers[-1]["compileCount"]) - int(compilers[0]["compileCount"])
    again = min(1, 2 * (readings[-1][1] - readings[0][1]) / max(compiles, 1))  # by C1 and by C2
    share = again * spent / (readings[-1][0] - readings[0][0])
    course = readings[-1][0] - earlier[0]  # 2 s decide; the clock of events is not that of the reader
    if rate < 19 or later > 30 and share > 0.07 and course > 2.5:
        t.check("churn: deoptimisations are explained where they are many", ("deoptimisations" in found) == (rate > 19),
                (rate, later, share, found))
    else:
        t.skip("churn: deoptimisations are explained where they are many", f"{rate} a second, {later} later, {share} of the time compiling again")


def churn():
    n, more = 80, 80
    j, file = start("churn", "-Xbatch", "-XX:-TieredCompilation", "-Xmx64m")
    t.check("churn: classes are loaded", j.ask(f"classes {n}", "(classes done)", 120) is not None, j.output())
    while len(so_far(j, "jdk.ClassLoadingStatistics")) < READINGS and j.ask(f"classes {more}", "(classes done)", 120):
        n += more
    t.check("churn: and thrown away", j.ask("gc", "(gc done)") is not None, j.output())
    has_next(j, "jdk.ClassLoadingStatistics")
    found, seconds = finish("churn", j, file)
    loaded = grown(file, "jdk.ClassLoadingStatistics", "loadedClassCount")
    unloaded = grown(file, "jdk.ClassLoadingStatistics", "unloadedClassCount")
    # the last one may still be in use
    t.check("churn: each is counted, as loaded and as unloaded", loaded >= n and unloaded >= n - 5, (loaded, unloaded))
    check_rule("churn", "class-unloading", found, unloaded / seconds, 10)
    deopts = grown(file, "wick.Deoptimizations", "count")
    if SYMBOLS:
        t.check("churn: deoptimisations are counted", deopts is not None and n <= deopts < 20 * n, deopts)
        check_deopts(file, found, deopts / seconds)
        reasons = t.events(file, "wick.DeoptimizationReason")
        reported = sum(int(e["count"]) for e in reasons)
        # the first event with the sum of all is younger than the recording, by as much as the machine is busy
        whole = int(t.events(file, "wick.Deoptimizations")[-1]["count"])
        t.check("churn: each has a reason", deopts <= reported <= 1.1 * whole + 20 and
                {"unstable_if", "class_check", "null_check", "unloaded", "uninitialized"} & {e["reason"] for e in reasons},
                (reported, deopts, whole, reasons[:9]))
    else:
        t.check("churn: deoptimisations are not reported without symbols", deopts is None, deopts)
    used = [float(e["fullest"].rstrip("%")) for e in t.events(file, "wick.CodeCache")]
    t.check("churn: how full the code cache is, is reported", used and all(0 < u < 90 for u in used), used)
    t.check("churn: which is not too full", "code-cache" not in found, found.get("code-cache"))


def starve_compilers(pid, cpu):
    """Compiler threads get a hundredth of that processor."""
    hungry = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"],
                               preexec_fn=lambda: os.sched_setaffinity(0, {cpu})) for _ in range(2)]
    names = set()
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm") as f:
            name = f.read().strip()
        if " Compiler" in name:
            names.add(name)
            os.setpriority(os.PRIO_PROCESS, int(tid), 19)
            os.sched_setaffinity(int(tid), {cpu})
    t.check("queue: compiler threads are found", any(n.startswith("C1") for n in names), names)
    return hungry


def starved(j):
    """Whether a long compilation is in the recording so far; more work for the compilers if not."""
    return so_far(j, "wick.Compilation") or not j.ask("classes 150", "(classes done)", 600)


def queue():
    j, file = start("queue", "-XX:-UseDynamicNumberOfCompilerThreads", "-Xmx128m")
    hungry = starve_compilers(j.pid, min(os.sched_getaffinity(0)))
    try:
        done = j.ask("classes 150", "(classes done)", 600)
        t.check("queue: classes are loaded", done is not None, j.output())
        t.until(lambda: starved(j), 600)  # who gets how much of a processor is the scheduler's business
        has_next(j, "wick.CodeCache")
        found, _ = finish("queue", j, file)
    finally:
        for h in hungry:
            h.kill()
            h.wait()
    queues = t.events(file, "wick.CompileQueue")
    peak = max([int(e["peak"]) for e in queues if e["compiler"] == "C1"], default=None)
    long = t.events(file, "wick.Compilation")
    if SYMBOLS:
        t.check("queue: what waits for a compiler is counted", peak is not None and peak >= 20, (peak, queues[-5:]))
        average = {c: [float(e["average"]) for e in queues if e["compiler"] == c] for c in ("C1", "C2")}
        long_queue = any(v and sum(v) / len(v) >= 100 for v in average.values())
        # where the whole process is short of processors, that is said instead
        t.check("queue: a long one is explained, a short one is not", ("compile-queue" in found) == long_queue or
                "cpu-starvation" in found, (average, found))
    else:
        t.check("queue: queues are not reported without symbols", not queues, queues)
    t.check("queue: compilations that starve are long", long and all(e["method"] and e["compiler"] in ("C1", "C2")
                                                                     for e in long), long[:3])


def small_code_cache():
    # -Xcomp compiles all that runs, so it is full immediately
    j, file = start("full", "-Xcomp", "-XX:ReservedCodeCacheSize=2500k", "-XX:InitialCodeCacheSize=2496k", "-Xmx128m")
    j.ask("classes 3", "(classes done)", 600)
    has_next(j, "wick.CodeCache")
    found, _ = finish("full", j, file)
    cache = t.events(file, "wick.CodeCache")
    used = max([float(e["fullest"].rstrip("%")) for e in cache], default=0)
    off = any(e["compilerStopped"] == "true" for e in cache)
    if re.search("(?i)code ?cache is full", j.output()):
        t.check("full: a full code cache is reported", used > 60, cache[-2:])
        t.check("full: and explained, if it stays full", ("code-cache" in found) == (used >= 95 or off), (used, off, found))
    else:
        t.skip("full: a full code cache is reported", f"the JVM did not say that it is: {used} %")


def looks_at_dumps(reported):
    return sum(int(e["looks"]) for e in reported if e["operation"] == "ThreadDump")


def operations():
    j, file = start("dumps", "-Xmx128m", mode=["300"])
    t.check("dumps: stacks are dumped", j.ask("dumps 3000", "(dumps done)", 600) is not None, j.output())
    if SYMBOLS:
        t.until(lambda: looks_at_dumps(so_far(j, "wick.VmOperation")) >= 10 or not j.ask("dumps 3000", "(dumps done)", 600), 240)
    used = j.cpu_seconds()
    found, seconds = finish("dumps", j, file)
    reported = t.events(file, "wick.VmOperation")
    if SYMBOLS:
        t.check("dumps: the VM thread is seen at it", looks_at_dumps(reported) >= 2, reported)
        f = found.get("vm-operations")
        t.check("dumps: which is explained where it is a lot", f is None or f["figures"]["operation"] == "ThreadDump", f)
        share = sum(seconds_of(e["time"]) for e in reported if e["operation"] == "ThreadDump") / seconds
        if share > 0.055 and used / seconds > 0.2:  # of a process that uses a tenth of a processor nothing is said
            t.check("dumps: it is a lot", f, (share, reported))
    else:
        t.check("dumps: operations are not reported without symbols", not reported, reported)
    complaints = t.jfr_complaints(file)
    t.check("dumps: jfr of JDK 17 and 21 accept the recording", not complaints, complaints)


churn()
queue()
small_code_cache()
operations()
t.done()
