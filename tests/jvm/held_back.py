#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 11 21 25
# ci: 8 21
"""Threads that write a question in two small writes wait for its answer in STATE_HELD_BACK, with a time-out of the socket or without;
those that set TCP_NODELAY, or write it at once, wait as long for a slow server in STATE_IO_WAIT. All of these waits name the server (label `peer`),
and those of its threads where clients come in (`local`). Who waits to send has the same labels, of the end that
does not read, and who waits for a connection of the end that does not accept. Both listening sockets are recorded with their queues."""
import collections
import re

import jvmtest as t

LEAST = 1.0  # s of each thread's waits for its answers

classes = t.compile_java("HeldBack")
j = t.Jvm(["-Xmx64m", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading", "-cp", classes, "HeldBack"], "held")
t.check("the JVM runs", j.wait_for("up"), j.output())
file = t.path("held.jfr")
t.check("a recording starts", t.start(j.pid, file, "-e", "wall", "-i", "5ms").status == 0)
t.until(lambda: t.status(j.pid)["fired"] >= 16000, t.HANGS, 0.5)
t.check("the recording ends", t.stop(j.pid).status == 0)
j.kill()
states = collections.defaultdict(collections.Counter)
ends = collections.defaultdict(collections.Counter)
for e in t.json_values(file, "profiler.WallClockSample"):
    state = e["state"]["name"] if isinstance(e["state"], dict) else e["state"]
    states[e["sampledThread"]["javaName"]][state] += t.json_seconds(e["weight"])
    if state in ("STATE_HELD_BACK", "STATE_IO_WAIT"):
        ends[e["sampledThread"]["javaName"]][str(e["context"])] += t.json_seconds(e["weight"])
for name in ("nagle", "nagle-timeout", "no-delay", "one-write"):
    of = states[name]
    waits = of["STATE_HELD_BACK"] + of["STATE_IO_WAIT"]
    print(f"# {name}: {dict(of)}")
    t.check(f"{name} waits for its answers", waits >= LEAST, of)
    if name.startswith("nagle"):
        t.check(f"{name}: what it wrote is held back", of["STATE_HELD_BACK"] >= waits / 2, of)
    else:
        t.check(f"{name}: nothing that it wrote is held back", not of["STATE_HELD_BACK"], of)
clients = [name for name in states if name in ("nagle", "nagle-timeout", "no-delay", "one-write")]
print(f"# {dict(ends)}")
asked = {label for name in clients for label in ends[name]}
t.check("clients wait for a server with a name", asked and all(re.search(r"peer=127\.0\.0\.1:\d+", label) for label in asked), asked)
served = set(ends["server"])
t.check("the server's threads wait where clients come in", served and {label.replace("local=", "peer=") for label in served} <= asked, served)


def is_named(of, label):
    """Whether most of these waits have that name, and none another one: what the kernel counts may change while it is read."""
    names = [one for one in of if one != "None"]
    return len(names) == 1 and re.fullmatch(label + r"=127\.0\.0\.1:\d+", names[0]) and of[names[0]] >= sum(of.values()) / 2


for timeout in ("", "-timeout"):
    for name, label in ("sends", "peer"), ("serves", "local"):
        t.check(f"{name}{timeout}: who does not read what it writes has a name", is_named(ends[name + timeout], label), ends[name + timeout])
        t.check(f"{name}{timeout}: nothing that it writes is held back", not states[name + timeout]["STATE_HELD_BACK"], states[name + timeout])
for name in "connects", "connects-timeout":
    t.check(f"{name}: who does not accept has a name", is_named(ends[name], "peer"), ends[name])
queues = collections.defaultdict(list)
for e in t.json_values(file, "wick.ListeningSocket"):
    queues[e["address"]].append((int(e["waiting"]), int(e["backlog"])))
print(f"# {dict(queues)}")
full = {label.removeprefix("peer=") for label in ends["connects"] if label != "None"}
t.check("the socket that nobody accepts at has a full queue", full and all(queues[one] and all(waiting > backlog for waiting, backlog in queues[one]) for one in full), queues)
open_to_all = {label.removeprefix("local=") for label in served}
t.check("the others' queues are empty in the end", open_to_all <= set(queues) and all(queues[one][-1][0] == 0 for one in open_to_all), queues)
t.done()
