#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25
# ci: 21
# alone
# timeout: 3600
"""wick explain on a map that grows, under each collector: live-set fires, with class and place; the same program without the
leak has no finding about memory. Concurrent collectors say how much of the heap is in use in their own way and at times of
their own (leaks.py has Serial and all kinds of leaks)."""
import json
import os
import re
import time

import jvmtest as t

BYTES, HEAP = 180000, 144  # MiB; Parallel's old generation, two thirds of it, has room for what has leaked at the end
TICKS, MOST_TICKS = 480, 500  # 24 s where nothing else runs
LIMIT = 3600  # seconds, in which run-tests ends all of it
RULES = ("memory-growth", "native-leak", "live-set", "heap-limit", "page-cache", "out-of-memory")
IN_CI = ("Z", "ZGenerational", "Shenandoah")
classes = t.compile_java("Memory", "NativeMem")
t.compile_java("Leak", classpath=classes)


def collectors():
    found = [(n, o) for n, o in t.collectors() if n not in ("Serial", "Epsilon", "ConcMarkSweep")]
    if t.JDK == 25:
        found.append(("ShenandoahGenerational", ["-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"]))
    return [(n, o) for n, o in found if not os.environ.get("CI") or n in IN_CI]


class Service:
    def __init__(self, name, options, way):
        self.name, self.way, self.file = f"{name}, {way}", way, t.path(f"{name}-{way}.jfr")
        times = 2 if name == "Z" and t.JDK == 11 else 1  # of 128 MiB that one cannot give out a third before it is out of memory
        self.jvm = t.Jvm([*options, f"-Xmx{times * HEAP}m", "-Xms16m", f"-Dticks={MOST_TICKS}", "-cp", classes, "Leak", way, str(times * BYTES)],
                         f"{name}-{way}")
        self.runs = bool(self.jvm.wait_for(r"(?m)^up"))

    def ticks(self):
        return int((re.findall(r"(?m)^tick (\d+)$", self.jvm.output()) or [0])[-1])

    def start(self):
        t.check(f"{self.name}: it is at work", self.jvm.wait_for(r"(?m)^warm$", LIMIT), self.jvm.output())
        r = t.start(self.jvm.pid, self.file, "-e", "cpu", "--live", "--alloc", "32k", "--memory-interval", "1")
        t.check(f"{self.name}: it is recorded", r.status == 0, r)
        self.jvm.say("go")

    def stop(self):
        t.check(f"{self.name}: it does its work", self.ticks() >= TICKS, self.jvm.output()[-500:])
        r = t.stop(self.jvm.pid)
        t.check(f"{self.name}: the recording ends", r.status == 0, (r, self.jvm.output()[-500:]))
        self.jvm.kill()

    def findings(self):
        r = t.wick("explain", "--json", self.file, seconds=LIMIT)
        t.check(f"{self.name}: explain reads it", r.status == 0, r)
        found = [f for f in json.loads(r.out)["findings"] if f["rule"] in RULES] if r.status == 0 else []
        for f in found:
            print(f"# {self.name}: {f['rule']}: {f['sentence']}")
        return found


def judge(service):
    found = service.findings()
    if service.way == "none":
        t.check(f"{service.name}: nothing of memory is found", not found, found)
        return
    t.check(f"{service.name}: live-set is found, and nothing else of its kind", [f["rule"] for f in found] == ["live-set"], found)
    sentence = found[0]["sentence"] if found else ""
    t.check(f"{service.name}: class and place are named", "byte[]" in sentence and "Leak.putIntoMap" in sentence, sentence)


def check(name, options):
    services = [Service(name, options, way) for way in ("map", "none")]
    if not all(s.runs for s in services):
        if t.check(f"{name}: the JVM runs", name.startswith("Shenandoah"), services[0].jvm.output()):
            t.skip(f"{name}: this JVM has no such collector", "it does not start")
        return
    for s in services:
        s.start()
    for s in services:  # the map first, as soon as it has done its ticks: what has become full is flat at the end; the other may go on
        while s.ticks() < TICKS and s.jvm.proc.poll() is None:
            time.sleep(0.1)
        s.stop()
    for s in services:
        judge(s)


for each in collectors():
    check(*each)
t.done()
