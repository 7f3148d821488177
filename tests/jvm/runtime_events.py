#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What explains pauses is in every recording, and agrees with what the JVM says of itself."""
import re
import time

import jvmtest as t

classes = t.compile_java("Tardy")
GCS = 12
file = t.path("runtime.jfr")
j = t.Jvm([f"-agentpath:{t.AGENT}=start,event=cpu,file={file}", "-XX:+UseSerialGC", "-Xmx64m", "-cp", classes, "Tardy",
           "prompt"], "runtime")
t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())
t.check("it collects", j.ask(f"gc {GCS}", "(gc done)") is not None, j.output())
time.sleep(1.5)
t.check("the recording ends", t.stop(j.pid).status == 0)
j.kill()

gcs = [e for e in t.events(file, "jdk.GarbageCollection") if e["cause"] == "System.gc()"]
t.check("each collection is reported once, with its cause", len(gcs) == GCS, gcs)
t.check("with its collector and the heap after it",
        all(e["name"] and not e["heapUsedAfter"].startswith("0 ") and e["duration"] for e in gcs), gcs[:2])


def last(kind):
    found = t.events(file, kind)
    t.check(f"{kind} is written", len(found) >= 1, found)
    return found[-1] if found else {}


safepoints = last("wick.Safepoints")
t.check("safepoints are counted", int(safepoints.get("count", 0)) >= GCS, safepoints)
t.check("classes are counted", int(last("jdk.ClassLoadingStatistics").get("loadedClassCount", 0)) > 100)
rss = last("jdk.ResidentSetSize").get("size", "")
t.check("resident memory is reported", re.match(r"[\d.]+ MB", rss), rss)
machine = last("wick.MachineTime")
t.check("time of the machine is shared out", all(machine.get(k, "").endswith("%") for k in ("user", "steal")), machine)
last("wick.CodeCache")
complaints = t.jfr_complaints(file)
t.check("jfr of JDK 17 and 21 accept the recording", not complaints, complaints)
t.done()
