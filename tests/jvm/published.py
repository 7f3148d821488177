#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""Samples carry the trace contexts that a native library publishes, whether it is loaded before a recording or during it.

Which method a sample is in says what context it must have. The compiled method's edges and the calls of the library cannot be
separated to the instruction, so 2 % may differ."""
import collections
import json

import jvmtest as t

JAR = t.os.path.join(t.BUILD, "java/wick.jar")
LIBRARY = t.os.path.join(t.BUILD, "tests/jvm/libwicktestpublisher.so")
STEADY = ("11112222333344448555666677778888", "00000000000009aa")
HALF = ("00000000000000f00000000000000001", "0000000000000002")
BOTH = ("00000000000000b00000000000000003", "0000000000000004")
NONE = ("", "")


def samples(file):
    """[(thread, methods, (trace id, span id), endpoint)]"""
    out = []
    for e in json.loads(t.jfr(17, "print", "--json", "--stack-depth", "64", "--events", "jdk.ExecutionSample", file).out)["recording"]["events"]:
        v = e["values"]
        c = t.context(v["context"])
        methods = {f["method"]["name"] for f in (v["stackTrace"] or {"frames": []})["frames"]}
        out.append((v["sampledThread"]["javaName"] or v["sampledThread"]["osName"], methods,
                    (c.get("traceId") or "", c.get("spanId") or ""), c.get("endpoint") or ""))
    return out


def share(title, rows, thread, method, ids, endpoint=""):
    """98 % of the samples of a thread in a method have those ids and that endpoint, but for what chance may leave out of
    so many (t.FALSE_ALARM)."""
    seen = collections.Counter((i, e) for name, methods, i, e in rows if name == thread and method in methods)
    n = sum(seen.values())
    t.check(title, n >= 30 and seen[(ids, endpoint)] >= t.least_of(n, 0.98), f"{n} samples: {seen}")
    print(f"# {seen[(ids, endpoint)]} of {n}")


def record(j, name, work, during=lambda: None):
    file = t.path(name + ".jfr")
    r = t.start(j.pid, file, "-i", "4ms")
    t.check(f"{name}: a recording starts", r.status == 0, r)
    t.work_for(j, 0.3)
    during()
    t.work_for(j, work)
    t.stop(j.pid)
    return file


def load(j):
    j.say("load")
    t.check("the library is loaded", j.wait_for("loaded"), j.output())


def main():
    classes = t.compile_java("Published", classpath=JAR)
    j = t.Jvm(["-Xmx64m", "-cp", f"{classes}:{JAR}", "Published", LIBRARY], "published")
    t.check("the program is up", j.wait_for("up"), j.output())
    rows = samples(record(j, "during", 1.5, lambda: load(j)))
    seen = collections.Counter(ids for name, _, ids, _ in rows if name == "steady")
    t.check("loaded during a recording: samples get the ids", seen[STEADY] >= 10 and set(seen) <= {STEADY, NONE}, seen)
    print(f"# {seen}")
    file = record(j, "before", 3)
    rows = samples(file)
    share("loaded before: a published context is in the samples", rows, "steady", "compute", STEADY)
    share("also where it comes and goes", rows, "half", "inside", HALF)
    share("and nothing where it is not valid", rows, "half", "outside", NONE)
    own = ("0000000000000005", "0000000000000006")
    share("a context of wick.jar goes before it", rows, "both", "inside", own, "GET /own")
    share("and gives way to it again", rows, "both", "outside", BOTH)
    share("a thread that never published has none", rows, "bare", "compute", NONE)
    top = json.loads(t.wick("top", "--json", "-n", "0", "--by", "traceId", file).out)
    names = {row["name"] for row in top["rows"]}
    t.check("wick top distinguishes traces", {STEADY[0], HALF[0], BOTH[0], own[0], "[none]"} <= names, names)
    t.done()


main()
