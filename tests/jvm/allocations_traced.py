#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8
# ci: 8
"""Allocations on JDK 8, which does not sample them: breakpoints in libjvm show objects that did not fit into their thread's
buffer, and each stands for what the thread has allocated since the last one (src/engine/alloc/alloc_buffer.h).

Estimates are compared with what the program allocated, with buffers of 64 KiB so that there are many of them. A sample of an
object of s bytes that stands for w adds w (w - s) to the variance, none if it stands for itself. Checks are at 5.5
deviations (one false alarm in 26 million). Beside that 1 % is allowed, and where one site follows another two buffers of each thread. In all other runs what is checked is that
the program goes on, and that libjvm's code is what it was."""
import json
import math
import re

import jvmtest as t

SIGMAS = t.Sigmas(5.5)
SIZES = {"b16": 16, "b128": 128, "k1": 1 << 10, "k32": 32 << 10, "k512": 512 << 10, "m4": 4 << 20}
BUFFER = 64 << 10
classes = t.compile_java("Allocations")
SMALL = [f"-XX:TLABSize={BUFFER}", "-XX:MinTLABSize=2k", "-XX:-ResizeTLAB", "-XX:-FastTLABRefill"]
KINDS = {
    "Parallel": ["-XX:+UseParallelGC"],
    "G1": ["-XX:+UseG1GC"],
    "CMS": ["-XX:+UseConcMarkSweepGC"],
    "Serial": ["-XX:+UseSerialGC"],
    "no compressed class pointers": ["-XX:-UseCompressedClassPointers"],
    "objects at 16 bytes": ["-XX:ObjectAlignmentInBytes=16"],
    "heap verified": ["-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyBeforeGC", "-Xmx64m"],
    "interpreter": ["-Xint"],
}


def program(name, *options):
    j = t.Jvm(["-Xmx256m", *options, "-cp", classes, "Allocations"], name)
    t.check(f"{name}: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    return j


def ask(j, line):
    answer = j.ask(line, r"truth(.*)", 600)
    return [int(x) for x in answer.split()] if answer else []


def changed_code(j):
    """[(address, byte in memory)] where libjvm's code is not what its file has."""
    with open(f"/proc/{j.pid}/maps", encoding="utf-8") as maps:
        lines = [m for m in maps if "libjvm.so" in m and " r-xp " in m]
    out = []
    for line in lines:
        lo, hi, offset, path = re.match(r"(\w+)-(\w+) \S+ (\w+) \S+ \d+ +(\S+)", line).groups()
        lo, hi = int(lo, 16), int(hi, 16)
        with open(f"/proc/{j.pid}/mem", "rb") as memory, open(path, "rb") as file:
            memory.seek(lo)
            file.seek(int(offset, 16))
            a, b = memory.read(hi - lo), file.read(hi - lo)
        if a[: len(b)] != b:
            out += [(lo + i, x) for i, (x, y) in enumerate(zip(a, b)) if x != y]
    return out if lines else None


def estimates(file):
    """{method: (bytes, variance)}, by the frame nearest the leaf that is the program's; "" = none."""
    out = {}
    for e in json.loads(t.jfr(17, "print", "--json", "--stack-depth", "64", "--events", "jdk.ObjectAllocationSample", file).out)["recording"]["events"]:
        v = e["values"]
        own = [f["method"]["name"] for f in v["stackTrace"]["frames"] if f["method"]["type"]["name"] == "Allocations"]
        total, squares = out.get(own[0] if own else "", (0, 0))
        out[own[0] if own else ""] = total + v["weight"], squares + v["weight"] * (v["weight"] - v["allocationSize"])
    return out


def estimated(kind, command, threads, runs):
    j = program(kind, *KINDS[kind], *SMALL)
    ask(j, command)  # compiles what is hot
    file = t.path(f"{kind}-{command.split()[0]}.jfr")
    r = t.start(j.pid, file, "-e", "alloc=16k", "--alloc-rate", "0", "--ring", "16384")
    if not t.check(f"{kind}: a recording of allocations starts", r.status == 0, r):
        return file
    code = changed_code(j)
    t.check(f"{kind}: two bytes of libjvm are breakpoints", code is not None and len(code) == 2 and {b for _, b in code} == {0xCC}, code)
    truth, state = ask(j, command), t.status(j.pid)
    t.check(f"{kind}: and stops", t.stop(j.pid).status == 0)
    t.check(f"{kind}: libjvm is as it was", changed_code(j) == [], changed_code(j))
    t.check(f"{kind}: the counts add up", state["fired_alloc"] == state["recorded_alloc"] + state["dropped_alloc"] and state["dropped_alloc"] == 0 and
            state["alloc_odd"] == 0 and state["alloc_slow"] > 0, state)
    found = estimates(file)
    for (site, size), total in zip(SIZES.items(), truth):
        bytes_, squares = found.get(site, (0, 0))
        slack = SIGMAS * math.sqrt(squares) + 0.01 * total + 2 * (BUFFER + min(size, BUFFER)) * threads * runs
        print(f"# {kind}: {command}: {site}: {bytes_ / total - 1:+.2%}, allowed {slack / total:.2%}")
        t.check(f"{kind}: {command}: {site}: the estimate is what was allocated", total > 0 and abs(bytes_ - total) <= slack, f"true {total}, estimated {bytes_}")
    total = sum(b for b, _ in found.values())
    t.check(f"{kind}: {command}: so is the sum, with what ended threads had left", abs(total / sum(truth) - 1) < 0.03, f"{total} of {sum(truth)}")
    j.kill()
    return file


def the_event(file):
    values = [e["values"] for e in json.loads(t.jfr(17, "print", "--json", "--stack-depth", "3", "--events", "jdk.ObjectAllocationSample", file).out)["recording"]["events"]]
    own = [v for v in values if v["stackTrace"]["frames"][0]["method"]["type"]["name"] == "Allocations"]
    wrong = [v for v in own if v["objectClass"]["name"] != "[B" or v["allocationSize"] != SIZES.get(v["stackTrace"]["frames"][0]["method"]["name"])]
    t.check("class, size and leaf are those of the allocation", own and len(wrong) <= t.most_of(len(own), 1e-5), f"{len(wrong)} of {len(own)}: {wrong[:2]}")
    settings = {e["name"]: e["value"] for e in t.events(file, "jdk.ActiveSetting")}
    t.check("the recording names the source and its caveat", settings.get("source") == "AllocTracer" and "buffer" in settings.get("caveat", ""), settings)


def goes_on(kind):
    """Recordings start and stop while the program allocates."""
    j = program(kind, *KINDS[kind])
    j.say(f"each {4 if kind == 'interpreter' else 48} 3")
    for i in range(4):
        r = t.start(j.pid, t.path(f"on-{i}.jfr"), "-e", "cpu,alloc")
        t.check(f"{kind}: recording {i} starts", r.status == 0, r)
        t.check(f"{kind}: and stops", t.stop(j.pid).status == 0)
        t.check(f"{kind}: libjvm is as it was", changed_code(j) == [], changed_code(j))
    t.check(f"{kind}: the program has gone on", j.wait_for(r"truth", 600) and ask(j, "requests 200 65536 2 2"), j.output())
    j.kill()


def explained():
    """`wick explain PID` sets no breakpoints of its own accord."""
    j = program("explained")
    file = t.path("explained.jfr")
    r = t.wick("explain", "-d", "2", "-f", file, j.pid)
    t.check("wick explain records it", r.status == 0, r)
    settings = [e for e in t.events(file, "jdk.ActiveSetting") if e.get("name") == "source" and "AllocTracer" in e.get("value", "")]
    t.check("without allocations", t.events(file, "jdk.ExecutionSample") is not None and not settings, settings)
    with open(f"/proc/{j.pid}/status", encoding="utf-8") as f:
        caught = int(re.search(r"(?m)^SigCgt:\s*(\w+)", f.read())[1], 16)
    t.check("and leaves SIGTRAP alone", not caught >> 4 & 1, hex(caught))
    j.kill()


def refused():
    j = program("no buffers", "-XX:-UseTLAB")
    r = t.start(j.pid, t.path("no.jfr"), "-e", "alloc")
    t.check("without buffers there is a reason", r.status != 0 and "UseTLAB" in r.err, r)
    j.kill()
    j = program("live")
    r = t.start(j.pid, t.path("no.jfr"), "-e", "live")
    t.check("live objects are not followed, with the reason", r.status != 0 and "JDK 11" in r.err, r)
    r = t.start(j.pid, t.path("yes.jfr"), "-e", "alloc")
    t.check("allocations are sampled then", r.status == 0, r)
    t.stop(j.pid)
    j.kill()


the_event(estimated("Parallel", "each 96 2", 2, 1))
estimated("G1", "mixed 96 2", 2, 24)
for each in KINDS:
    goes_on(each)
explained()
refused()
t.done()
