#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 25
"""OutOfMemoryErrors of each kind that the JVM itself throws: recorded with the thread, followed by a reading of memory and of
live objects, explained by name; and a program that goes on afterwards. That of direct buffers, which Java code throws."""
import json

import cgroup
import jvmtest as t

classes = t.compile_java("Memory")
t.compile_java("Exhaust", classpath=classes)
java_version = int(t.JDK)

# name: (options of the JVM, what is exhausted, in which words)
KINDS = {
    "heap": (["-Xmx48m"], "Java heap space"),
    "metaspace": (["-Xmx200m", "-XX:MaxMetaspaceSize=24m"], "Metaspace"),
    "array": (["-Xmx64m"], "Requested array size exceeds VM limit"),
    "overhead": (["-XX:+UseParallelGC", "-Xmx24m", "-XX:GCTimeLimit=10", "-XX:GCHeapFreeLimit=90"], "GC overhead limit exceeded"),
    "threads": (["-Xmx64m"], "native thread"),
}


def events(file, kind):
    r = t.jfr(17, "print", "--json", "--events", kind, file)
    return [e["values"] for e in json.loads(r.out)["recording"]["events"]]


def moments(file):
    """How many readings of memory are in the file so far."""
    r = t.wick("memory", "--json", file)
    return json.loads(r.out)["moments"] if r.status == 0 else 0


def exhaust(kind):
    options, words = KINDS[kind]
    collector = [] if "-XX:+UseParallelGC" in options else ["-XX:+UseSerialGC"]
    j = t.Jvm([*collector, *options, "-cp", classes, "Exhaust"], kind)
    t.check(f"{kind}: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    file = t.path(kind + ".jfr")
    live = ["-e", "cpu", "--live", "--alloc", "16k"] if java_version >= 11 else ["-e", "cpu"]
    r = t.start(j.pid, file, *live)
    t.check(f"{kind}: it is recorded", r.status == 0, r)
    failed = j.ask(kind, r"failed: (.*)", 120)
    others = []
    if kind == "overhead" and failed:  # whether the collector's overhead or the heap is exceeded first is the JVM's choice
        words, others = failed, ["Java heap space", "GC overhead limit exceeded"]
    t.check(f"{kind}: the program fails, and goes on", failed and words in failed and (not others or words in others), j.output()[-500:])
    t.check(f"{kind}: for a while", j.ask("again " + kind, r"failed: (.*)", 120), j.output()[-500:])
    # one at the start, one after the error
    t.check(f"{kind}: memory is read when it happened", t.until(lambda: moments(file) >= 2, 120), t.wick("memory", file))
    r = t.stop(j.pid)
    t.check(f"{kind}: the recording ends", r.status == 0, r)
    j.kill()
    found = events(file, "wick.OutOfMemory")
    t.check(f"{kind}: the errors are in it", len(found) >= 2 and any(words in e["message"] for e in found)
            and all(words in e["message"] or e["message"] in others for e in found), found)
    # a full heap has no room for what the agent's own threads ask of the JVM either
    threads = [e["eventThread"]["javaName"] for e in found if e["eventThread"] and not str(e["eventThread"]["javaName"]).startswith("wick-")]
    t.check(f"{kind}: with their thread", len(threads) >= 2 and set(threads) == {"victim"} and all(e["eventThread"] for e in found),
            found)
    t.check(f"{kind}: and whether it was the heap", all(e["javaHeap"] == (kind in ("heap", "overhead")) for e in found), found)
    t.check(f"{kind}: the JDK's tool reads it", not t.jfr_complaints(file), t.jfr_complaints(file))
    r = t.wick("explain", "--json", file)
    findings = [f for f in json.loads(r.out)["findings"] if f["rule"] == "out-of-memory"] if r.status == 0 else []
    for f in findings:
        print(f"# {kind}: {f['sentence']}")
    findings = [f for f in findings if f["figures"]["message"] not in others or words in f["sentence"]]
    t.check(f"{kind}: it is explained", len(findings) == 1 and words in findings[0]["sentence"], r)
    if kind == "heap" and java_version >= 11 and findings:
        sentence = findings[0]["sentence"]
        t.check("heap: with what filled it", "byte[] stay" in sentence and "from Exhaust.fill" in sentence, sentence)
        t.check("heap: and how large it may be", "of 48 MiB at most" in sentence or "of 47 MiB at most" in sentence, sentence)


def direct():
    """Of direct buffers the error is thrown by Java code, and not reported; their account is recorded."""
    j = t.Jvm(["-XX:+UseSerialGC", "-Xmx64m", "-XX:MaxDirectMemorySize=32m", "-cp", classes, "Exhaust"], "direct")
    t.check("direct: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    file = t.path("direct.jfr")
    r = t.start(j.pid, file, "-e", "cpu,nativemem", "--nativemem", "64k")
    t.check("direct: it is recorded", r.status == 0, r)
    failed = j.ask("direct", r"failed: (.*)", 120)
    t.check("direct: the program fails, and goes on", failed and "direct buffer memory" in failed.lower(), j.output()[-500:])
    # one at the start, one as the limit is reached
    t.check("direct: memory is read when it happened", t.until(lambda: moments(file) >= 2, 120), t.wick("memory", file))
    r = t.stop(j.pid)
    t.check("direct: the recording ends", r.status == 0, r)
    j.kill()
    found = events(file, "jdk.DirectBufferStatistics")
    t.check("direct: the account is in it", found and all(e["maxCapacity"] == 32 << 20 for e in found)
            and max(e["memoryPeak"] for e in found) == 32 << 20 and all(e["memoryUsed"] <= e["memoryPeak"] for e in found), found)
    r = t.wick("explain", "--json", file)
    findings = [f for f in json.loads(r.out)["findings"] if f["rule"] == "direct-memory"] if r.status == 0 else []
    for f in findings:
        print(f"# direct: {f['sentence']}")
    t.check("direct: it is explained", len(findings) == 1 and "used 32 MiB of 32 MiB" in findings[0]["sentence"]
            and "made in Exhaust.allocateDirect" in findings[0]["sentence"], r)


def killed():
    """The kernel kills a JVM whose heap may grow beyond its limit; what was recorded says so."""
    try:
        group = cgroup.Cgroup()
    except cgroup.Unavailable as e:
        t.skip("a kill by the kernel is explained", str(e))
        return
    group.limit_memory(160 << 20)
    j = t.Jvm(["-XX:+UseSerialGC", "-Xmx2g", "-cp", classes, "Exhaust"], "killed", prefix=group.prefix())
    t.check("killed: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    file = t.path("killed.jfr")
    t.check("killed: it is recorded", t.start(j.pid, file, "-e", "cpu").status == 0)
    t.check("killed: it fills a part of its heap", j.ask("part", r"(filled)"), j.output()[-500:])
    t.until(lambda: moments(file), 120)
    j.say("heap")
    t.check("killed: the kernel kills it", j.wait() == -9, j.output()[-500:])
    for title, words in (("while its cgroup is there", "counts since: 1"), ("without it", "if the process ended here")):
        if title == "without it":
            group.remove()
        r = t.wick("explain", "--json", file)
        found = [f for f in json.loads(r.out)["findings"] if f["rule"] == "oom-killed"] if r.status == 0 else []
        for f in found:
            print(f"# killed, {title}: {f['sentence']}")
        if title == "without it" and not found:  # the last poll, once a second, may have been far from the limit
            print("# killed, without it: nothing is said")
            continue
        t.check(f"killed: {title} it is explained", found and words in found[0]["sentence"], r)


for name in KINDS:
    exhaust(name)
direct()
killed()
t.done()
