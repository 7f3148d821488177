#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21 25
# ci: 25
# alone
"""docs/walkthrough-oom.md does what it says: its commands are run as they stand, in a cgroup of 256 MiB where the kernel kills the
service, and what wick says names the culprit at each step.

walkthrough_oom.py           the test
walkthrough_oom.py --write   also puts what the commands print into the document

What is true is known from the service's source, the cgroup, and the requests that were served."""
import json
import re
import sys

import cgroup
import consoles
import jvmtest as t

DOCUMENT = t.ROOT + "/docs/walkthrough-oom.md"
SOURCE = t.ROOT + "/java/demo/src/wick/demo/LeakWork.java"
MIB = 1 << 20
LIMIT = 256 * MIB
HEAP = 1024 * MIB
REQUEST = 256 * (1024 + 16)  # what a request leaves: arrays of 1 KiB, with their headers
SIGMAS = t.Sigmas(5)                   # of samples that are almost independent: one false alarm in 1.7 million


def line_of(text):
    with open(SOURCE) as f:
        return next(i for i, line in enumerate(f, 1) if text in line)


def memory_dir(group):
    return next(d for d in group.dirs if any(t.os.path.exists(f"{d}/memory.{f}") for f in ("max", "limit_in_bytes")))


def lines_of(commands, group, port):
    enter = "; ".join(f"echo $BASHPID > {d}/cgroup.procs" for d in group.dirs)
    lines = [f"CGROUP={memory_dir(group)}", f"limited() {{ {enter}; exec \"$@\"; }}"]
    for i, c in enumerate(commands):
        lines += consoles.marked(i, c, port)
    return lines


def asked_of(*args):
    r = t.wick(*args)
    if not t.check(f"wick {' '.join(args[:-1])} reads the recording", r.status == 0, r):
        t.done()
    return json.loads(r.out)


def printed(commands, start):
    return next(c.output for c in commands if c.text.startswith(start))


def check_alarm(commands):
    t.check("the kernel kills the service", "exit status 137" in printed(commands, "wait"), printed(commands, "wait"))
    t.check("its log says nothing of it", "OutOfMemory" not in printed(commands, "kill $load"), printed(commands, "kill $load"))
    t.check("the cgroup counts it", re.search(r"oom_kill [1-9]", printed(commands, "cat $CGROUP")), printed(commands, "cat $CGROUP"))


def check_explained(said):
    for f in said["findings"]:
        print(f"# {f['sentence']}")
    first, heap = said["findings"][0], next((f for f in said["findings"] if f["rule"] == "heap-limit"), None)
    g = first["figures"]
    t.check("wick explain says first that the kernel killed it", first["rule"] == "oom-killed" and g["kills"] >= 1
            and first["sentence"].startswith("the kernel's OOM killer probably killed this process"), first)
    t.check("with the class, the line and its caller", g.get("class") == "byte[]"
            and g.get("frame") == f"wick.demo.LeakWork.open:{line_of('new byte[')}"
            and g.get("caller") == f"wick.demo.LeakWork.handle:{line_of('open(kib)')}", g)
    t.check("the heap is the largest part", g["limit_bytes"] == LIMIT and g["heap_bytes"] > g["size_bytes"]
            and g["heap_bytes"] + g["size_bytes"] < g["resident_bytes"], g)
    t.check("nothing else is said of the limit", not [f for f in said["findings"] if f["rule"] == "memory-limit"], said)
    h = heap["figures"] if heap else {}
    t.check("the heap that would fit is named", heap and h["heap_bytes"] == HEAP
            and h["room_bytes"] == LIMIT - h["beside_bytes"] and f"room for a heap of {h['room_bytes'] / MIB:.0f} MiB"
            in heap["sentence"], said)


def check_memory(memory):
    parts = {p["part"]: p for p in memory["parts"]}
    # of two moments the later one may be just behind a collection
    t.check("wick memory shows that it is the heap that grew", max(parts.values(), key=lambda p: p["resident"])
            ["part"] == "Java heap" and (memory["moments"] == 2 or parts["Java heap"].get("growth_bytes_per_s", 0) > 0), memory)
    t.check("close to the limit", memory["resident"] > LIMIT / 2, memory["resident"])


def check_live(file):
    few = "growth needs two" in t.wick("top", "--growth", file).err
    if few:  # on a crowded machine the load may come in bursts
        t.skip("what grows", "the service was killed before the second moment")
    for by, top in () if few else (("object", "byte[]"), ("method", "wick.demo.LeakWork.open")):
        rows = asked_of("top", "--growth", "--by", by, "--json", file)["rows"]
        t.check(f"what grows, by {by}, is {top}", rows and rows[0]["name"] == top, rows[:3])
    rows = asked_of("top", "-e", "live", "--by", "endpoint", "--json", file)["rows"]
    leak = rows[0]
    t.check("it was requested by GET /leak", leak["name"] == "GET /leak", rows[:3])
    said = asked_of("endpoints", "--json", file)
    truth = (next(e["count"] for e in said["endpoints"] if e["endpoint"] == "GET /leak") + said["open"]) * REQUEST
    sigma = (leak["self_high"] - leak["self_low"]) / 2 / 1.96
    print(f"# alive of GET /leak: {leak['self'] / MIB:.0f} MiB, one sigma {sigma / MIB:.1f}; left by its requests {truth / MIB:.0f} MiB")
    # What stays is written when a quarter of the limit is left, and each time that half of that is used up.
    t.check("as much as its requests left, or what they had shortly before", leak["self"] <= truth + SIGMAS * sigma
            and leak["self"] >= truth / 2 - SIGMAS * sigma, (leak, truth))
    r = t.wick("flame", "-e", "live", file, "-o", t.path("live.collapsed"))
    with open(t.path("live.collapsed")) as f:
        stacks = f.read()
    t.check("the flame graph has the place", r.status == 0
            and re.search(r"wick\.demo\.LeakWork\.open_\[.\];byte\[\]", stacks), (r, stacks[:500]))


def check_dump(commands):
    text = printed(commands, "wick heap")
    path = [r"-> wick\.demo\.LeakWork ", r"openSessions -> java\.util\.ArrayList"]
    t.check("the dump of another instance says who holds them", all(re.search(p, text) for p in path)
            and "LeakWork$Session" in text, text)
    t.check("and how many there are", re.search(r"\s40 +wick\.demo\.LeakWork\$Session",
                                                printed(commands, "sed -n '/^Classes")), printed(commands, "sed -n '/^Classes"))


def main():
    try:
        group = cgroup.Cgroup()
    except cgroup.Unavailable as e:
        t.skip("the walk-through of an OOM kill", str(e))
        t.done()
    group.limit_memory(LIMIT)
    with open(DOCUMENT) as f:
        text = f.read()
    commands = consoles.commands_of(text)
    said = consoles.run(commands, lambda port: lines_of(commands, group, port))
    failed = [f"{c.text}: {c.status}\n{c.output}" for c in commands if c.status != 0]
    if not t.check("every command of the document succeeds", commands and not failed, "\n".join(failed) + said[-2000:]):
        t.done()
    if sys.argv[1:] == ["--write"]:
        with open(DOCUMENT, "w") as f:
            f.write(re.sub(r"wick-test-\d+-\d+", "wick-demo", consoles.written(text, commands)))
    t.check("the document has the lines of today's source", f"LeakWork.open:{line_of('new byte[')}," in text
            and f"LeakWork.handle:{line_of('open(kib)')}\n" in text, "walkthrough_oom.py --write brings it up to date")
    file = t.path("pod.jfr")
    check_alarm(commands)
    check_explained(asked_of("explain", "--json", file))
    check_memory(asked_of("memory", "--json", file))
    check_live(file)
    check_dump(commands)


main()
t.done()
