#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# once
# alone
"""System calls in recordings of the whole machine, `wick host -e syscalls,network`: a program that counts and times its own, by TCP
and by Unix domain sockets, and calls that fail. And with -e sched who had the lock that a thread waited for, also in a namespace
where its threads have other numbers."""
import collections
import json
import os
import re
import shutil
import signal
import subprocess

import jvmtest as t
from host_recording import Recording

ROUNDS, PAUSE = 25, 0.02   # receives of the client, and how long each waits for the answer
SHORT_ROUNDS = 300         # of another program, whose answers take no time
SHORTEST = 1e-6            # s, of the recording that has nearly all calls
LEAST_CHANCE = 0.05        # of a call in it: none takes less than 50 ns
THRESHOLD = 0.002          # s, of the recording that takes short calls at random

CLIENT = """import ctypes, errno, json, os, socket, sys, threading, time
path, rounds, pause, short = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
said = {}
def listen(family, address):
    s = socket.socket(family)
    s.bind(address)
    s.listen()
    return s
def serve(s):
    c, _ = s.accept()
    for i in range(rounds + short):
        c.recv(100)
        if i < rounds:
            time.sleep(pause)
        c.sendall(b"y" * 7)
    while c.recv(100):
        pass
def ask(c, name, count):
    waited = []
    for i in range(count):
        c.sendall(b"x" * 5)
        begin = time.monotonic_ns()
        c.recv(100)
        waited.append(time.monotonic_ns() - begin)
    said[name] = said.get(name, []) + waited
tcp, local = listen(socket.AF_INET, ("127.0.0.1", 0)), listen(socket.AF_UNIX, path)
closed = listen(socket.AF_INET, ("127.0.0.1", 0))
said["port"], said["closed port"] = tcp.getsockname()[1], closed.getsockname()[1]
closed.close()
servers = [threading.Thread(target=serve, args=(a,)) for a in (tcp, local)]
for s in servers:
    s.start()
c = socket.create_connection(("127.0.0.1", said["port"]))
said["from port"] = c.getsockname()[1]
u = socket.socket(socket.AF_UNIX)
u.connect(path)
for each, name in ((c, "tcp"), (u, "local")):
    ask(each, name, rounds + short)
try:
    socket.create_connection(("127.0.0.1", said["closed port"]))
except ConnectionRefusedError:
    pass
for name in (path + ".missing", "\\0" + path[-20:]):
    with socket.socket(socket.AF_UNIX) as s:
        try:
            s.connect(name)
        except OSError:
            pass
lock = threading.Lock()
lock.acquire()
lock.acquire(timeout=0.05)
said["tid"] = threading.get_native_id()
c.close()
u.close()
for s in servers:
    s.join()
print(json.dumps(said))
"""


def events_of(recording, kind, pid):
    return [e for e in t.json_values(recording.file, kind) if re.search(rf"^process=[^,]*-{pid}(,|$)", e["context"])]


def seconds(events, field="duration"):
    return sum(t.json_seconds(e[field]) for e in events)


def check_number(title, calls, known, lost):
    """As many calls of each kind. One of less than the threshold of 1 us, where an answer was there already, is there at random."""
    for operation, number in known.items():
        chances = [min(1, t.json_seconds(e["duration"]) / SHORTEST) for e in calls if e["operation"] == operation]
        most_off = t.sum_within(sum((1 - p) / p**2 for p in chances), 1 / LEAST_CHANCE)
        found = sum(1 / max(p, LEAST_CHANCE) for p in chances)
        t.check(f"{title}: each {operation}", lost or abs(found - number) <= most_off, (len(chances), found, number, most_off))
    t.check(f"{title}: nothing else", {e["operation"] for e in calls} <= set(known), calls[:1])


def peer_label(said):
    """What the client's calls have: of two ports that the kernel gave, the lower one is taken for the server's."""
    return "127.0.0.1" if said["from port"] < said["port"] else f"127.0.0.1:{said['port']}"


def check_sockets(said, calls, lost):
    """What the program knows of its own calls is what was recorded."""
    here, there = f"127.0.0.1:{said['from port']}", f"127.0.0.1:{said['port']}"
    client = [e for e in calls if (e["local"], e["peer"]) == (here, there)]
    server = [e for e in calls if (e["local"], e["peer"]) == (there, here)]
    rounds = ROUNDS + SHORT_ROUNDS
    # the server's last receive is the end of the connection
    check_number("TCP, client", client, {"send": rounds, "receive": rounds, "connect": 1}, lost)
    check_number("TCP, server", server, {"send": rounds, "receive": rounds + 1, "accept": 1}, lost)
    t.check("with the bytes", lost or {(e["operation"], int(e["bytes"])) for e in client} == {("send", 5), ("receive", 7), ("connect", 0)}, client[:2])
    t.check("and the protocol, without an error", all(e["protocol"] == "tcp" and not e["error"] for e in client + server), client[:2])
    receives = [t.json_seconds(e["duration"]) for e in client if e["operation"] == "receive"]
    t.check("no receive took longer than the program saw", all(a <= b / 1e9 for a, b in zip(sorted(receives, reverse=True), sorted(said["tcp"], reverse=True))),
            (sorted(receives)[-3:], sorted(said["tcp"])[-3:]))
    t.check("and it waited for the answers", sum(s >= PAUSE / 2 for s in receives) >= ROUNDS - lost, receives)
    t.check("the time until an acknowledgement is there", lost or any(t.json_seconds(e["roundTrip"]) > 0 for e in client), client[-1:])
    local = [e for e in calls if e["protocol"] == "unix-stream" and e["peer"] == f"unix:{t.path('socket')}"]
    check_number("Unix domain sockets by the name of either end", local, {"send": 2 * rounds, "receive": 2 * rounds + 1, "connect": 1, "accept": 1}, lost)
    refused = [e for e in calls if e["error"] == "ECONNREFUSED" and e["protocol"] == "tcp"]
    t.check("a connection that is refused", lost or [(e["operation"], e["peer"]) for e in refused] ==
            [("connect", f"127.0.0.1:{said['closed port']}")], refused)
    missing = {(e["error"], e["peer"]) for e in calls if e["operation"] == "connect" and e["peer"].startswith("unix:") and e["error"]}
    t.check("and those of Unix domain sockets that are not there", lost or missing ==
            {("ENOENT", f"unix:{t.path('socket')}.missing"), ("ECONNREFUSED", f"unix:@{t.path('socket')[-20:]}")}, missing)
    t.check("the label peer", lost or any(f",operation=receive,peer={peer_label(said)}" in e["context"] for e in client), client[:1])
    t.check("stacks of the program", all(any("recv" in f["method"]["name"] for f in e["stackTrace"]["frames"]) for e in client
                                         if e["operation"] == "receive"), client[:1])


def check_calls(said, calls, lost):
    mine = [e for e in calls if e["eventThread"]["osThreadId"] == said["tid"]]
    waits = [e for e in mine if e["call"] == "futex" and t.json_seconds(e["duration"]) >= 0.05]
    t.check("a wait for a lock that takes too long", lost or any(e["error"] == "ETIMEDOUT" for e in waits), waits)
    naps = [e for e in calls if e["call"] == "clock_nanosleep"]
    # until a moment that was fixed before the call
    t.check("each sleep, by name", lost or len(naps) == 2 * ROUNDS and all(t.json_seconds(e["duration"]) >= PAUSE / 2 for e in naps), (len(naps), naps[:2]))
    t.check("each call stands for itself or for the threshold", all(t.json_seconds(e["weight"]) >= max(t.json_seconds(e["duration"]), 1e-6) - 1e-9
                                                                     for e in calls), calls[:2])


def check_chosen(exact, chosen, said, lost, walk):
    """Short ones at random add up to what all take: what the other recording has, and no more than the program saw."""
    lengths = [t.json_seconds(e["duration"]) for e in exact]
    most_off = t.sum_within(sum(s * (THRESHOLD - s) for s in lengths if s < THRESHOLD), THRESHOLD) + len(exact) * walk
    low, high, found = sum(lengths) - most_off, sum(said["tcp"]) / 1e9 + most_off, seconds(chosen, "weight")
    print(f"# {found:.4f} s by {len(chosen)} at random, {sum(lengths):.4f} by all {len(exact)}, {sum(said['tcp']) / 1e9:.4f} as the program saw, +- {most_off:.4f}")
    t.check("those at random add up to the same", lost or low <= found <= high, (low, found, high))
    t.check("and none stands for less than the threshold", all(t.json_seconds(e["weight"]) >= THRESHOLD - 1e-9 for e in chosen), chosen[:2])


def check_program():
    exact, chosen = Recording("exact", "syscalls,network=1us"), Recording("chosen", f"network={round(THRESHOLD * 1e6)}us")
    p = subprocess.Popen(["python3", "-c", CLIENT, t.path("socket"), str(ROUNDS), str(PAUSE), str(SHORT_ROUNDS)], stdout=subprocess.PIPE, text=True)
    said = json.loads(p.communicate()[0])
    exact.end()
    chosen.end()
    lost = exact.lost("network", "wick.NetworkCall")
    calls = events_of(exact, "wick.NetworkCall", p.pid)
    check_sockets(said, calls, lost)
    walk = float(re.search(r"calls on sockets; ([\d.]+) us", exact.said)[1]) / 1e6
    receives = [[e for e in r if e["operation"] == "receive" and e["local"] == f"127.0.0.1:{said['from port']}"]
                for r in (calls, events_of(chosen, "wick.NetworkCall", p.pid))]
    check_chosen(*receives, said, lost + chosen.lost("network", "wick.NetworkCall"), walk)
    check_calls(said, events_of(exact, "wick.SystemCall", p.pid), exact.lost("syscalls", "wick.SystemCall"))
    r = t.wick("top", "-e", "network", "--by", "peer", "--process", f"-{p.pid}$", exact.file)
    t.check("wick top by peer", f" {peer_label(said)}\n" in r.out, r)
    r = t.wick("convert", "-e", "syscalls", "--by", "call", "--process", f"-{p.pid}$", "--to", "collapsed", exact.file)
    t.check("and by call", "[clock_nanosleep];" in r.out and "[recvfrom];" in r.out, r)


def threads(pid):
    """{name: numbers} of the threads of a process."""
    found = collections.defaultdict(set)
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as f:
            found[f.read().strip()].add(int(tid))
    return found


def check_owners(where, program, *before):
    """The time in pthread_mutex_lock() has the thread that had the lock."""
    recording = Recording(where, "sched")
    p = subprocess.Popen([*before, program], start_new_session=True)
    try:
        t.check(f"{where}: the program runs", t.until(lambda: running(program)), before)
        pid = running(program)[0]
        t.until(lambda: len(threads(pid)["holds"]) == 2)
        owners = {f"holds-{tid}" for tid in threads(pid)["holds"]}
        t.until(lambda: t.wick("top", "-e", "wall", "--json", "--by", "lock-owner", "--process", f"-{pid}$", recording.file).out.count("holds-") >= 2, pause=1)
    finally:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        for one in running(program):
            os.kill(one, signal.SIGKILL)
    rows = collections.Counter()
    for e in events_of(recording.end(), "profiler.WallClockSample", pid):
        names = [f["method"]["name"] for f in (e["stackTrace"] or {"frames": []})["frames"]]
        if e["sampledThread"]["osName"] == "waits" and e["state"] != "STATE_WAITING_FOR_CPU" and \
                any("mutex_lock" in n or "lock_wait" in n for n in names):
            found = re.search(r",lock-owner=([^,]*)", e["context"])
            rows[found[1] if found else ""] += t.json_seconds(e["weight"])
    print(f"# {where}: {dict(rows)}")
    t.check(f"{where}: both locks have their owners", owners <= set(rows) <= owners | {""}, (rows, owners))
    t.check("who are known nearly always", rows[""] <= 0.1 * sum(rows.values()), rows)


def running(program):
    """Processes of that program."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") == program:
                found.append(int(pid))
        except OSError:
            pass
    return found


tried = t.wick("host", "-d", "100ms", "-e", "network,syscalls", "-f", t.path("try.jfr"))
if tried.status in (5, 6):
    t.skip("wick host", tried.err.strip())
    t.done()
check_program()
locked = os.path.join(t.BUILD, "tests", "jvm", "locked")
check_owners("here", locked)
copy = t.path("locked2")
shutil.copy(locked, copy)
if t.run("unshare", "--pid", "--fork", "true").status:
    t.skip("threads with other numbers", "no namespace for them can be made here")
else:
    check_owners("in a namespace", os.path.realpath(copy), "unshare", "--pid", "--fork")
t.done()
