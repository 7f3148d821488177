#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 21
# ci: 21
"""wick explain PID names the pool of one thread behind which requests queue, and what its tasks wait for."""
import json
import subprocess

import jvmtest as t

SOURCE = t.os.path.join(t.HERE, "../../bench/causes/PoolOfOne.java")

subprocess.run([t.JAVA_HOME + "/bin/javac", "-nowarn", "-d", t.WORK, SOURCE], check=True)
j = t.Jvm(["-Xmx64m", "-cp", t.WORK, "PoolOfOne"], "pool")
t.check("the program is ready", j.wait_for("READY", 60), j.output())
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
t.done()
