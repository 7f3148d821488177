#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 25
# alone
"""wick explain on services that leak in one way each: the right part is named, of the heap also class and place,
of native memory the stack, where it is recorded; healthy ones, one that allocates much and one whose memory comes and goes have no
such finding. Readings come every second here
instead of every ten; services run at the same time, those whose native memory is recorded after the others. A leak begins when its
recording does, and the recording is stopped when it has done its ticks, not when all have: heaps and files have an end, which a
service would reach while it waits for others on a crowded machine."""
import json
import os
import re
import time

import cgroup
import jvmtest as t

MIB = 1 << 20
TICKS = 480  # 24 s where nothing else runs
PATIENCE = 400  # seconds for all of them; a crowded machine takes some times as long as a quiet one
RULES = ("memory-growth", "native-leak", "live-set", "heap-limit", "page-cache")
LIB = os.path.join(t.BUILD, "tests/jvm/libwicknativemem_lazy.so")
classes = t.compile_java("Memory", "NativeMem")
t.compile_java("Leak", classpath=classes)
java_version = int(t.JDK)
file = t.path("mapped.bin")
with open(file, "wb") as f:
    f.truncate(1 << 30)
    for _ in range(700):
        f.write(bytes(MIB))

# service: its words, its heap in MiB; what is found: rule, part or class, and where
LEAKS = {
    "map": (("map", "180000"), 128, "live-set", "byte[]", "Leak.putIntoMap"),
    "listeners": (("listeners", "180000"), 128, "live-set", "byte[]", "Leak$Listener.<init>"),
    "locals": (("locals", "180000"), 128, "live-set", "byte[]", "Leak.addToLocal"),
    "threads": (("threads",), 64, "memory-growth", "thread stacks", "threads"),
    "loaders": (("loaders",), 256, "memory-growth", "metaspace", "class loaders"),
    "direct": (("direct", "400000"), 64, "memory-growth", "malloc", None),
    "files": (("files", file), 64, "memory-growth", "mapped files", None),
}
# service: its words, its heap; of native memory the frames that are named
NATIVE = {
    "nativedirect": (("direct", "400000"), 64, ("allocateMemory", "Leak.direct")),
    "malloc": (("malloc", "400000", LIB), 64, ("NativeMem.leak", "NativeMem.leakInJava", "by_malloc")),
    "mmap": (("mmap", "400000", LIB), 64, ("NativeMem.leak", "NativeMem.leakInJava", "by_mmap")),
}
MADE_IN = {"threads": "Leak.startThread", "direct": "Leak.direct", "loaders": "Memory$Loader.<init>", "files": "Leak.mapFile"}
HEALTHY = {
    "healthy": (("none", "400000"), 64),
    "big": (("none", "20000000"), 400),
    "bursts": (("bursts", "400000"), 64),
}


class Service:
    def __init__(self, name, words, heap):
        more = ["-XX:MaxDirectMemorySize=1g", "-XX:+UseSerialGC", f"-Xmx{heap}m", "-Xms16m"]
        self.name, self.file = name, t.path(name + ".jfr")
        self.jvm = t.Jvm([*more, "-cp", classes, "Leak", *words], name)
        t.check(f"{name}: the service runs", self.jvm.wait_for(r"(?m)^up"), self.jvm.output())

    def start(self):
        what = ["-e", "cpu", "--live", "--alloc", "32k"] if java_version >= 11 else ["-e", "cpu"]
        if self.name in NATIVE or self.name in HEALTHY:
            what += ["--nativemem", "512k"]
        r = t.start(self.jvm.pid, self.file, *what, "--memory-interval", "1")
        t.check(f"{self.name}: it is recorded", r.status == 0, r)
        self.jvm.say("go")

    def ticks(self):
        return int((re.findall(r"(?m)^tick (\d+)$", self.jvm.output()) or [0])[-1])

    def stop(self):
        t.check(f"{self.name}: it does its work", self.ticks() >= TICKS, self.jvm.output()[-500:])
        r = t.stop(self.jvm.pid)
        t.check(f"{self.name}: the recording ends", r.status == 0, (r, self.jvm.output()[-500:]))
        self.jvm.kill()

    def findings(self):
        r = t.wick("explain", "--json", self.file, seconds=PATIENCE)
        t.check(f"{self.name}: explain reads it", r.status == 0, r)
        found = json.loads(r.out)["findings"] if r.status == 0 else []
        for f in found:
            print(f"# {self.name}: {f['rule']}: {f['sentence']}")
        return [f for f in found if f["rule"] in RULES]


def check_leak(name, found):
    _, _, rule, what, where = LEAKS[name]
    of_rule = [f for f in found if f["rule"] == rule]
    t.check(f"{name}: {rule} is found", of_rule, found)
    others = [f for f in found if f["rule"] != rule]
    t.check(f"{name}: nothing else of its kind is", not others and len(of_rule) < 2, found)
    if not of_rule:
        return
    sentence = of_rule[0]["sentence"]
    if "made in" in sentence:  # by chance few stacks of that kind are sampled
        t.check(f"{name}: so is who makes them", "made in " + MADE_IN[name] in
                sentence, sentence)
    if rule == "memory-growth":
        t.check(f"{name}: the part is named", sentence.startswith(what), sentence)
        t.check(f"{name}: and of what there are more", not where or where + " more than at the start" in sentence, sentence)
    elif java_version >= 11:
        t.check(f"{name}: class and place are named", what in sentence and where in sentence, sentence)


def check_native(name, found):
    leak = [f for f in found if f["rule"] == "native-leak"]
    t.check(f"{name}: native-leak is found", len(leak) == 1, found)
    t.check(f"{name}: and nothing else but the part that grows", not [f for f in found if f["rule"] not in ("native-leak", "memory-growth")],
            found)
    for frame in NATIVE[name][2] if leak else ():
        t.check(f"{name}: {frame} is named", frame in leak[0]["sentence"], leak[0])


def heap_limit():
    """A heap of 600 MiB in a limit of 612 MiB."""
    try:
        group = cgroup.Cgroup()
    except cgroup.Unavailable as e:
        t.skip("a heap too large for its limit is named", str(e))
        return
    group.limit_memory(612 * MIB)
    for heap, fires in ((600, True), (200, False)):
        j = t.Jvm(["-XX:+UseSerialGC", f"-Xmx{heap}m", "-cp", classes, "Leak", "none", "400000"], f"limit{heap}",
                  prefix=group.prefix())
        t.check(f"limit, {heap} MiB: the service runs", j.wait_for(r"(?m)^up"), j.output())
        file = t.path(f"limit{heap}.jfr")
        t.check(f"limit, {heap} MiB: it is recorded", t.start(j.pid, file, "-e", "cpu").status == 0)
        t.until(lambda: t.wick("memory", file).status == 0, 120)  # the first reading
        t.stop(j.pid)
        j.kill()
        r = t.wick("explain", "--json", file)
        found = [f for f in json.loads(r.out)["findings"] if f["rule"] == "heap-limit"] if r.status == 0 else []
        t.check(f"limit, {heap} MiB: heap-limit " + ("fires" if fires else "does not"), bool(found) == fires, r)
        for f in found:
            print(f"# limit: {f['sentence']}")
            t.check("limit: with its arithmetic", "grow to 600 MiB in a limit of 612 MiB, which leaves 12 MiB" in f["sentence"], f)
    group.remove()


def run(rows):
    """{service: findings} of services that run at the same time; more of them would starve each other."""
    services = {name: Service(name, *row[:2]) for name, row in rows.items()}
    for s in services.values():
        t.check(f"{s.name}: it is at work", s.jvm.wait_for(r"(?m)^warm$", 300), s.jvm.output())
    for s in services.values():
        s.start()
    running, end = list(services.values()), time.monotonic() + PATIENCE
    while running:
        for s in [s for s in running if s.ticks() >= TICKS or s.jvm.proc.poll() is not None or time.monotonic() > end]:
            s.stop()
            running.remove(s)
        time.sleep(0.1)
    return {name: s.findings() for name, s in services.items()}


found = run({**LEAKS, **HEALTHY}) | run(NATIVE)
for name in LEAKS:
    check_leak(name, found[name])
for name in NATIVE:
    check_native(name, found[name])
for name in HEALTHY:
    t.check(f"{name}: nothing of memory is found", not found[name], found[name])
heap_limit()
os.unlink(file)
t.done()
