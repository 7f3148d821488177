#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 21
# ci: 21
"""wick explain PID names the pool of one thread behind which requests queue, and what its tasks wait for; a deadlock; and a process that is
waited for while it waits for somebody to read what it writes."""
import json
import subprocess

import jvmtest as t
from heapcheck import jcmd

SOURCE = t.os.path.join(t.HERE, "../../bench/causes/PoolOfOne.java")

subprocess.run([t.JAVA_HOME + "/bin/javac", "-nowarn", "-d", t.WORK, SOURCE], check=True)
j = t.Jvm(["-Xmx64m", "-cp", t.WORK, "PoolOfOne"], "pool")
t.check("the program is ready", j.wait_for("READY"), j.output())
r = t.wick("explain", "--json", "-d", "4", "--lib", t.AGENT, str(j.pid))
if t.check("explain succeeds, with or without allocations", r.status == 0, r):
    findings = json.loads(r.out)["findings"]
    pools = [f for f in findings if f["rule"] == "pool-busy"]
    if t.check("the pool is named", len(pools) == 1, findings):
        figures = pools[0]["figures"]
        print("#", pools[0]["sentence"])
        t.check("by its thread's name", figures["pool"] == "lookup" and figures["threads"] == 1, figures)
        t.check("with what its tasks wait for, and where",
                figures["kind"] == "sleep" and figures["frame"].startswith("PoolOfOne.lookup"), figures)
    t.check("waiting for futures is not said twice", not [f for f in findings if f["figures"].get("kind") == "future"], findings)
j.kill()

# A deadlock is what the JVM reports, not what a recording resembles.
CAUSE = t.os.path.join(t.HERE, "../../bench/causes/Deadlock.java")
subprocess.run([t.JAVA_HOME + "/bin/javac", "-nowarn", "-d", t.WORK, CAUSE], check=True)
j = t.Jvm(["-Xmx64m", "-cp", t.WORK, "Deadlock"], "deadlock")
t.check("the program is ready", j.wait_for("READY"), j.output())
# each teller may have come to its first lock while the other one had none
t.check("and its threads are in a deadlock", t.until(lambda: "Java-level deadlock" in jcmd(j, "Thread.print").out, 120), j.output())
kept = t.path("kept.jfr")
r = t.wick("explain", "--json", "-d", "3", "-f", kept, "--lib", t.AGENT, str(j.pid))
if t.check("explain succeeds", r.status == 0, r):
    said = json.loads(r.out)
    stuck = [f for f in said["findings"] if f["rule"] == "stuck"]
    if t.check("both threads are stuck", len(stuck) == 1 and stuck[0]["figures"]["count"] == 2, said["findings"]):
        print("#", stuck[0]["sentence"])
        cycle = stuck[0]["figures"].get("cycle", "")
        t.check("in a deadlock", "teller-1 waits for a Deadlock that teller-2 holds" in cycle
                and "teller-2 waits for a Deadlock that teller-1 holds" in cycle, cycle)
        again = t.wick("explain", "--json", kept)
        if t.check("the recording is kept, and says the same without the JVM", again.status == 0, again):
            cycles = [f["figures"].get("cycle", "") for f in json.loads(again.out)["findings"] if f["rule"] == "stuck"]
            t.check("from what was found while it was recorded", len(cycles) == 1
                    and "teller-1 waits for a monitor that teller-2 holds" in cycles[0]
                    and "teller-2 waits for a monitor that teller-1 holds" in cycles[0], again.out)
        options = [word for f in stuck[0]["evidence"]["filters"] for word in ("--" + f["option"], f["value"])]
        top = t.wick("top", "-e", stuck[0]["evidence"]["view"], *options, kept)
        t.check("the evidence selects its stacks", top.status == 0 and "Deadlock.transfer" in top.out, (options, top))
        t.check("the command names the recording", stuck[0]["evidence"]["command"].endswith(" " + kept), stuck[0])
        t.check("the program is to blame", stuck[0]["group"] == "program" and said["headline"].find("program") > 0, said)
j.kill()

# Each process writes for milliseconds, and waits for the rest of the second.
classes = t.compile_java("Piped")
j = t.Jvm(["-Xmx64m", "-cp", classes, "Piped"], "piped")
t.check("the program is ready", j.wait_for("READY"), j.output())
kept = t.path("piped.jfr")
r = t.wick("explain", "--json", "-d", "6", "-f", kept, "--lib", t.AGENT, str(j.pid))
if t.check("explain succeeds", r.status == 0, r):
    waits = [f for f in json.loads(r.out)["findings"] if f["figures"].get("kind") == "process"]
    if t.check("the wait for a process is named", len(waits) == 1 and waits[0]["figures"]["frame"].startswith("Piped.render"), r.out):
        print("#", waits[0]["sentence"])
        t.check("with the process, which waits for a reader", waits[0]["figures"].get("blocked") == "seq"
                and waits[0]["figures"]["full"] > 0.5, waits[0])
    top = t.wick("top", "-e", "wall", "--by", "child", "--where", "pipe=full", "--json", kept)
    t.check("its name is a label", top.status == 0 and '"seq"' in top.out, top)
j.say("quit")
j.kill()
t.done()
