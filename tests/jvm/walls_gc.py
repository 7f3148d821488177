#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 21 25
# ci: 25
"""The stacks of a JVM's own threads are whole in profiles of the wall clock while it collects garbage all the time: workers that
wait for tasks, the VM thread, the compilers, the attach listener in accept(). Their frames depend on registers that a walk from
outside does not get (unwind/step_seek.h). Walks that broke off are counted by their reasons: one in 1,000 may lack a register, as a thread
may have moved on while its stack was copied, and two of 1,000 may break for any reason. Before such frames were found,
it was 25 to 150."""
import collections
import json
import re

import jvmtest as t

SAMPLES = 10_000
REGISTER = ("[broken: frame pointer not known]", "[broken: stack pointer out of range]")
classes = t.compile_java("Garbage")


def walks(file):
    """[(thread without its number, why its walk broke off)], one for each walk: of a thread that stays where it is there is one."""
    out = t.jfr(17, "print", "--json", "--stack-depth", "256", "--events", "profiler.WallClockSample", file).out
    found = []
    for e in json.loads(out)["recording"]["events"]:
        v = e["values"]
        thread = v["sampledThread"]["javaName"] or v["sampledThread"]["osName"]
        frames = [f["method"]["name"] for f in (v["stackTrace"] or {"frames": []})["frames"]]
        found.append((re.sub(r"#\d+$", "", thread), next((f for f in frames if f.startswith("[broken")), None)))
    return found


def check(name, options):
    j = t.Jvm([*options, "-Xmx96m", "-cp", classes, "Garbage"], name)
    t.check(f"{name}: the program runs", j.wait_for("(?m)^up"), j.output())
    file = t.path(name + ".jfr")
    r = t.start(j.pid, file, "-e", "wall", "-i", "4ms", "--wall-threads", "64")
    t.check(f"{name}: a recording starts", r.status == 0, r)
    enough = t.until(lambda: t.status(j.pid)["fired"] >= SAMPLES)
    collected = t.status(j.pid)
    r = t.stop(j.pid)
    t.check(f"{name}: there are samples", enough and r.status == 0, (r, collected))
    j.kill()
    found = walks(file)
    broken = collections.Counter((why, thread) for thread, why in found if why)
    threads = collections.Counter(thread for thread, _ in found)
    listener = [why for thread, why in found if thread == "Attach Listener"]
    lost = sum(n for (reason, _), n in broken.items() if reason in REGISTER)
    print(f"# {name}: {len(found)} walks of {len(threads)} kinds of threads; broken: {dict(broken)}")
    t.check(f"{name}: the JVM's own threads are among them", threads["VM Thread"] and threads["Signal Dispatcher"], threads)
    t.check(f"{name}: no register is missing", lost <= t.most_of(len(found), 0.001), broken)
    t.check(f"{name}: stacks are whole", sum(broken.values()) <= t.most_of(len(found), 0.002), broken)
    t.check(f"{name}: that of the attach listener also", listener and sum(map(bool, listener)) <= t.most_of(len(listener), 0.01)
            and not all(listener), listener)


for collector in t.collectors():
    if collector[0] != "Epsilon":
        check(*collector)
t.done()
