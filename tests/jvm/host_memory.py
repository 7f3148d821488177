#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# once
# alone
"""Threads that wait for memory in recordings of the whole machine, and processes that are killed for lack of it: a program that writes
a file in a cgroup with little memory must free some of it again and again, which `wick host -e memstall` records as often as it
happens and for no longer than the writes took; and one that takes more than there is is ended, which each recording
has, with its name and the memory that it had."""
import os
import re
import signal
import subprocess

import cgroup
import jvmtest as t
from host_recording import Recording

LIMIT = 32 << 20
BEGINS = "vmscan:mm_vmscan_memcg_reclaim_begin"  # counted by a tracepoint, which does without the programs of -e memstall
THRESHOLD = 0.002  # s, of the recording that takes short stalls at random
WRITES = """import os, time
begin = time.monotonic_ns()
with open({file!r}, "wb") as f:
    for _ in range(4 * {limit} >> 20):
        f.write(bytes(1 << 20))
print(time.monotonic_ns() - begin)
"""
GROWS = """import select, sys
while not select.select([sys.stdin], [], [], 0)[0]:
    pass
kept = []
while True:
    kept.append(bytearray(1 << 20))
"""


def read(file):
    with open(file, "rb") as f:
        return f.read()


def seconds(stalls, field):
    return sum(t.json_seconds(e[field]) for e in stalls)


def frames(event):
    return [f["method"]["name"] for f in (event["stackTrace"] or {"frames": []})["frames"]]


def check_stalls(group):
    """One recording has all stalls, the other one short ones at random."""
    exact, chosen = Recording("exact", f"memstall=1us,{BEGINS}"), Recording("chosen", f"memstall={round(THRESHOLD * 1e6)}us")
    p = subprocess.Popen(group.prefix() + ["python3", "-c", WRITES.format(file=t.path("written"), limit=LIMIT)], stdout=subprocess.PIPE, text=True)
    took = int(p.communicate()[0]) / 1e9
    os.unlink(t.path("written"))
    dropped, lost = (r.end().lost("memstall", "wick.MemoryStall") for r in (exact, chosen))
    mine, some = ([e for e in t.json_values(r.file, "wick.MemoryStall") if f"process=python3-{p.pid}," in e["context"]] for r in (exact, chosen))
    begun = [e for e in t.json_values(exact.file, "wick.PerfSample") if f"process=python3-{p.pid}," in e["context"]]
    whole = not re.search("lost|skipped", exact.said)
    said = f"{len(mine)} stalls, {len(begun)} by the tracepoint; {seconds(mine, 'duration'):.4f} of {took:.4f} s"
    print(f"# {said}")
    t.check("as many stalls as the tracepoint counts", mine and (len(mine) == len(begun) or not whole), (said, exact.said))
    t.check("they are no longer than the program ran", 0 < seconds(mine, "duration") <= took, said)
    t.check("each stands for itself", abs(seconds(mine, "duration") - seconds(mine, "weight")) < 1e-6, said)
    t.check("they are reclaim of that cgroup", all(e["stall"] == "cgroup-reclaim" and e["context"].endswith(f"cgroup={group.path},stall=cgroup-reclaim")
                                                   for e in mine), mine[:1])
    t.check("with the stack of the write", any(re.search("sys_write", f) for e in mine for f in frames(e)), [frames(e) for e in mine[:3]])
    # the second program at a tracepoint runs when the first one, which walks the stack, is done
    walks = float(re.search(r"stalls for memory; ([\d.]+) us", exact.said)[1]) / 1e6
    lengths = [t.json_seconds(e["duration"]) for e in mine]
    most_off = t.sum_within(sum(s * (THRESHOLD - s) for s in lengths if s < THRESHOLD), THRESHOLD) + len(mine) * (2 * walks + 2e-5)
    said = f"{seconds(some, 'weight'):.4f} s by {len(some)} at random, {sum(lengths):.4f} by all, {most_off:.4f} apart at most"
    print(f"# {said}")
    t.check("those at random add up to the same", dropped or lost or abs(seconds(some, "weight") - sum(lengths)) <= most_off, said)
    t.check("and none stands for less than the threshold", all(t.json_seconds(e["weight"]) >= THRESHOLD - 1e-9 for e in some), some[:3])
    r = t.wick("convert", "-e", "memstall", "--by", "process", "--by", "stall", "--to", "collapsed", exact.file)
    t.check("views show them", f"[python3-{p.pid}];[cgroup-reclaim];" in r.out, r)


def check_kill(group):
    """A victim of the OOM killer, and a process that is killed by somebody else."""
    recording = Recording("killed", "cpu")
    before = group.oom_kills()
    other = subprocess.Popen(["sleep", "3600"])
    p = subprocess.Popen(group.prefix() + ["python3", "-c", GROWS], stdin=subprocess.PIPE)
    t.check("the victim is sampled before", t.until(lambda: f"process=python3-{p.pid},".encode() in read(recording.file)), p.poll())
    p.stdin.close()
    p.wait()
    other.kill()
    other.wait()
    kills = t.json_values(recording.end().file, "wick.OomKill")
    here = [e for e in kills if e["victimCgroup"] == group.path]
    t.check("it was killed", p.returncode == -signal.SIGKILL and group.oom_kills() - before == 1, (p.returncode, group.oom_kills()))
    t.check("one OOM kill, of that process", [e["victim"] for e in here] == [f"python3-{p.pid}"], kills)
    t.check("the other process is no victim", not any(e["victim"].endswith(f"-{other.pid}") for e in kills), kills)
    t.check("it is said at the end", re.search(r"the kernel ended \d+ process(es)? for lack of memory", recording.said), recording.said)
    r = t.wick("explain", recording.file)
    t.check("wick explain says so", f"the kernel killed python3-{p.pid}" in r.out, r)
    for e in here:
        t.check("with the memory that it had", LIMIT / 2 < int(e["anonymous"]) < 2 * LIMIT and int(e["anonymous"]) < int(e["virtual"]) and
                int(e["anonymous"]) + int(e["file"]) + int(e["shared"]) == int(e["ownResident"]), e)
        t.check("by its own thread, which allocated", f"process=python3-{p.pid}," in e["context"] and e["eventThread"]["osThreadId"] == p.pid, e)
        t.check("with the stack of that", any("out_of_memory" in f for f in frames(e)), frames(e))


tried = t.wick("host", "-d", "100ms", "-e", "memstall", "-f", t.path("try.jfr"))
if tried.status in (5, 6):
    t.skip("wick host", tried.err.strip())
    t.done()
try:
    tight = cgroup.Cgroup()
    tight.limit_memory(LIMIT)
    tight.forbid_swap()
    check_stalls(tight)
    check_kill(tight)
except cgroup.Unavailable as e:
    t.skip("cgroups with little memory", e)
t.done()
