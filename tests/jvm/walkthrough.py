#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# alone
"""docs/walkthrough-latency.md does what it says: its commands are run as they stand, and wick names the cause at each step.

walkthrough.py           the test
walkthrough.py --write   also puts what the commands print into the document

Only the port is another one. What the JVM says about itself (its log of stalls), the kernel (schedstat) and the client
(curl) are the truth that wick's figures are compared with. On a busy machine the last step has no processor to spare; then
it is checked that wick says so."""
import json
import math
import re
import sys

import consoles
import jvmtest as t

DOCUMENT = t.ROOT + "/docs/walkthrough-latency.md"
ENDPOINT = "GET /allocation-stalls"
STEPS = ["small", "large", "cpus"]
THRESHOLD_STARVED = 0.20  # src/def/explain.def
SIGMAS = t.Sigmas(5)  # of samples that are almost independent: one false alarm in 1.7 million


def accounts(name):
    """A command that notes the name of each thread of the JVM and the kernel's account of it."""
    return f"grep -H '' /proc/$pid/task/*/comm /proc/$pid/task/*/schedstat > {name}.accounts 2> /dev/null"


def lines_of(commands, port):
    """What bash runs: the commands, and notes of the kernel's accounting around each recording."""
    lines = []
    for i, c in enumerate(commands):
        step = re.search(r"wick start .*-f (\w+)\.jfr", c.text)
        if c.text.startswith("wick stop"):
            lines.append(accounts("after-$recording"))
        lines += consoles.marked(i, c, port)
        if step:
            lines += [f"recording={step[1]}", accounts("before-$recording"),
                      "grep -c 'Allocation Stall (' gc-$recording.log > before-$recording.stalls"]
    return lines


def accounts_of(step, name):
    """{thread id: (ns on a CPU, ns waiting for one)} of the threads that allocate."""
    with open(t.path(f"{name}-{step}.accounts")) as f:
        text = f.read()
    names = dict(re.findall(r"/task/(\d+)/comm:(.*)", text))
    rows = re.findall(r"/task/(\d+)/schedstat:(\d+) (\d+)", text)
    return {tid: (int(cpu), int(delay)) for tid, cpu, delay in rows if names.get(tid, "").startswith("allocator")}


def by_kernel(step):
    """(ns on CPU, ns waiting for one) between start and stop of the recording."""
    before, after = accounts_of(step, "before"), accounts_of(step, "after")
    return tuple(sum(after[i][k] - before[i][k] for i in before) for k in (0, 1))


def stalls_by_jvm(step):
    """Nanoseconds of allocation stalls, and how many, in the JVM's log since the recording began."""
    with open(t.path(f"before-{step}.stalls")) as f:
        before = int(f.read())
    with open(t.path(f"gc-{step}.log")) as f:
        stalls = [float(ms) * 1e6 for ms in re.findall(r"Allocation Stall \([^)]*\) ([\d.]+)ms", f.read())][before:]
    return sum(stalls), len(stalls)


def asked_of(*args):
    r = t.wick(*args)
    if not t.check(f"wick {args[0]} reads {t.os.path.basename(args[-1])}", r.status == 0, r):
        t.done()
    return json.loads(r.out)


def finding(explained, rule):
    return next((f for f in explained["findings"] if f["rule"] == rule), None)


def latencies(commands):
    """Of each step: the seconds that curl measured while it was recorded."""
    asks = [c for c in commands if c.text == "ask"]
    return {step: [float(s) for s in re.findall(r"^([\d.]+) s$", c.output, re.M)] for step, c in zip(STEPS, asks[1::2])}


def check_step(step, client):
    file = t.path(step + ".jfr")
    row = next((r for r in asked_of("endpoints", "--json", file)["endpoints"] if r["endpoint"] == ENDPOINT), None)
    said = asked_of("explain", "--json", file)
    for f in said["findings"]:
        print(f"# {step}: {f['sentence']}")
    cpu, delay = by_kernel(step)
    print(f"# {step}: curl {client} s; the kernel: {cpu / 1e9:.1f} s on CPU, {delay / 1e9:.1f} s waiting for one")
    t.check(f"{step}: every request is counted", row and row["count"] == len(client) == 3, (row, client))
    starved, share = finding(said, "cpu-starvation"), delay / (cpu + delay)
    if step != "small" and share > THRESHOLD_STARVED + 0.10:  # stalls leave less for lack of a processor
        t.check(f"{step}: lack of processors is named, with the endpoint that it hurts", starved
                and starved["figures"]["where"] == ENDPOINT, (said, cpu, delay))
    elif share < THRESHOLD_STARVED - 0.10:
        t.check(f"{step}: a lack of processors that is not there is not named", not starved, (said, cpu, delay))
    return row, said


def weight_of(file, event, *options):
    """(weight ns, samples) of the samples of one clock."""
    r = t.wick("top", "--json", "-n", "0", "-e", event, "--by", "state", *options, file)
    if r.status == 4 and ("no samples" in r.err or "none of the samples" in r.err):
        return 0, 0
    top = json.loads(r.out)
    return top["weight"], top["samples"]


def check_stalls(row, said):
    """The first step: what the CPU profile misses, the wall clock sees, as much as the JVM itself has counted."""
    file = t.path("small.jfr")
    stalled, samples = weight_of(file, "wall", "--where", "endpoint=" + ENDPOINT, "--state", "ALLOCATION_STALL")
    truth, count = stalls_by_jvm("small")
    # The JVM counts until the thread goes on, so the wait for a processor behind a stall is part of it.
    inside, looks = weight_of(file, "wall", "--include", "alloc_page_stall")
    allowed = SIGMAS * inside / math.sqrt(max(looks, 1))
    print(f"# small: stalled {stalled / 1e9:.2f} s by the wall clock ({samples} samples), with the wait behind it "
          f"{inside / 1e9:.2f} s ({looks}); {truth / 1e9:.2f} s by the JVM ({count}); allowed {allowed / 1e9:.2f} s")
    t.check("small: the wall clock sees as much of them as the JVM counts", looks > 50 and abs(inside - truth) <= allowed,
            (inside, looks, truth, count, allowed))
    on_cpu, _ = weight_of(file, "cpu", "--include", "alloc_page_stall")
    t.check("small: the CPU profile misses them", on_cpu < 0.2 * stalled, (on_cpu, stalled))
    frame = t.wick("flame", "-e", "wall", "--state", "ALLOCATION_STALL", file, "-o", t.path("stalls.collapsed"))
    with open(t.path("stalls.collapsed")) as f:
        stacks = f.read()
    t.check("small: their flame graph has the function that waits, and who needed memory", frame.status == 0
            and "alloc_page_stall" in stacks and "AllocationStalls.allocatePair" in stacks, (frame, stacks[:500]))
    page = t.path("trace-small.html")
    with open(page) as f:
        html = f.read()
    t.check("small: the timeline of a request also has them", '"state":"allocation stall"' in html
            and "allocatePair" in html, html[-500:])
    text = t.wick("trace", file).out
    t.check("small: its text says where they wait, and from where", re.search(
        r"allocation stall:\n(?:        \S.*\n)*? +\w*::alloc_page_stall\n(?:        \S.*\n)*? +wick\S+allocatePair", text)
        and "[libc.so" not in text, text)
    waits = {w["state"]: w["wall_ns"] for w in row["waits"]}
    # samples in spans are scaled to the time in spans (analysis/span/span_time.h), so stalls in them by no more than all are
    scaled = abs(row["spans_sampled_ns"] - row["spans_ns"])
    t.check("small: wick endpoints adds up the same", abs(waits.get("allocation stall", 0) - stalled) <= scaled, (row, stalled))
    f = finding(said, "allocation-stall")
    t.check("small: wick explain names the stalls, the heap, and who needed memory", f
            and f["figures"]["where"] == ENDPOINT and f["figures"]["heap_bytes"] == 128 << 20
            and abs(f["figures"]["time_ns"] - stalled) <= scaled and "alloc_page_stall" in f["figures"]["frame"]
            and "ByteBuffer" in f["figures"]["caller"], said)


def check_cured(step, said):
    truth, _ = stalls_by_jvm(step)
    if truth < 0.02 * said["duration_ns"]:
        t.check(f"{step}: stalls that are cured are not named", not finding(said, "allocation-stall"), said)
    else:
        t.skip(f"{step}: stalls that are cured are not named", f"the JVM counts {truth / 1e9:.1f} s of them here as well")


def main():
    with open(DOCUMENT) as f:
        text = f.read()
    commands = consoles.commands_of(text)
    said = consoles.run(commands, lambda port: lines_of(commands, port))
    failed = [f"{c.text}: {c.status}\n{c.output}" for c in commands if c.status != 0 and not c.text.startswith("kill")]
    if not t.check("every command of the document succeeds", commands and not failed, "\n".join(failed) + said[-2000:]):
        t.done()
    if sys.argv[1:] == ["--write"]:
        with open(DOCUMENT, "w") as f:
            f.write(consoles.written(text, commands))
    client = latencies(commands)

    check_stalls(*check_step("small", client["small"]))
    row, said = check_step("large", client["large"])
    check_cured("large", said)
    t.check("large: two threads on one processor wait for it, and wick explain says so",
            finding(said, "cpu-starvation") and row["run_queue_ns"] > 0, said)
    row, said = check_step("cpus", client["cpus"])
    check_cured("cpus", said)
    # Zeroing the buffers (libc) is part of it; its share depends on what a page fault costs on the machine.
    rows = asked_of("top", "--json", "-n", "0", "-e", "cpu", t.path("cpus.jfr"))["rows"]
    java = [r for r in rows if "." in r["name"] and not r["name"].startswith("[")]
    t.check("cpus: what is left is the work itself", java and "AllocationStalls.fill" in java[0]["name"], rows[:5])


main()
t.done()
