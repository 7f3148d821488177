#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""One busy thread among 1,000 that park has at least half of the wall clock's samples that it would have alone.

Alone it has one at each tick. Here it is also drawn at each tick once a visit has found that it runs; until then as any
other, of the 16 draws of a tick by at least 8. That the first UNSEEN ticks all miss it has a probability of
(1 - 8 / 1050)^1850, below one in a million. So half of the ticks behind them are asked for. Without strata it would have
one sample in 66 ticks."""
import json

import jvmtest as t

PARKED, DRAWN, UNSEEN, MORE = 1000, 16, 1850, 1000

classes = t.compile_java("Walls")
j = t.Jvm(["-XX:+UseSerialGC", "-Xss256k", "-Xmx64m", "-XX:+EnableDynamicAgentLoading", "-cp", classes, "Walls",
           f"park={PARKED}", "burn=1"], "busy")
t.check("the JVM runs", j.wait_for("up"), j.output())
file = t.path("busy.jfr")
t.check("a recording starts", t.start(j.pid, file, "-e", "wall", "-i", "3ms", "--wall-threads", str(DRAWN)).status == 0)
t.until(lambda: t.status(j.pid)["fired"] >= DRAWN * (UNSEEN + MORE), t.HANGS, 0.5)
t.check("the recording ends", t.stop(j.pid).status == 0)
ticks = t.status(j.pid)["fired"] // DRAWN
j.kill()
threads = {}
for e in json.loads(t.jfr(17, "print", "--json", "--events", "profiler.WallClockSample", file).out)["recording"]["events"]:
    v = e["values"]
    threads[v["sampledThread"]["javaName"]] = threads.get(v["sampledThread"]["javaName"], 0) + v["samples"]
busy = threads.get("burn-0", 0)
parked = sum(n for name, n in threads.items() if name and name.startswith("park-"))
print(f"# {ticks} ticks, {busy} samples of the busy thread, {parked} of those that park")
t.check("there are as many ticks as the test needs", ticks >= UNSEEN + MORE, ticks)
t.check("the busy thread has half of the samples that it would have alone", busy >= (ticks - UNSEEN) / 2, (ticks, busy))
t.check("those that park also have samples", parked >= ticks, (ticks, parked))
t.done()
