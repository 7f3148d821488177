#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 17 21 25 26 27
# ci: 11 25
"""Objects that are alive, on a real JVM and with each of its collectors: estimates by site are what the program keeps,
also when stacks outlive the tables that they were recorded in, and in a recording whose JVM was killed.

The estimate of n objects of s bytes that are sampled with the probability p has the standard deviation
s sqrt(n (1 - p) / p); where objects were evicted it is estimated by the sum of w (w - s) over their weights w. Checks are at
6 of them (with 120 objects or more less than one false alarm in ten million), and 1 % is allowed beside that. Sites are run
one at a time, as JDK-8356372 requires before JDK 25 (docs/memory.md)."""
import json
import math
import re
import time

import jvmtest as t

SIGMAS = t.Sigmas(6)
INTERVAL = 32 << 10
SITES = {"small": 32, "blocks": 1024, "cache": 1024, "large": 256 << 10}
COLLECTORS = {11: ("G1", "Parallel", "Shenandoah"), 17: ("G1", "Serial", "Z"), 21: ("G1", "Parallel", "Z", "Shenandoah"),
              25: ("G1", "Serial", "Z", "Shenandoah"), 26: ("G1", "Z"), 27: ("G1", "Z")}
classes = t.compile_java("Live")
version = int(t.JDK)


def program(collector, name):
    more = ["-XX:+ZGenerational"] if collector == "Z" and version == 21 else []
    j = t.Jvm(["-Xmx600m", f"-XX:+Use{collector}GC", *more, "-cp", classes, "Live"], name)
    return j if j.wait_for(r"(?m)^up") else None


def ask(j, line):
    """{site: bytes} that are alive behind the command."""
    answer = j.ask(line, r"done(.*)") or ""
    return {k: int(v) for k, v in (w.split("=") for w in answer.split())}


def objects(file, *where):
    """(site, size, weight, age) of what the recording's last moment has."""
    r = t.jfr(17, "print", "--json", "--stack-depth", "64", "--events", "profiler.LiveObject", file)
    for e in (e["values"] for e in json.loads(r.out)["recording"]["events"]):
        own = [f["method"]["name"] for f in (e["stackTrace"] or {"frames": []})["frames"]
               if f["method"]["type"]["name"] == "Live"]
        yield own[0] if own else "", e["allocationSize"], e["weight"], e["age"]


def check_sites(title, file, truth, sites=SITES, evicted=False):
    found = list(objects(file))
    for site in sites:
        rows = [(s, w) for name, s, w, _ in found if name == site]
        estimate, variance = sum(w for _, w in rows), sum(w * (w - s) for s, w in rows)
        if not evicted:
            p = -math.expm1(-SITES[site] / INTERVAL)
            variance = SITES[site] * truth[site] * (1 - p) / p
        slack = SIGMAS * math.sqrt(variance) + 0.01 * truth[site]
        lost = sum(w for name, _, w, _ in found if not name) if evicted else 0  # their stacks: some may be of this site
        t.check(f"{title}: {site}: the estimate is what is alive",
                rows and -slack - lost <= estimate - truth[site] <= slack,
                f"true {truth[site]}, estimated {estimate} of {len(rows)}, allowed {slack:.0f}")
    return found


def start(j, file, *options, interval=INTERVAL):
    r = t.start(j.pid, file, "-e", f"alloc={interval}", "--live", "--alloc-rate", "0", "--ring", "16384", *options)
    return t.check("a recording of live objects starts", r.status == 0, r)


def settle(j):
    """A collection, and for collectors that clear references later a second one, before which the first is over."""
    ask(j, "gc")
    time.sleep(0.5)
    return ask(j, "gc")


def sites(collector):
    j = program(collector, collector)
    if not j:
        if not t.check(f"{collector}: the JVM runs", collector == "Shenandoah", "no JVM"):
            return
        t.skip(f"{collector}: this JVM has no such collector")
        return
    file = t.path(f"{collector}.jfr")
    start(j, file)
    for line in ("small 1000000", "blocks 30000", "cache 60000", "garbage 100000", "large 300"):
        ask(j, line)
    truth = settle(j)
    state = t.status(j.pid)
    q = t.stop(j.pid)
    t.check(f"{collector}: it stops", q.status == 0, q)
    found = check_sites(collector, file, truth)
    dead = [row for row in found if row[0] == "garbage"]
    # Nothing refers to it but Live.sink to the last one, and no chance is in it: one of 3,100 samples. A local variable that
    # is not cleared may be another.
    t.check(f"{collector}: nothing of what is garbage is left but the last one", len(dead) <= 2, dead)
    t.check(f"{collector}: what was kept has survived collections", all(a > 0 for name, _, _, a in found if name == "small"))
    t.check(f"{collector}: no sample was lost", state["dropped_alloc"] == 0, state)
    again(j, collector)
    j.kill()


def again(j, collector):
    """What was allocated before the recording is not in it, and what is dropped goes from it."""
    file = t.path(f"{collector}-again.jfr")
    start(j, file)
    ask(j, "blocks 20000")
    ask(j, "free")
    settle(j)
    ask(j, "large 300")
    truth = settle(j)
    t.stop(j.pid)
    found = check_sites(f"{collector}, second recording", file, truth, ("large",))
    left = [row for row in found if row[0] == "blocks"]
    t.check(f"{collector}: what was dropped is gone", len(left) <= 1, left)  # of 620 samples; one may be in a local variable


def generations():
    """More different stacks than the tables hold, and more objects than can be followed: tables are replaced, and objects
    that are kept keep their stacks."""
    j = program("G1", "generations")
    file = t.path("generations.jfr")
    start(j, file, "--memlimit", "4m", interval=2048)
    ask(j, "blocks 30000")
    ask(j, "gc")
    for _ in range(12):
        ask(j, "stacks 32768")
        time.sleep(1)
    truth = settle(j)
    t.stop(j.pid)
    chunks = int(re.search(r"Chunks: (\d+)", t.jfr(21, "summary", file).out)[1])
    found = list(objects(file))
    lost = [row for row in found if not row[0]]
    t.check("tables were replaced", chunks > 1, chunks)
    # 32,768 stacks come together and may fill the tables before the drain thread has its processor to replace them; what was
    # allocated in between has no stack. What was there before keeps its own: that is the estimate for "blocks".
    print(f"# {len(lost)} of {len(found)} objects have no stack")
    kept = [row for row in lost if row[1] == SITES["blocks"]]
    t.check("objects that stay have the stacks that they had", not kept, (len(kept), len(lost), len(found), kept[:3]))
    check_sites("after tables were replaced", file, truth, ("blocks", "path"), True)
    j.kill()


def killed():
    """A JVM that is killed leaves what was alive at the last moment that was recorded."""
    j = program("G1", "killed")
    file = t.path("killed.jfr")
    start(j, file)
    ask(j, "blocks 30000")
    truth = settle(j)
    rows, r = {}, None

    def near():
        nonlocal rows, r
        r = t.wick("top", "--json", "-n", "0", "-e", "live", file)
        rows = {row["name"]: row["self"] for row in json.loads(r.out)["rows"]} if r.status == 0 else {}
        return abs(rows.get("Live.blocks", 0) - truth["blocks"]) <= slack

    p = -math.expm1(-1024 / INTERVAL)
    slack = SIGMAS * 1024 * math.sqrt(truth["blocks"] / 1024 * (1 - p) / p) + 0.01 * truth["blocks"]
    t.until(near, 120, 0.2)  # a moment before may also have been recorded, when less was there
    j.kill()
    t.check("a JVM that was killed leaves what was alive", near(), (rows, truth, slack, r))


def the_views(file):
    r = t.jfr(21, "summary", file)
    t.check("the JDK's tool reads the recording", r.status == 0 and not r.err.strip() and
            re.search(r"profiler.LiveObject +[1-9]", r.out), r)
    r = t.wick("top", "-e", "live", "--by", "object", file)
    t.check("wick top shows the classes of what is alive", r.status == 0 and re.search(r" Live\$Small$", r.out, re.M), r)
    r = t.wick("flame", "-e", "live", "-o", t.path("live.html"), file)
    t.check("wick flame draws it", r.status == 0, r)


for collector in COLLECTORS[version]:
    sites(collector)
the_views(t.path("G1.jfr"))
if version in (21, 25):
    generations()
    killed()
t.done()
