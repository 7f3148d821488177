#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21 25
# ci: 21
"""The wall clock samples virtual threads with a context also while they are on no carrier: the time of each endpoint adds up to that of
its threads, with states and whole stacks, under each collector. Sums are within Bernstein's bound, where each sample is independent of
the others, which is more than their scatter: at a tick two of the threads are drawn, evenly spaced. ZGC moves the objects of
threads that wait, and until something uses what refers to them, as the agent does four times a second, they are not found."""
import os
import re
import time

import jvmtest as t
from heapcheck import jcmd

JAR = os.path.join(t.BUILD, "java/wick.jar")
EACH, DEPTH = 10, 12
BOUNDARY = "[virtual thread, not mounted]"
THREAD = "[virtual threads, not mounted]"
STATES = {"semaphore": "STATE_PARKED", "sleep": "STATE_SLEEPING", "queue": "STATE_PARKED", "socket": "STATE_IO_WAIT",
          "monitor": "STATE_BLOCKED_ON_MONITOR_ENTER", "wait": "STATE_IN_OBJECT_WAIT", "twice": "STATE_PARKED", "carrier": "STATE_WAITING_FOR_CARRIER"}
ON_THE_WAY = ("STATE_RUNNABLE", "STATE_WAITING_FOR_CPU")  # where the machine is busy, some do not wait yet
CALLS = {"semaphore": "Semaphore.acquire", "sleep": "Thread.sleep", "queue": "LinkedBlockingQueue.take", "socket": "read",
         "monitor": "VKinds.enter", "wait": "Object.wait", "twice": "VKinds.twice", "carrier": "LockSupport.park"}
classes = t.compile_java("VKinds", classpath=JAR)


def record(title, options, kinds, seconds):
    """(seconds from when all waited to the end, what its ends are uncertain by, [(endpoint, state, weight in s)], stacks) of a program
    that waits in these ways."""
    file = t.path("v.jfr")
    j = t.Jvm([*options, "-Xmx256m", f"-agentpath:{t.AGENT}=start,event=wall,file={file}", "-cp", f"{classes}:{JAR}", "VKinds", str(EACH),
               *kinds], "v")
    t.check(f"{title}: the program runs", j.wait_for("up"), j.output())
    begin = time.time()
    time.sleep(seconds)
    end = time.time()
    t.stop(j.pid)
    j.kill()
    late = max(t.json_seconds(e["maxLateness"]) for e in t.json_values(file, "wick.WallSampler"))
    samples = [(t.context(e["context"]).get("endpoint"), e["state"]["name"] if isinstance(e["state"], dict) else e["state"],
                t.json_seconds(e["weight"])) for e in t.json_values(file, "profiler.WallClockSample") if begin <= t.json_clock(e["startTime"]) < end]
    return end - begin, 2 * (late + 0.01), [s for s in samples if s[0]], t.stacks(file, annotate=False, samples=True)


def check_sums(title, seconds, ends, samples, kinds, all_found):
    for kind in kinds:
        mine = [s for s in samples if s[0] == kind]
        known = sum(s[2] for s in mine)
        slack = EACH * ends + t.sum_within(sum(s[2] ** 2 for s in mine), max((s[2] for s in mine), default=0))
        lost = 0.05 * EACH * seconds if kind == "turn" else 0  # between a stack and the heap it is nowhere
        lost = lost if all_found else EACH * seconds
        t.check(f"{title}: the time of all {kind} threads is there", EACH * seconds - slack - lost <= known <= EACH * seconds + slack,
                f"{known} of {EACH * seconds} s within {slack}, {len(mine)} samples")


def check_states(title, samples, kinds):
    for kind in kinds:
        mine = [s for s in samples if s[0] == kind and s[1] not in ON_THE_WAY]
        right = [s for s in mine if s[1] == STATES[kind]]
        t.check(f"{title}: {kind} threads have their state", len(right) >= t.least_of(len(mine), 0.98) > 0,
                [s for s in mine if s[1] != STATES[kind]][:5])


def check_weights(title, samples, kinds):
    """Each of the threads that there are now is drawn so often that their own number explains its samples' weights."""
    for kind in kinds:
        weights = sorted(s[2] for s in samples if s[0] == kind)
        most = 0.01 * EACH * len(kinds) / 4 * 4  # ticks are delayed on a busy machine
        t.check(f"{title}: samples of {kind} threads weigh what these threads are", weights and weights[len(weights) // 2] <= most,
                f"{len(weights)} samples, {weights[-3:]}")


def is_whole(frames):
    """Thread, boundary, the thread's own run, its calls."""
    return frames[1] == BOUNDARY and any("VirtualThread.run" in x for x in frames[2:6]) and sum("VKinds.down" in x for x in frames) == DEPTH + 1


def check_stacks(title, stacks, kinds):
    for kind in kinds:
        mine = [r for r in stacks if r[0][0].startswith(THREAD) and any(CALLS[kind] in x for x in r[0])]
        t.check(f"{title}: {kind} threads are seen where they wait", mine, stacks[:3])
    # others have not run yet, or are the JDK's own, which are seen until a tick finds a context
    unmounted = [r for r in stacks if r[0][0].startswith(THREAD) and len(r[0]) > 2 and not any("ollerLoop" in x for x in r[0])]
    whole = t.weight_of([r for r in unmounted if is_whole(r[0])])
    total = t.weight_of(unmounted)
    t.check(f"{title}: their stacks are whole", whole >= t.least_of(total, 0.98) > 0,
            f"{whole} of {total}\n" + "\n".join(";".join(f)[:900] for f, _ in unmounted if not is_whole(f)))
    strange = [f for f, _ in unmounted if not is_whole(f) and not re.search(r"\[(broken|truncated)", ";".join(f))]
    t.check(f"{title}: what is missing is named", not strange, "\n".join(";".join(f)[:900] for f in strange[:3]))


def found_after_collections(title, options):
    """ZGC has moved all threads, and nothing of the program uses the references to them: they are found again."""
    file, after = t.path("after.jfr"), t.path("dump.jfr")
    j = t.Jvm([*options, "-Xmx256m", f"-agentpath:{t.AGENT}=start,event=wall,file={file}", "-cp", f"{classes}:{JAR}", "VKinds", str(EACH),
               "litter", *KINDS], "after")
    t.check(f"{title}: the program runs", j.wait_for("up"), j.output())
    t.until(lambda: "\"garbage\"" not in jcmd(j, "Thread.print").out, 120)
    collected = time.time()

    def kinds_found():
        t.wick("dump", "--force", j.pid, "-f", after)
        return {t.context(e["context"]).get("endpoint") for e in t.json_values(after, "profiler.WallClockSample")
                if t.json_clock(e["startTime"]) > collected + 0.5} & set(KINDS)
    t.check(f"{title}: threads that were moved are found again", t.until(lambda: kinds_found() == set(KINDS), 120, 1), kinds_found())
    j.kill()


def examine(title, options, kinds, extra=(), seconds=4, all_found=True):
    covered, ends, samples, stacks = record(title, options, [*kinds, *extra], seconds)
    waits = [k for k in kinds if k != "turn"]
    check_sums(title, covered, ends, samples, kinds, all_found)
    check_states(title, samples, waits)
    if "burst" in extra:
        check_weights(title, samples, waits)
    check_stacks(title, [r for r in stacks if not any("VKinds.turn" in x or "burst" in x for x in r[0])], waits)


KINDS = ["semaphore", "sleep", "queue", "socket"]
LATER = ["monitor", "wait"] if t.JDK >= 24 else []  # before, they stay on their carriers
examine("all kinds", ["-XX:+UseSerialGC"], [*KINDS, *LATER, "turn"], seconds=6)
examine("after a burst", ["-XX:+UseSerialGC"], ["semaphore"], ["burst"])
examine("interpreted", ["-XX:+UseSerialGC", "-Xint"], KINDS + LATER)
examine("plain references", ["-XX:+UseParallelGC", "-XX:-UseCompressedOops"], KINDS)
examine("no carrier is free", ["-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1"], ["carrier"])
for name, how in t.collectors():
    if name != "Epsilon":
        examine(f"garbage, {name}", how, [*KINDS, "twice"], ["garbage"], all_found=not name.startswith("Z"))
for name, how in t.collectors():
    if name.startswith("Z"):
        found_after_collections(f"moved by {name}", how)
t.done()
