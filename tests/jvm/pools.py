#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 11 17 21 25
# ci: 11 25
"""How many threads and tasks a program's thread pools have, read from its own objects with each collector."""
import datetime
import json
import os
import re

import jvmtest as t

classes = t.compile_java("Pools")
# name: queue, threads, core, maximum, tasks in the queue, its capacity
POOLS = {
    "linked": ("LinkedBlockingQueue", 2, 2, 8, 98, -1),
    "bounded": ("ArrayBlockingQueue", 1, 1, 1, 30, 50),
    "direct": ("SynchronousQueue", 3, 0, 7, 0, 0),
    "later": ("ScheduledThreadPoolExecutor$DelayedWorkQueue", 1, 1, 2147483647, 4000, -1),
    "timer": ("TaskQueue", 1, 1, 1, 40, -1),
    "stuck": ("ScheduledThreadPoolExecutor$DelayedWorkQueue", 1, 1, 2147483647, 2, -1),
    "slow": ("TaskQueue", 1, 1, 1, 2, -1),
}
WEB = {
    "web": ("TaskQueue", 10, 4, 10, 37, 500),
    "calls": ("LinkedBlockingQueue", 2, 2, 2, 29, -1),
}
JARS = [f"/usr/share/java/{jar}.jar" for jar in ("tomcat9-util", "tomcat9-juli", "netty-common")]
READINGS = 8  # of the queue that grows
PATIENCE_SECONDS = 120


def readings(file):
    """{what its threads' names have in common: [(queue's class, threads, core, maximum, tasks, capacity, cancelled)]}"""
    found = {}
    for e in t.events(file, "wick.ThreadPool"):
        name = e["eventThread"].split('"')[0].rstrip("-0123456789")
        numbers = [int(e[k]) for k in ("threads", "corePoolSize", "maximumPoolSize", "queued", "capacity", "cancelled")]
        found.setdefault(name, []).append((e["queueClass"].split(" ")[0].rpartition(".")[2], *numbers))
    return found


def overdue(file, pool):
    """[(s of the reading, s for which the next task of that scheduler has been due)], where that is known"""
    found = []
    for e in json.loads(t.jfr(17, "print", "--json", "--events", "wick.ThreadPool", file).out)["recording"]["events"]:
        v = e["values"]
        late = re.fullmatch(r"PT(?:(\d+)M)?(?:([\d.]+)S)?", v["overdue"])
        if late and v["eventThread"]["osName"] == pool:
            seconds = 60 * int(late[1] or 0) + float(late[2] or 0)
            found.append((datetime.datetime.fromisoformat(v["startTime"][:26]).timestamp(), seconds))
    return sorted(found)


def web(name, options, library):
    """Pools of classes that are not the JDK's, which a class loader of the program has loaded."""
    file = t.path(name + "-web.jfr")
    j = t.Jvm([*options, "-Xmx256m", "-cp", library, "WebPools"], name + "-web")
    t.check(f"{name}: a JVM with pools of libraries runs", j.wait_for(r"(?m)^up", 120), j.output())
    r = t.wick("start", "-q", *t.PATIENT, "--lib", t.AGENT, "-e", "wall", "--filter", "all", "-f", file, j.pid)
    t.check(f"{name}: it is recorded", r.status == 0, r.err)
    t.until(lambda: all(len(readings(file).get(pool, [])) >= READINGS for pool in WEB), PATIENCE_SECONDS, 1)
    t.check(f"{name}: that recording ends", t.stop(j.pid).status == 0)
    j.kill()
    found = readings(file)
    for pool, wanted in WEB.items():
        seen = {r[:6] for r in found.get(pool, [])}
        t.check(f"{name}: {pool} of a library is always read as it is", seen == {wanted}, (pool, seen, wanted))


runs = t.collectors()
runs += [("Wide", ["-XX:+UseSerialGC", "-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"])] if t.JDK < 27 else []
runs += [("Compact", ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"])] if t.JDK >= 24 else []
libraries = ":".join([*JARS, classes]) if all(os.path.exists(jar) for jar in JARS) else None
if libraries:
    t.compile_java("WebPools", classpath=libraries)
else:
    t.skip("pools of libraries", "libtomcat9-java or libnetty-java is not installed")
for name, options in runs:
    if name == "Epsilon":  # which moves nothing, and has no room for the garbage
        continue
    file = t.path(name + ".jfr")
    j = t.Jvm([*options, "-Xmx256m", "-cp", classes, "Pools"], name)
    t.check(f"{name}: the JVM runs", j.wait_for(r"(?m)^up", 120), j.output())
    r = t.wick("start", "-q", *t.PATIENT, "--lib", t.AGENT, "-e", "wall", "--filter", "all", "-f", file, j.pid)
    t.check(f"{name}: the recording begins", r.status == 0, r.err)
    t.check(f"{name}: the queue begins to grow", j.ask("grow", "(grows)") is not None, j.output())
    t.until(lambda: len(readings(file).get("grows", [])) >= READINGS, PATIENCE_SECONDS, 1)
    t.check(f"{name}: the recording ends", t.stop(j.pid).status == 0)
    j.kill()
    found = readings(file)
    for pool, (queue, threads, core, maximum, tasks, capacity) in POOLS.items():
        seen = {r[:6] for r in found.get(pool, [])}
        wanted = {(queue, threads, core, maximum, tasks, capacity)}
        t.check(f"{name}: {pool} is always read as it is", seen == wanted, (pool, seen, wanted))
    t.check(f"{name}: cancelled tasks of the scheduler are estimated",
            all(2400 <= r[6] <= 3600 for r in found.get("later", [])), found.get("later"))
    t.check(f"{name}: those of the timer are counted", all(r[6] == 10 for r in found.get("timer", [])), found.get("timer"))
    for pool in ("stuck", "slow"):
        late = overdue(file, pool)
        passed = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(late[:1], late[-1:])]
        t.check(f"{name}: the next task of {pool} has been due for as long as passes between readings",
                len(late) > 1 and all(by <= 2 * time and time <= 2 * by for time, by in passed), late)
    t.check(f"{name}: no task of the timer is due", {late for _, late in overdue(file, "timer")} == {0.0},
            overdue(file, "timer"))
    said = {f["rule"]: f for f in json.loads(t.wick("explain", file, "--json").out)["findings"]}
    t.check(f"{name}: the queue that grows is reported",
            said.get("growing-queue", {}).get("figures", {}).get("pool") == "grows", list(said))
    t.check(f"{name}: the cancelled tasks are", "cancelled-tasks" in said, list(said))
    if libraries:
        web(name, options, libraries)
t.done()
