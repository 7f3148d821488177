#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# alone
# ci: 8 21
"""Allocations of all JVMs in recordings of the whole machine, `wick host -e alloc`: of JVMs without the agent by AllocTracer, of those
whose agent records them by its probe, and never by both.

Estimates by method and by class are compared with what the program counts itself, with buffers of 64 KiB so that there are many of
them. An object of s bytes that stands for w adds w (w - s) to the variance (docs/memory.md). Checks are at 5.7 deviations (an error
rate of 1.2e-8 each, below one in a million for all of a run). Beside that 1 % is allowed, and where recording begins and ends two buffers
of each thread."""
import math
import re
import signal

import jvmtest as t
from host_recording import Recording

SIGMAS = t.Sigmas(5.7)
SIZES = {"b16": 16, "b128": 128, "k1": 1 << 10, "k32": 32 << 10, "k512": 512 << 10, "m4": 4 << 20}
KIB, MIB = 1 << 10, 1 << 20
BUFFER = 64 * KIB
MINE = 2_000_000  # objects of the class Mine
METHODS = {*SIZES, "mine"}
THREADS = 2
SMALL = [f"-XX:TLABSize={BUFFER}", "-XX:MinTLABSize=2k", "-XX:-ResizeTLAB"]
classes = t.compile_java("Allocations")
version = int(t.JDK)
KINDS = [k for k in t.collectors() if k[0] in ("Serial", "G1", "Z", "ZGenerational")]
if version == 8:  # that of JDK 8 fills up buffers without calling the JVM (docs/memory.md)
    KINDS = [(name, [*options, "-XX:-FastTLABRefill"]) for name, options in KINDS]


def program(name, *options):
    j = t.Jvm(["-Xmx512m", *options, "-cp", classes, "Allocations"], name)
    t.check(f"{name}: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    return j


def ask(j, line):
    answer = j.ask(line, r"truth(.*)", 600)
    return [int(x) for x in answer.split()] if answer else []


class Estimates:
    """Of one process in a recording: {method: (bytes, variance)} by the frame nearest the leaf that is the program's, likewise by
    class; and all bytes."""

    def __init__(self, file, pid):
        self.by_method, self.by_class, self.leaves, self.all, self.left = {}, {}, set(), 0, 0
        for v in t.json_values(file, "jdk.ObjectAllocationSample"):
            if pid and not v["context"].split(",")[0].endswith(f"-{pid}"):
                continue
            frames = v["stackTrace"]["frames"]
            own = [f["method"]["name"] for f in frames if f["method"]["type"]["name"] == "Allocations"]
            size, weight = int(v["allocationSize"]), int(v["weight"])
            self.all += weight
            self.left += 0 if size else weight
            name = v["objectClass"]["name"] if v["objectClass"] else ""
            for table, key in ((self.by_method, own[0] if own else ""), (self.by_class, name if own else "")):
                total, variance = table.get(key, (0, 0))
                table[key] = total + weight, variance + weight * (weight - size)
            if own and (own[0] in SIZES or name == "Allocations$Mine"):  # not what loads the class of Mine
                self.leaves.add((frames[0]["method"]["type"]["name"], frames[0]["method"]["name"]))


def check_sum(title, found, truth, edges, lost, largest=BUFFER):
    """Each sample that is lost, which is counted, stands for a buffer at most, or for a larger object."""
    bytes_, variance = found
    slack = SIGMAS * math.sqrt(variance) + 0.01 * truth + edges + lost * max(largest, BUFFER)
    print(f"# {title}: {bytes_ / truth - 1:+.2%}, allowed {slack / truth:.2%}")
    t.check(f"{title}: the estimate is what was allocated", abs(bytes_ - truth) <= slack, f"true {truth}, estimated {bytes_}")


def check(title, found, truth, mine, lost):
    """By method and by class what the program knows. It does not know that ZGC has no compressed class pointers before JDK 15, with which
    each object of these sizes is 8 bytes larger."""
    if title == "Z" and version < 15:
        truth = [total + 8 * total // size for total, size in zip(truth, SIZES.values())]
        mine += 8 * MINE
    for (site, size), total in zip(SIZES.items(), truth):
        check_sum(f"{title}: {site}", found.by_method.get(site, (0, 0)), total, 2 * (BUFFER + min(size, BUFFER)) * THREADS, lost, size)
    check_sum(f"{title}: Mine", found.by_class.get("Allocations$Mine", (0, 0)), mine, 2 * BUFFER, lost)
    check_sum(f"{title}: arrays", found.by_class.get("[B", (0, 0)), sum(truth), 4 * BUFFER * THREADS, lost, max(SIZES.values()))
    check_sum(f"{title}: the method of Mine", found.by_method.get("mine", (0, 0)), mine, 2 * BUFFER, lost)
    made = {("Allocations", m) for m in METHODS}  # all of one may be among what was lost
    t.check(f"{title}: stacks begin where an object is made", found.leaves == made or lost and found.leaves and found.leaves < made, (found.leaves, lost))


def without_agent(name, options):
    j = program(name, *options, *SMALL)
    ask(j, f"mixed 16 {THREADS}")  # compiles what is hot
    ask(j, f"mine {MINE}")
    recording = Recording(name, "alloc=64k")
    truth, (mine,) = ask(j, f"mixed 48 {THREADS}"), ask(j, f"mine {MINE}")
    recording.end()
    j.kill()
    lost = recording.lost("alloc", "jdk.ObjectAllocationSample")
    check(name, Estimates(recording.file, j.pid), truth, mine, lost)


def is_seen(recording, j):
    """Waits until the recording has objects of the process."""
    def once():
        ask(j, f"mine {MINE}")
        return "Mine" in t.wick("top", "-e", "alloc", "--by", "object", "--process", f"-{j.pid}$", recording.file).out
    t.check("the JVM's allocations are recorded", t.until(once))


def starts_later():
    """A JVM that starts while recording goes on, and threads that end: where the JVM has symbols, what each leaves is seen."""
    recording = Recording("later", "alloc=16k")
    j = program("later", "-XX:+UseSerialGC", *SMALL, *(["-XX:-FastTLABRefill"] if version == 8 else []))
    is_seen(recording, j)
    truth = ask(j, f"mixed 16 {THREADS}")
    threads = sum(ask(j, f"requests 400 {BUFFER // 2} 1 2"))
    recording.end()
    j.kill()
    lost = recording.lost("alloc", "jdk.ObjectAllocationSample")
    found = Estimates(recording.file, j.pid)
    truth[1] += 0 if version > 8 else threads  # by what is taken for the end of a buffer, there are some of them
    for (site, size), total in zip(SIZES.items(), truth):
        if site != "b128":
            check_sum(f"later: {site}", found.by_method.get(site, (0, 0)), total, 2 * (BUFFER + min(size, BUFFER)) * THREADS, lost, size)
    if version > 8:
        t.check("what threads of half a buffer allocate is seen at their ends", 0.99 * threads - lost * BUFFER <= found.left <= 1.1 * threads + 4 * BUFFER,
                f"true {threads}, seen {found.left}")
    t.check("with a frame that says so", t.stacks(recording.file, threads=False) and (version == 8 or any(
        "not sampled: thread or recording ended" in frames[-1] for frames, _ in t.stacks(recording.file, threads=False))), found.left)


def with_agent():
    """While the agent records allocations its samples are those of the host as well; when it stops, those of AllocTracer are."""
    j = program("agent", "-XX:+UseSerialGC", *SMALL)
    own = t.path("own.jfr")
    t.check("the agent records", t.start(j.pid, own, "-e", "alloc=128k", "--alloc-rate", "0", "--ring", "16384").status == 0)
    recording = Recording("both", "alloc=64k")
    is_seen(recording, j)
    ask(j, f"mixed 48 {THREADS}")
    recording.end()
    after = Recording("after", "alloc=64k")
    is_seen(after, j)
    dropped = t.status(j.pid)["dropped_alloc"]
    t.check("the agent stops", t.stop(j.pid).status == 0)
    ask(j, f"mine {MINE}")
    truth = ask(j, f"mixed 48 {THREADS}")
    after.end()
    j.kill()
    lost = recording.lost("alloc", "jdk.ObjectAllocationSample") + dropped
    found, agents = Estimates(recording.file, j.pid), Estimates(own, None)
    for site in SIZES:  # a stack may lack a rule the first time, and has no such method then
        ours, its = (x.by_method.get(site, (0, 0))[0] for x in (found, agents))
        t.check(f"with the agent: {site}: its samples are the host's", its and abs(ours - its) <= 0.02 * its + lost * max(SIZES[site], BUFFER), (ours, its))
    t.check("with the agent: stacks begin where an object is made", {c for c, _ in found.leaves} == {"Allocations"}, found.leaves)
    if version == 8:  # where both would set breakpoints
        t.check("it says that nothing else is seen of that JVM", f"{j.pid} are not in it: only while the agent records them" in after.said, after.said)
        return
    lost = after.lost("alloc", "jdk.ObjectAllocationSample")
    found = Estimates(after.file, j.pid)
    for (site, size), total in zip(SIZES.items(), truth):
        check_sum(f"after the agent: {site}", found.by_method.get(site, (0, 0)), total, 2 * (BUFFER + min(size, BUFFER)) * THREADS, lost, size)


def ended():
    """A JVM that ends before it can be read, as `wick host` is stopped, is counted; one of which nothing else than the agent's
    samples can be seen is named although it has ended."""
    j = program("ended", "-XX:+UseSerialGC")
    if version == 8:
        t.check("the agent records", t.start(j.pid, t.path("ended-own.jfr"), "-e", "alloc").status == 0)
    recording = Recording("ended", "alloc=64k")
    j.kill()
    recording.process.send_signal(signal.SIGSTOP)
    t.check("another JVM runs and ends", t.run(t.JAVA, "-XX:+UseSerialGC", "-version").status == 0)
    recording.process.send_signal(signal.SIGCONT)
    recording.end()
    said = " ".join(recording.said.split())
    t.check("it is counted", re.search(r"\d+ JVMs? ended before (it was|they were) examined", said), recording.said)
    if version == 8:
        t.check("and the other one is named", f"process {j.pid} are not in it: only while the agent records them" in said, recording.said)


def examined():
    j = program("doctor")
    way = "by what its code looks like" if version == 8 else "by name"
    r = t.wick("host", "doctor")
    t.check("wick host doctor says how each JVM's are found", f"process {j.pid} (JDK {version}) can be recorded" in " ".join(r.out.split()) and way in " ".join(r.out.split()), r.out)
    j.kill()


for each in KINDS:
    without_agent(*each)
starts_later()
with_agent()
ended()
examined()
t.done()
