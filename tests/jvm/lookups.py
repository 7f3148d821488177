#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often lookups find nothing, by the JVM's own counters: wick.LookupProfile against what a program counts itself, and what `wick explain`
makes of it."""
import json
import os
import re

import jvmtest as t

SOURCE = open(os.path.join(t.HERE, "Lookups.java"), encoding="utf-8").read().splitlines()
FILE = t.path("lookups.jfr")


def line_of(text):
    return next(i for i, line in enumerate(SOURCE, 1) if text in line)


jvm = t.Jvm([f"-agentpath:{t.AGENT}=start,event=cpu,file={FILE}", "-Xmx128m", "-cp", t.compile_java("Lookups"), "Lookups"], "lookups")
t.check("the program runs", jvm.wait_for("up"), jvm.output())
t.work_for(jvm, 6)
# what was counted when the recording ended lies between two of the program's own lines
t.check("the recording ends", t.stop(jvm.pid).status == 0)
before = jvm.output().count("counted")
t.check("the program counts on", t.until(lambda: jvm.output().count("counted") >= before + 8), jvm.output()[-500:])
most = {name: (int(asked), int(missed)) for name, asked, missed in re.findall(r"counted \d+ (\w+) (\d+) (\d+)\n", jvm.output())}
jvm.kill()
rows = {}
for e in t.json_values(FILE, "wick.LookupProfile"):
    frames = e["stackTrace"]["frames"]
    t.check("it has one frame", len(frames) == 1, e)
    rows.setdefault(frames[0]["method"]["name"], []).append(e)
t.check("the lookups whose answer is stored are there, once each", {k: len(v) for k, v in rows.items()} == {"never": 1, "often": 1, "weak": 1}, rows)
never, often, weak = (rows.get(name, [{}])[0] for name in ("never", "often", "weak"))
for e, name, work in ((never, "never", "NEVER.put("), (often, "often", "OFTEN.put(")):
    counted = e.get("found", 0) + e.get("missed", 0)
    t.check(f"{name}: it is called by its name", e.get("callee") == "Lookups$Cache.get", e)
    t.check(f"{name}: no more are counted than there were", 100 <= counted <= most[name][0] and e["missed"] <= most[name][1], (e, most))
    t.check(f"{name}: where it is called", e and e["stackTrace"]["frames"][0]["lineNumber"] == line_of(f"Double value = {name.upper()}.get"), e)
    t.check(f"{name}: the lines of what it then makes", e and e["missedFirstLine"] == line_of(work) - 1 and
            e["missedLastLine"] >= line_of(work), e)
t.check("never: nothing was found", never and never["found"] == 0 and never["missed"] >= 1000, never)
t.check("often: but for the first of a hundred keys all was found", often and often["missed"] <= 100 and often["found"] >= 900, often)
t.check("weak: what a reference refers to is a lookup, whatever it is stored by", weak.get("callee") == "java/lang/ref/WeakReference.get" and
        weak["found"] >= 900 and weak["missed"] <= most["weak"][1] and
        weak["missedFirstLine"] <= line_of("value = new double[]") <= weak["missedLastLine"], (weak, most))
r = t.wick("explain", "--json", FILE)
said = [f for f in json.loads(r.out)["findings"] if f["rule"] == "cache-misses"] if r.status == 0 else []
t.check("wick explain says so of the one, and not of the other", len(said) == 1 and "Lookups.never" in said[0]["sentence"] and
        re.search(r"Lookups\$Cache\.get finds nothing: that was so in 100 % of \d+ lookups", said[0]["sentence"]), (r.err, said))
t.done()
