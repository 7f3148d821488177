#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 21 25
# ci: 21
"""Events of waits, spans and slow threads have the names that their threads had then, as samples have (renames.py, which says
what chance has a part in): twelve steps, in each of which a thread has another name. An event has the name that follows if the
drain thread is kept waiting for longer than the rest between two steps, one time in ten at most."""
import datetime
import json

import jvmtest as t

STEPS = 12
JAR = t.os.path.join(t.BUILD, "java/wick.jar")
classes = t.compile_java("EventNames", classpath=JAR)
KINDS = ["wick.Span", "jdk.JavaMonitorEnter", "wick.LockOwner", "wick.SafepointLaggard", "wick.SafepointArrival"]
collector = {11: "UseParallelGC", 21: "UseG1GC", 25: "UseZGC"}[t.JDK]


def time_of(event):
    text = event["startTime"]
    whole, rest = text[:19], text[19:]
    fraction = rest[1:].split("+")[0].split("Z")[0] if rest.startswith(".") else "0"
    return datetime.datetime.fromisoformat(whole).timestamp() + float("0." + fraction)


def name_of(thread):
    return (thread or {}).get("javaName") or ""


j = t.Jvm(["-Xmx128m", f"-XX:+{collector}", "-XX:-UseCountedLoopSafepoints", "-cp", classes + ":" + JAR, "EventNames"], "names")
t.check("the program runs", j.wait_for("(?m)^up"), j.output())
file = t.path("names.jfr")
r = t.start(j.pid, file, "-e", "lock,ttsp", "--lock", "1us")
t.check("a recording starts", r.status == 0, r)
done = j.ask("", "(done)", 900)
r = t.stop(j.pid)
t.check("the program ends its work", done and r.status == 0, (r, j.output()))
j.kill()

r = t.jfr(17, "print", "--json", "--events", ",".join(KINDS), file)
events = {k: [] for k in KINDS}
for e in json.loads(r.out)["recording"]["events"]:
    events[e["type"]].append(e["values"])
spans = sorted((time_of(e), int(e["spanId"], 16) - 1) for e in events["wick.Span"])


def step_of(event):
    """The step that the time is in."""
    at = time_of(event)
    return next((i for start, i in reversed(spans) if start <= at + 0.05), 0)


def check(title, found):
    """found: (step, the number in the name). One for each step counts."""
    steps = {}
    for step, number in found:
        steps.setdefault(step, set()).add(number)
    right = sum(i in names for i, names in steps.items())
    next_one = sum(i not in names and i + 1 in names for i, names in steps.items())
    earlier = len(steps) - right - next_one
    t.check(title, right >= t.least_of(STEPS, 0.9) and earlier <= t.most_of(STEPS, 0.1), sorted(steps.items()))
    print(f"# {title}: {right} of {STEPS} right, {next_one} with the next name, {earlier} with another")


def numbers(events_, key, prefix, step=step_of):
    for e in events_:
        name = name_of(e[key])
        if name.startswith(prefix) or name in ("never seen", "not seen"):
            yield step(e), int(name[len(prefix):]) if name.startswith(prefix) else -1


waits = [e for e in events["jdk.JavaMonitorEnter"] if (e["monitorClass"] or {}).get("name") == "java/lang/Object"]
check("spans", list(numbers(events["wick.Span"], "eventThread", "work-", lambda e: int(e["spanId"], 16) - 1)))
check("waits", list(numbers(waits, "eventThread", "work-")))
check("owners of what is waited for", list(numbers(waits, "previousOwner", "owner-")))
check("owners while they are waited for", list(numbers(events["wick.LockOwner"], "eventThread", "owner-")))
check("slow threads", list(numbers(events["wick.SafepointLaggard"], "eventThread", "work-")))
check("slow threads that arrive", list(numbers(events["wick.SafepointArrival"], "eventThread", "work-")))
t.done()
