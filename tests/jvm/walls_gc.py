#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 21 25
# ci: 25
"""The stacks of a JVM's own threads are whole in profiles of the wall clock while it collects garbage all the time: workers that
wait for tasks, the VM thread, the compilers, the attach listener in accept(). Their frames depend on registers that a look from
outside does not get (unwind/step_seek.h). Broken stacks are counted by their reasons: one sample in 1,000 may lack a register, as a
thread may have moved on while its stack was copied, and two of 1,000 may break for any reason. Before such frames were found,
it was 25 to 150."""
import collections
import re

import jvmtest as t

SAMPLES = 10_000
REGISTER = ("[broken: frame pointer not known]", "[broken: stack pointer out of range]")
classes = t.compile_java("Garbage")


def check(name, options):
    j = t.Jvm([*options, "-Xmx96m", "-cp", classes, "Garbage"], name)
    t.check(f"{name}: the program runs", j.wait_for("(?m)^up"), j.output())
    file = t.path(name + ".jfr")
    r = t.start(j.pid, file, "-e", "wall", "-i", "4ms", "--wall-threads", "64")
    t.check(f"{name}: a recording starts", r.status == 0, r)
    enough = t.until(lambda: t.status(j.pid)["fired"] >= SAMPLES, 120)
    collected = t.status(j.pid)
    r = t.stop(j.pid)
    t.check(f"{name}: there are samples", enough and r.status == 0, (r, collected))
    j.kill()
    broken, threads, all_of_them, listener = collections.Counter(), collections.Counter(), 0, []
    for frames, samples in t.stacks(file, samples=True):
        thread = re.match(r"\[(.*?)(#\d+)? tid=\d+\]", frames[0]).group(1)
        reasons = {re.sub(r"_\[.\]$", "", f) for f in frames if f.startswith("[broken")}
        threads[thread] += samples
        all_of_them += samples
        for reason in reasons:
            broken[reason, thread] += samples
        if thread == "Attach Listener":
            listener.append((frames, bool(reasons)))
    lost = sum(n for (reason, _), n in broken.items() if reason in REGISTER)
    print(f"# {name}: {all_of_them} samples of {len(threads)} kinds of threads; broken: {dict(broken)}")
    t.check(f"{name}: the JVM's own threads are among them", threads["VM Thread"] and threads["Signal Dispatcher"], threads)
    t.check(f"{name}: no register is missing", lost <= t.most_of(all_of_them, 0.001), broken)
    t.check(f"{name}: stacks are whole", sum(broken.values()) <= t.most_of(all_of_them, 0.002), broken)
    t.check(f"{name}: that of the attach listener also", listener and not any(b for _, b in listener), listener)


for collector in t.collectors():
    if collector[0] != "Epsilon":
        check(*collector)
t.done()
