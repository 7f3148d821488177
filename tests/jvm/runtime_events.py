#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What explains pauses is in every recording, and agrees with what the JVM says of itself."""
import re
import socket
import time

import jvmtest as t

classes = t.compile_java("Tardy")
GCS = 12
CONNECTIONS = 8


def overflow():
    """More connections than a listening socket has room for, which nobody accepts."""
    server = socket.create_server(("127.0.0.1", 0), backlog=1)
    clients = [socket.socket() for _ in range(CONNECTIONS)]
    for c in clients:
        c.setblocking(False)
        c.connect_ex(server.getsockname())
    time.sleep(0.5)
    for s in (server, *clients):
        s.close()


file = t.path("runtime.jfr")
j = t.Jvm([f"-agentpath:{t.AGENT}=start,event=cpu,file={file}", "-XX:+UseSerialGC", "-Xmx64m", "-cp", classes, "Tardy",
           "prompt"], "runtime")
t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())
overflow()
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
tcp = [int(e["listenOverflows"]) for e in t.events(file, "wick.TcpStatistics")]
t.check("connections that a listening socket has no room for are counted", len(tcp) >= 2 and tcp[-1] >= tcp[0] + CONNECTIONS // 2, tcp)
complaints = t.jfr_complaints(file)
t.check("jfr of JDK 17 and 21 accept the recording", not complaints, complaints)
t.done()
