#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 25
# alone
"""A machine with all sorts of things: JVMs of the JDKs that are here, each in namespaces of its own, nginx, PostgreSQL, and processes that live some
milliseconds. In one recording every process is apart, and no symbol is another's: checked against thread dumps, gdb and perf."""
import collections
import http.client
import math
import os
import re
import signal
import subprocess
import threading
import time

import jvmtest as t
import servers

SIGMAS = t.Sigmas(6)
BURST = 8  # samples that may belong to one request: nginx compresses for tens of milliseconds
KINDS = ("Amber", "Birch", "Cedar", "Daisy")
recording = t.path("host.jfr")
started = []


def start(*args, **kw):
    p = subprocess.Popen([str(a) for a in args], stdin=subprocess.DEVNULL, stdout=kw.pop("stdout", subprocess.DEVNULL), stderr=kw.pop("stderr", subprocess.DEVNULL), **kw)
    started.append(p)
    return p


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as f:
        return [int(x) for x in f.read().split()]


# --- what runs ---


def jvms():
    """{pid: (class, JDK, the JVM)}: in mount, pid, UTS and IPC namespaces of their own, with a /tmp of their own: each is process 1."""
    out = {}
    homes = [(v, t.jdk_home(v)) for v in (8, 11, 17, 21, 25)]
    there = [(v, h) for v, h in homes if os.path.exists(f"{h}/bin/java")][-len(KINDS):]
    classes = t.compile_java("Apart")
    for kind, (version, home) in zip(KINDS, there):
        j = t.Jvm(["-Xmx64m", "-cp", classes, "Apart", kind], f"apart{version}", java=f"{home}/bin/java",
                  prefix=("unshare", "-m", "-p", "-u", "-i", "--fork", "--kill-child", "--mount-proc",
                          "sh", "-c", 'mount -t tmpfs none /tmp && exec "$@"', "sh"))
        if not t.check(f"JDK {version} runs in its namespaces", j.wait_for("(?m)^up"), j.output()):
            continue
        out[children(j.pid)[0]] = (kind, version, j)
    return out


def nginx():
    """(its worker, the port), or None"""
    where, port = t.path("nginx"), servers.free_port()
    p = start(*servers.nginx(where, port))
    t.until(lambda: p.poll() is not None or (os.path.exists(where + "/pid") and children(p.pid)))
    return (children(p.pid)[0], port) if p.poll() is None else None


def ask_nginx(port, over):
    while not over.is_set():
        try:
            c = http.client.HTTPConnection("127.0.0.1", port)
            for _ in range(100):
                c.request("GET", "/text", headers={"Accept-Encoding": "gzip"})
                c.getresponse().read()
        except OSError:
            time.sleep(0.05)


def postgres():
    """The process that works for a client, or None."""
    database = servers.Postgres(t.path("postgres"))
    made = t.run(*database.make)
    p = start(*database.run)
    ready = made.status == 0 and t.until(lambda: p.poll() is not None or t.run(*database.is_ready).status == 0) and p.poll() is None
    if not ready:
        return None
    t.run(*database.fill)
    start(*database.ask)
    found = []

    def selects(pid):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as f:
                return "SELECT" in f.read()
        except OSError:  # a worker of the server that has ended
            return False

    def at_work():
        found[:] = [c for c in children(p.pid) if selects(c)]
        return found
    t.until(at_work)
    return found[0] if found else None


# --- what others see ---


def stacks_of_jvm(pid, jvm):
    """Methods on the main thread's stack, as the JVM itself writes them at SIGQUIT: what jstack shows."""
    at = len(jvm.output())
    os.kill(pid, signal.SIGQUIT)
    t.until(lambda: re.search(r'"main".*\n(.*\n)+?\n', jvm.output()[at:]))
    dump = jvm.output()[at:]
    return re.findall(r"at (Apart\$\w+\.\w+)\(", dump[dump.find('"main"'):].split("\n\n")[0])


def frames_by_gdb(pid):
    """Functions of the stack, root first."""
    r = t.run("gdb", "-nx", "-batch", "-p", str(pid), "-ex", "set debuginfod enabled off", "-ex", "bt")
    return re.findall(r"(?m)^#\d+ +(?:0x[0-9a-f]+ in )?([A-Za-z_]\w*) \(", r.out)[::-1]


def leaves_by_perf(data, pid):
    """{function or "kernel": samples}: what perf says is executed."""
    r = t.run("perf", "script", "-i", data, "--pid", str(pid), "-F", "ip,sym,dso")
    out = collections.Counter()
    for line in r.out.splitlines():
        m = re.match(r"\s*([0-9a-f]+) (.*) \((.*)\)$", line)
        if m:
            out["kernel" if int(m[1], 16) >> 63 else m[2]] += 1
    return out


def by_process(*options):
    """{pid: [(name, frames root first, samples)]}"""
    out = collections.defaultdict(list)
    for line in t.wick("convert", "--samples", "--by", "process", "--annotate", *options, "--to", "collapsed", recording).out.splitlines():
        frames, _, count = line.rpartition(" ")
        frames = frames.split(";")
        m = re.fullmatch(r"\[(.*)-(\d+)\]_\[x\]", frames[0])
        if m:
            out[int(m[2])].append((m[1], frames[1:], int(count)))
    return out


def leaves(rows):
    out = collections.Counter()
    for _, frames, n in rows:
        name = re.sub(r"_\[\w\]$", "", frames[-1])
        out["kernel" if frames[-1].endswith("_[k]") else name] += n
    return out


def check_shares(title, mine, theirs):
    """Whether both see the same functions equally often, as far as two samples of it can."""
    n, m = sum(mine.values()), sum(theirs.values())
    if not t.check(f"{title}: both have samples", n >= 100 and m >= 100, (n, m, mine.most_common(5), theirs.most_common(5))):
        return
    wrong = []
    for name in {x for x, c in (mine + theirs).most_common(12) if x == "kernel" or re.fullmatch(r"[A-Za-z_]\w*", x)}:
        a, b = mine[name] / n, theirs[name] / m
        p = (mine[name] + theirs[name] + 1) / (n + m + 2)
        if abs(a - b) > SIGMAS * math.sqrt(BURST * p * (1 - p) * (1 / n + 1 / m)) + BURST * (1 / n + 1 / m):
            wrong.append((name, mine[name], n, theirs[name], m))
    t.check(f"{title}: the same functions as perf, as often", not wrong, (wrong, mine.most_common(12), theirs.most_common(12)))


# --- all of it ---


def check_java(rows, seen):
    for pid, (kind, version, _) in seen["jvms"].items():
        names = {name for name, *_ in rows[pid]}
        methods = {re.sub(r"_\[\w\]$", "", f) for _, frames, _ in rows[pid] for f in frames}
        own = {m for m in methods if m.startswith("Apart$")}
        t.check(f"JDK {version}: it is a process by itself, with its name", names == {"java"} and own, (names, sorted(methods)[:20]))
        t.check(f"JDK {version}: no method of another's", all(m.startswith(f"Apart${kind}.") for m in own), own)
        dumped = {m for stack in seen["dumps"][pid] for m in stack}
        t.check(f"JDK {version}: what its thread dumps show is there", dumped and {m for m in dumped if "Inner" in m or "Outer" in m} <= own, (dumped, own))
        whole = sum(n for _, frames, n in rows[pid] if any(f.startswith("Apart.main") for f in frames))
        ours = sum(n for _, frames, n in rows[pid] if any(f.startswith("Apart$") for f in frames))
        t.check(f"JDK {version}: stacks lead to main", whole >= t.least_of(ours, 0.95) > 0, (whole, ours))


def check_native(rows, seen):
    web, database = seen["nginx"], seen["postgres"]
    for title, pid, name, root in (("nginx", web, "nginx", "main"), ("PostgreSQL", database, "postgres", "PostmasterMain")):
        t.check(f"{title}: it is a process by itself, with its name", {x for x, *_ in rows[pid]} == {name}, {x for x, *_ in rows[pid]})
        known = seen["later"][pid]  # how code is unwound is read when it is first seen
        n = sum(c for *_, c in known)
        whole = sum(c for _, frames, c in known if any(f.startswith(root) for f in frames))
        t.check(f"{title}: stacks lead to {root}", whole >= t.least_of(n, 0.97) > 0, (whole, n, [f for _, f, _ in known if not any(x.startswith(root) for x in f)][:3]))
        check_shares(title, leaves(rows[pid]), seen["perf"][pid])
        shown = {re.sub(r"_\[\w\]$", "", f) for _, frames, _ in rows[pid] for f in frames}
        outer = {f for stack in seen["gdb"][pid] for f in stack[:4]}
        t.check(f"{title}: what gdb shows at the bottom is there", outer and outer <= shown, (outer, outer - shown))
    java = {f for pid, some in rows.items() if pid not in seen["jvms"] for _, frames, _ in some for f in frames if "Apart" in f}
    t.check("no other process has a method of the JVMs", not java, java)


def check_storm(rows):
    short = [frames for some in rows.values() for name, frames, _ in some if name == "true"]  # their numbers are used again
    t.check("programs that live some milliseconds have their name", short, len(rows))
    other = {f for frames in short for f in frames if re.search(r"ngx_|Postgres|Apart|JavaCalls", f)}
    t.check("and nothing of another", not other, other)


def look(seen):
    """While it is recorded, as often as it goes."""
    for pid, (_, _, jvm) in seen["jvms"].items():
        seen["dumps"][pid].append(stacks_of_jvm(pid, jvm))
    for pid in (seen["nginx"], seen["postgres"]):
        seen["gdb"][pid].append(frames_by_gdb(pid))


def main():
    tried = t.wick("host", "-d", "100ms", "-f", t.path("try.jfr"))
    if tried.status in (5, 6):
        t.skip("wick host", tried.err.strip())
        return
    seen = {"jvms": jvms(), "dumps": collections.defaultdict(list), "gdb": collections.defaultdict(list), "perf": {}}
    web, seen["postgres"] = nginx(), postgres()
    if not t.check("nginx and PostgreSQL run", web and seen["postgres"], (web, seen["postgres"])):
        return
    seen["nginx"], over = web[0], threading.Event()
    client = threading.Thread(target=ask_nginx, args=(web[1], over))
    client.start()
    start("sh", "-c", "while :; do /bin/true; done")
    pids = (seen["nginx"], seen["postgres"])
    host = start(t.WICK, "host", "-i", "7300us", "-d", "3600", "-f", recording, stderr=subprocess.PIPE)
    perf = start("perf", "record", "-q", "-e", "cpu-clock", "-c", "4100000", "-p", ",".join(map(str, pids)), "-o", t.path("perf.data"))
    t.until(lambda: os.path.exists(recording) and os.path.getsize(recording) or host.poll() is not None)
    since = time.monotonic()
    for _ in range(3):
        look(seen)

    def ran(pid):
        """Its CPU time, of all threads."""
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return sum(map(int, f.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    later = time.monotonic() - since
    begin = {pid: ran(pid) for pid in (*pids, *seen["jvms"])}
    t.check("each gets two seconds of CPU time", t.until(lambda: all(ran(pid) - begin[pid] >= 2 for pid in begin)), begin)
    for p in (host, perf):
        p.send_signal(signal.SIGINT)
    said = host.communicate()[1].decode()
    perf.wait()
    over.set()
    client.join()
    t.check("it records", host.returncode == 0, said)
    seen["perf"] = {pid: leaves_by_perf(t.path("perf.data"), pid) for pid in pids}
    rows = by_process()
    seen["later"] = by_process("--from", f"{later:.3f}s")
    check_java(rows, seen)
    check_native(rows, seen)
    check_storm(rows)


try:
    main()
finally:
    for p in reversed(started):
        if p.poll() is None:
            p.terminate()
    for p in started:
        p.wait()
t.done()
