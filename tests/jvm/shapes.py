#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 21
# alone
"""wick explain on programs that give their collector one kind of work: humongous allocations, promotion of objects that die
soon, a heap that is much too large, finalizers that do not keep up. Each is named, with class and place where objects are
sampled; a healthy program has none of them. All run at the same time."""
import json
import re
import time

import jvmtest as t

RULES = ("humongous-allocation", "promotion", "oversized-heap", "cleaners-behind")
classes = t.compile_java("Shapes")
java_version = int(t.JDK)

# program: options of the JVM, what is found
PROGRAMS = {
    "humongous": (["-XX:+UseG1GC", "-XX:G1HeapRegionSize=1m", "-Xmx64m", "-XX:InitiatingHeapOccupancyPercent=10"], "humongous-allocation",
                  ("byte[]", "from Shapes.humongous")),
    "promoted": (["-XX:+UseSerialGC", "-Xmx64m", "-Xms64m", "-Xmn4m"], "promotion", ("byte[]", "at Shapes.promoted")),
    "empty": (["-XX:+UseSerialGC", "-Xms300m", "-Xmx300m", "-XX:+AlwaysPreTouch"], "oversized-heap", ("of 300 MiB at most",)),
    "finalized": (["-XX:+UseSerialGC", "-Xmx64m"], "cleaners-behind", ("Finalizer", "Shapes$Slow")),
    "healthy": (["-XX:+UseG1GC", "-Xmx200m"], None, ()),
}
SECONDS = 12
PAUSES_MOST = 0.05 / 16  # in a sixteenth of the heap they would take 0.05 of the time


class Program:
    def __init__(self, name, options):
        self.name, self.file = name, t.path(name + ".jfr")
        self.jvm = t.Jvm([*options, "-cp", classes, "Shapes", name], name)
        # what is finalized has been collected at least once
        t.check(f"{name}: the program runs", self.jvm.wait_for(r"(?m)^collected" if name == "finalized" else r"(?m)^up"), self.jvm.output())
        objects = ["--alloc", "64k"] if java_version >= 11 else []
        r = t.start(self.jvm.pid, self.file, "-e", "wall", *objects, "--memory-interval", "1")
        t.check(f"{name}: it is recorded", r.status == 0, r)

    def findings(self):
        r = t.stop(self.jvm.pid)
        t.check(f"{self.name}: the recording ends", r.status == 0, r)
        self.jvm.kill()
        r = t.wick("explain", "--json", self.file)
        answer = json.loads(r.out) if t.check(f"{self.name}: explain reads it", r.status == 0, r) else {"findings": []}
        found, self.seconds = answer["findings"], answer.get("duration_ns", 0) / 1e9
        for f in found:
            print(f"# {self.name}: {f['rule']}: {f['sentence']}")
        return [f for f in found if f["rule"] in RULES]

    def stopped(self):
        """The share of the recording in which collections stopped the JVM."""
        pauses = sum(t.json_seconds(e["sumOfPauses"]) for e in t.json_values(self.file, "jdk.GarbageCollection"))
        return pauses / self.seconds if self.seconds else 0


programs = {name: Program(name, row[0]) for name, row in PROGRAMS.items()}
# on a busy machine the large heap may have been collected before its recording began, or these have begun
before_recording = max(map(int, re.findall(r"collected (\d+)\n", programs["empty"].jvm.output())), default=0)
time.sleep(SECONDS)
enough = before_recording + 5
t.check("the large heap is collected now and then", programs["empty"].jvm.wait_for(rf"collected {enough}\n"))
for name, (_, rule, words) in PROGRAMS.items():
    found = programs[name].findings()
    if not rule:
        t.check(f"{name}: nothing of the kind is found", not found, found)
        continue
    if rule == "oversized-heap" and (stopped := programs[name].stopped()) > PAUSES_MOST:
        print(f"# {name}: collections stopped the JVM for {stopped:.2%} of the time, by the machine's doing: too much for a smaller heap")
        t.check(f"{name}: nothing is found where pauses are long", not found, found)
        continue
    t.check(f"{name}: {rule} is found, and nothing else of the kind", [f["rule"] for f in found] == [rule], found)
    if found and (java_version >= 11 or rule not in ("humongous-allocation", "promotion")):
        t.check(f"{name}: with {', '.join(words)}", all(w in found[0]["sentence"] for w in words), found[0]["sentence"])
t.done()
