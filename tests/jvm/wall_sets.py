#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21 25
# ci: 25
"""The wall clock samples virtual threads that have no context also while they are on no carrier, by the JDK's own sets of them: the time of
each place where they wait adds up to that of its threads, under each collector. Sums are within Bernstein's bound; up to two threads
are drawn at a tick, and the square of their sum is at most twice the sum of their squares. ZGC moves the objects of threads that
wait and updates what refers to them late: until then they are not found, which counts as lost; a few samples may then stand for all
time, or none, so there is recorded until each place was sampled."""
import re
import time

import jvmtest as t

EACH, DRAWS, AT_ONCE = 300, 2, 6
classes = t.compile_java("VSets")


def place_of(event):
    """The method of the program in which a sample's thread waits; after "platform " that of a platform thread."""
    frames = (event["stackTrace"] or {}).get("frames", [])
    thread = "" if "virtual threads" in str(event["sampledThread"]) else "platform "
    mine = (f["method"]["name"] for f in frames if f["method"]["type"]["name"] == "VSets")
    return thread + next((name for name in mine if "$" not in name), "")


def sampled(path):
    """[(time, place, seconds)] of a recording's samples."""
    return [(t.json_clock(e["startTime"]), place_of(e), t.json_seconds(e["weight"])) for e in t.json_values(path, "profiler.WallClockSample")]


def so_far(j):
    """What a dump of the recording has by now; nothing if there is none."""
    dumped = t.wick("dump", *t.PATIENT, "--force", "-q", "-f", t.path("dump.jfr"), j.pid)
    return sampled(t.path("dump.jfr")) if dumped.status == 0 else []


def within(j, samples):
    """Those between the first line of the program and the last one before a sample, and what the two lines say."""
    last = max((when for when, *_ in samples), default=0)
    lines = [tuple(map(float, m)) for m in re.findall(r"brief ([\d.E]+) ([\d.E-]+) ([\d.E-]+)\n", j.output())]
    begin, end = lines[0], max([x for x in lines if x[0] <= last], default=lines[0])
    return [x for x in samples if begin[0] <= x[0] < end[0]], begin, end


def record(title, options, more=(), wall="", wanted=()):
    """{place: [seconds of each sample]} of a time, in which each of the wanted places was sampled, how long that was, what the brief
    threads took in it, (how uncertain those two are)."""
    file = t.path("s.jfr")
    j = t.Jvm([*options, "-Xmx256m", f"-agentpath:{t.AGENT}=start,event=wall{wall},file={file}", "-cp", classes, "VSets", str(EACH), *more], "s")
    t.check(f"{title}: the program runs", j.wait_for(r"up\nbrief .*\n"), j.output())
    time.sleep(5)
    if wanted:
        t.until(lambda: set(wanted) <= {place for _, place, _ in within(j, so_far(j))[0]}, pause=3)
    t.stop(j.pid)
    j.kill()
    late = max(t.json_seconds(e["maxLateness"]) for e in t.json_values(file, "wick.WallSampler"))
    samples, begin, end = within(j, sampled(file))
    places = {}
    for _, place, weight in samples:
        places.setdefault(place, []).append(weight)
    ends = 2 * (late + 0.01)
    return places, end[0] - begin[0], end[1] - begin[1], (ends, AT_ONCE * (end[2] + ends))


def check_sum(title, weights, expected, uncertain, all_found):
    known = sum(weights)
    slack = uncertain + t.sum_within(DRAWS * sum(w ** 2 for w in weights), DRAWS * max(weights, default=0))
    least = expected - slack if all_found else 0
    t.check(title, weights and least <= known <= expected + slack, f"{known} of {expected} s within {slack}, {len(weights)} samples")


def examine(title, options, more=(), all_found=True):
    places, took, brief, (ends, in_flight) = record(title, options, more, wanted=() if all_found else ("alone", "pooled", "brief"))
    for place in ("alone", "pooled"):
        check_sum(f"{title}: the time of all that wait in {place}() is there", places.get(place, []), EACH * took, EACH * ends, all_found)
    check_sum(f"{title}: the time of executors that soon end is there", places.get("brief", []) + places.get("platform brief", []), brief, in_flight, all_found)
    t.check(f"{title}: an executor's platform threads are none of those", "platform" not in places, sorted(places))


examine("all kinds", ["-XX:+UseSerialGC"])
examine("plain references", ["-XX:+UseParallelGC", "-XX:-UseCompressedOops"])
if t.JDK >= 25:
    examine("compact headers", ["-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"])
for name, how in t.collectors():
    if name != "Epsilon":
        examine(f"garbage, {name}", how, ["garbage"], all_found=not name.startswith("Z"))

def relay(title, options):
    """Threads that a collection has moved go on: what they were before is found nowhere any more."""
    file = t.path("r.jfr")
    j = t.Jvm([*options, "-Xmx256m", f"-agentpath:{t.AGENT}=start,event=wall,file={file}", "-cp", classes, "VSets", str(EACH), "relay"], "r")
    t.check(f"{title}: threads that were moved go on", j.wait_for(r"after [\d.E]+\n"), j.output())
    went_on = float(re.search(r"after ([\d.E]+)\n", j.output())[1])

    def seen(path):
        """{place: seconds} of samples that surely are of the time after that."""
        late = max((t.json_seconds(e["maxLateness"]) for e in t.json_values(path, "wick.WallSampler")), default=1e9)
        places = {}
        for when, place, weight in sampled(path):
            if when > went_on + late + 0.1:
                places[place] = places.get(place, 0) + weight
        return places

    def dumped():
        return seen(t.path("dump.jfr")) if so_far(j) else {}
    time.sleep(3)
    t.until(lambda: dumped().get("after", 0) > 0, pause=3)
    t.stop(j.pid)
    j.kill()
    places = seen(file)
    t.check(f"{title}: they are not seen where they were", "before" not in places and places.get("after", 0) > 0, places)


def starved():
    """Threads that have never run wait for a carrier: they have no frames yet, but time."""
    file = t.path("n.jfr")
    j = t.Jvm(["-XX:+UseSerialGC", "-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1",
               f"-agentpath:{t.AGENT}=start,event=wall,file={file}", "-cp", classes, "VSets", str(EACH), "starved"], "n")
    t.check("starved: the program runs", j.wait_for("up"), j.output())
    began = time.time()
    time.sleep(3)
    took = time.time() - began
    t.stop(j.pid)
    j.kill()
    late = max(t.json_seconds(e["maxLateness"]) for e in t.json_values(file, "wick.WallSampler"))
    weights = [t.json_seconds(e["weight"]) for e in t.json_values(file, "profiler.WallClockSample")
               if began <= t.json_clock(e["startTime"]) < began + took and "WAITING_FOR_CARRIER" in str(e["state"])]
    check_sum("starved: the time of all threads that have never run is there", weights, EACH * took, EACH * 2 * (late + 0.01), True)


for name, how in t.collectors():
    if name in ("G1", "Z", "ZGenerational", "Shenandoah"):
        relay(f"relay, {name}", how)
starved()
only, *_ = record("contexts alone", ["-XX:+UseSerialGC"], wall=",filter=context")
t.check("contexts alone: threads without one are left out", not only.get("alone") and not only.get("pooled"), {k: len(v) for k, v in only.items()})
t.done()
