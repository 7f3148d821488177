#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 11 17 21 25
# ci: 21 25
"""wick heap PID of JVMs with each collector, with compressed pointers off, and with compact headers: counts, sizes,
dominators and who holds what was planted, as another reader and the JVM's histogram have them."""
import os
import re

import hprof
import jvmtest as t
from heapcheck import counts_agree, dominators_agree, holders_are_found, jcmd, sizes_agree, wick_json

COMMON = {"parallel": ["-XX:+UseParallelGC"], "g1": ["-XX:+UseG1GC"], "zgc": ["-XX:+UseZGC"],
          "shenandoah": ["-XX:+UseShenandoahGC"], "uncompressed": ["-XX:-UseCompressedOops"]}
OPTIONS = {8: {"parallel": COMMON["parallel"], "g1": COMMON["g1"], "cms": ["-XX:+UseConcMarkSweepGC"],
               "uncompressed": COMMON["uncompressed"]},
           11: {**COMMON, "zgc": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"]},
           17: COMMON,
           21: {**COMMON, "generational": ["-XX:+UseZGC", "-XX:+ZGenerational"]},
           25: {**COMMON, "compact": ["-XX:+UseCompactObjectHeaders"],
                "compact-zgc": ["-XX:+UseCompactObjectHeaders", "-XX:+UseZGC"],
                "generational": ["-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"]}}
IN_CI = {21: ("zgc", "uncompressed"), 25: ("zgc", "shenandoah", "compact", "compact-zgc")}  # heap.py has Serial, others dump like it

classes = t.compile_java("Heap")
for name, options in OPTIONS[t.JDK].items():
    if os.environ.get("CI") and name not in IN_CI[t.JDK]:
        continue
    with t.titled(name):
        j = t.Jvm(["-Xmx128m", *options, "-cp", classes, "Heap"], name)
        if not j.wait_for(r"(?m)^up"):
            t.check("the program is up", False, j.output())
            continue
        file = t.path(f"{name}.hprof")
        t.check("a dump is taken", "created" in jcmd(j, "GC.heap_dump", "-all", file).out)
        document = wick_json(file)
        another = hprof.Dump(file)
        counts_agree(document, another)
        sizes_agree(j, document, in_order=not re.search("UseZGC|UseShenandoahGC", " ".join(options)))
        dominators_agree(document, another)
        holders_are_found(file, document)
        live = wick_json(str(j.pid))
        planted = {c["class"]: c["objects"] for c in live["classes"]} if live else {}
        t.check("a running JVM is dumped", planted.get("Heap$Entry") == 1500, planted)
        j.kill()
        os.unlink(file)
t.done()
