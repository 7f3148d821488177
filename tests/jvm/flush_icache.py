#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 17 21
# ci: 21
"""A compiler that has written code calls the stub that flushes the instruction cache. Samples there are whole: up to the start of
the thread. One in a hundred may be broken."""
import re

import jvmtest as t

classes = t.compile_java("Garbage")
file = t.path("flush.jfr")
j = t.Jvm(["-Xcomp", "-XX:+UseSerialGC", "-Xmx96m", f"-agentpath:{t.AGENT}=start,event=cpu,interval=100us,file={file}", "-cp", classes,
           "Garbage"], "flush")
t.check("the program runs", j.wait_for("(?m)^up", 300), j.output())
r = t.stop(j.pid)
t.check("the recording ends", r.status == 0, r)
j.kill()
mine = [(frames, n) for frames, n in t.stacks(file, samples=True)
        if re.match(r"\[(C1|C2) Compiler", frames[0]) and any(f.startswith("flush_icache_stub") for f in frames)]
all_of_them, broken = sum(n for _, n in mine), [(frames, n) for frames, n in mine if any("[broken" in f for f in frames)]
shortest = min((len(frames) for frames, _ in mine if not any(f.startswith("[broken") for f in frames)), default=0)
print(f"# {all_of_them} samples in the stub, {sum(n for _, n in broken)} of them broken, {shortest} frames at least")
t.check("compilers were sampled in the stub", all_of_them > t.most_of(all_of_them, 0.01), all_of_them)
t.check("their stacks are whole", sum(n for _, n in broken) <= t.most_of(all_of_them, 0.01), broken[:2])
t.check("they reach the start of the thread", shortest >= 10, [frames for frames, _ in mine if len(frames) == shortest][:1])
t.done()
