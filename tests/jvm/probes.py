#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 25
# ci: 25
# alone
"""Static probes (docs/probes.md): bpftrace lists the agent's and reads of each what the recording says of the same samples, spans, waits
and safepoints, argument by argument; `wick host -e usdt:` counts them, and HotSpot's own, with whole stacks; where nobody reads
them, semaphores are 0."""
import collections
import os
import re
import shutil
import signal
import subprocess
import time

import jvmtest as t

JAR = os.path.join(t.BUILD, "java/wick.jar")
CPUS = os.cpu_count()
NAMES = ["alloc__sample", "lock__wait", "span__begin", "span__end", "ttsp__late"]
SCRIPT = """
usdt:%(agent)s:wick:alloc__sample /pid == %(pid)d/ { printf("alloc|%%ld|%%s|%%ld|%%ld\\n", nsecs, str(arg0), arg1, arg2); }
usdt:%(agent)s:wick:lock__wait /pid == %(pid)d/ { printf("lock|%%ld|%%s|%%s|%%lx|%%ld|%%ld\\n", nsecs, str(arg0), str(arg1), arg2, arg3, arg4); }
usdt:%(agent)s:wick:ttsp__late /pid == %(pid)d/ { printf("ttsp|%%ld|%%ld|%%ld|%%s|%%s|%%ld|%%ld\\n", nsecs, arg0, arg1, str(arg2), str(arg3), arg4, arg5); }
usdt:%(agent)s:wick:span__begin /pid == %(pid)d/ { printf("begin|%%ld|%%lx|%%lx|%%lx|%%lx|%%s|%%s\\n", nsecs, arg0, arg1, arg2, arg3, str(arg4), str(arg5)); }
usdt:%(agent)s:wick:span__end /pid == %(pid)d/ { printf("end|%%ld|%%lx|%%ld|%%lx|%%lx|%%s|%%s\\n", nsecs, arg0, arg1, arg2, arg3, str(arg4), str(arg5)); }
"""
# In a mount namespace of its own with tracefs, without which bpftrace 0.17 complains when it ends.
IN_NAMESPACE = "mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing; exec bpftrace -B line \"$@\""


class Bpftrace:
    """Reads the agent's probes in a process, each occurrence a line."""

    def __init__(self, pid):
        script, self.file = t.path("probes.bt"), t.path("probes.out")
        with open(script, "w", encoding="utf-8") as f:
            f.write(SCRIPT % {"agent": t.AGENT, "pid": pid})
        with open(self.file, "w", encoding="utf-8") as f:
            self.process = subprocess.Popen(["unshare", "-m", "sh", "-c", IN_NAMESPACE, "sh", script], stdout=f, stderr=subprocess.STDOUT,
                                            env={**os.environ, "BPFTRACE_PERF_RB_PAGES": "256"})

    def said(self):
        with open(self.file, encoding="utf-8", errors="replace") as f:
            return f.read()

    def rows(self, since_ns):
        """{probe: [arguments]} of what happened since then."""
        out = collections.defaultdict(list)
        text = self.said()
        for line in text[:text.rfind("\n") + 1].splitlines():
            parts = line.split("|")
            if parts[0] in ("alloc", "lock", "ttsp", "begin", "end") and int(parts[1]) >= since_ns:
                out[parts[0]].append(tuple(parts[2:]))
        return out

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        t.check("bpftrace lost nothing", "Lost" not in self.said(), self.said()[-2000:])


def semaphores(pid):
    """{probe: semaphore} of a process."""
    notes = subprocess.run(["readelf", "-nW", t.AGENT], capture_output=True, text=True, check=True).stdout
    at = {n: int(a, 16) for n, a in re.findall(r"Name: (\w+)\s+Location: \w+, Base: \w+, Semaphore: (\w+)", notes) if int(a, 16)}
    with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
        base = min(int(line.split("-")[0], 16) for line in f if line.rstrip().endswith(t.AGENT))
    with open(f"/proc/{pid}/mem", "rb") as f:
        return {n: int.from_bytes(os.pread(f.fileno(), 2, base + a), "little") for n, a in at.items()}


def ns_of(text):
    return round(t.json_seconds(text) * 1e9)


def drops(file, kind):
    rows = [r for r in t.events(file, "wick.SampleTotals") if r["type"] == kind]
    return int(rows[-1]["dropped"]) if rows else 0


def same(title, probed, recorded, dropped):
    """What passed by the probe is what was recorded, and so many more as were lost on the way."""
    a, b = collections.Counter(probed), collections.Counter(recorded)
    t.check(f"{title}: the probe shows what is recorded, with the same values",
            b and not b - a and sum((a - b).values()) == dropped, (list((a - b).items())[:5], list((b - a).items())[:5], dropped))


def listed():
    r = t.run("bpftrace", "-l", f"usdt:{t.AGENT}:*")
    t.check("bpftrace lists the agent's probes", sorted(re.findall(r":wick:(\w+)$", r.out, flags=re.M)) == NAMES, r)
    with open(os.path.join(t.ROOT, "docs/probes.md"), encoding="utf-8") as f:
        t.check("and docs/probes.md has all of them", sorted(re.findall(r"(?m)^### wick:(\w+)$", f.read())) == NAMES)


def compare(file, rows):
    of_class = [(e["objectClass"]["name"].replace("/", "."), e["weight"]) for e in t.json_values(file, "jdk.ObjectAllocationSample")]
    same("allocations", [(c.replace("/", "."), int(w)) for c, _, w in rows["alloc"]], of_class, drops(file, "alloc"))
    t.check("sizes are those of the arrays that were allocated", {"1040"} <= {s for _, s, _ in rows["alloc"]} and
            all(int(s) <= int(w) for _, s, w in rows["alloc"]), rows["alloc"][:5])
    spans = [(e["spanId"], ns_of(e["duration"]), e["operation"], e["labels"] or "") for e in t.json_values(file, "wick.Span")]
    same("spans", [(s.rjust(16, "0"), int(d), o, l) for s, d, _, _, o, l in rows["end"]], spans, 0)
    parents = {(e["spanId"], e["parentSpanId"] or "") for e in t.json_values(file, "wick.Span")}
    begun = [(s.rjust(16, "0"), p.rjust(16, "0") if p != "0" else "") for s, p, *_ in rows["begin"]]
    t.check("each span begins once, with its parent", len(begun) == len(spans) and set(begun) == parents, (begun[:4], list(parents)[:4]))
    t.check("in the trace that was given", {(h, l) for _, _, h, l, _, _ in rows["begin"]} == {("0", "7")}, rows["begin"][:4])
    monitor = {"jdk.JavaMonitorEnter": "monitor", "jdk.ThreadPark": "park", "jdk.JavaMonitorWait": "wait"}
    waits = [(monitor[k], e["address"], ns_of(e["duration"])) for k in monitor for e in t.json_values(file, k)]
    same("waits", [(k, int(a, 16), int(d)) for k, _, a, d, _ in rows["lock"]], waits, drops(file, "lock"))
    t.check("with the class of the monitor", any(k == "monitor" and c == "Probes$Door" for k, c, *_ in rows["lock"]), rows["lock"])
    slow = [(ns_of(e["timeToSafepoint"]), ns_of(e["duration"]), e["operation"], e["kind"], str(e["lateThreads"]))
            for e in t.json_values(file, "wick.SafepointLatency")]
    same("safepoints", [(int(reach), int(d), o, k, late) for reach, d, o, k, late, _ in rows["ttsp"]], slow, 0)
    t.check("time to safepoint is part of them, and a thread is named",
            all(0 < int(reach) <= int(d) and (int(late) == 0 or int(tid) > 0) for reach, d, _, _, late, tid in rows["ttsp"]), rows["ttsp"])


def check_read(jvm):
    """Every probe against the recording."""
    file, warm = t.path("probes.jfr"), t.path("warm.jfr")
    events = ("-e", "alloc,lock=1us,ttsp")
    r = t.start(jvm.pid, warm, *events)
    t.check("a recording starts", r.status == 0, r)
    t.check("semaphores are 0 while nobody reads", set(semaphores(jvm.pid).values()) == {0} and len(semaphores(jvm.pid)) == 2, semaphores(jvm.pid))
    reader = Bpftrace(jvm.pid)

    def seen_all(since):
        jvm.ask("spans 20", "(done)")
        jvm.ask("work", "(done)")
        return len(reader.rows(since)) == 5
    t.check("bpftrace reads every probe", t.until(lambda: seen_all(0)), reader.said()[-3000:])
    t.check("the kernel has raised the semaphores", set(semaphores(jvm.pid).values()) == {1}, semaphores(jvm.pid))
    t.stop(jvm.pid)
    since = time.monotonic_ns()
    t.start(jvm.pid, file, *events)
    t.check("and again", t.until(lambda: seen_all(since)), reader.said()[-3000:])
    t.stop(jvm.pid)
    reader.end()
    t.check("semaphores are 0 again", t.until(lambda: set(semaphores(jvm.pid).values()) == {0}), semaphores(jvm.pid))
    compare(file, reader.rows(since))


def host_rows(file, event):
    """[(pid, frames root first, weight)]"""
    out = []
    for line in t.wick("convert", "-e", event, "--own", "--by", "process", "--annotate", "--to", "collapsed", file).out.splitlines():
        frames, _, weight = line.rpartition(" ")
        frames = frames.split(";")
        m = re.fullmatch(r"\[.*-(\d+)\]_\[x\]", frames[0])
        if m:
            out.append((int(m[1]), frames[1:], int(weight)))
    return out


def check_host(jvm, log):
    """`wick host`: counts, stacks, and HotSpot's own probes."""
    def safepoints():
        with open(log, encoding="utf-8") as f:
            return len(re.findall(r"Safepoint \"", f.read()))
    file, own = t.path("host.jfr"), t.path("own.jfr")
    libjvm = os.path.realpath(t.JAVA_HOME + "/lib/server/libjvm.so")
    t.start(jvm.pid, own, "-e", "alloc")
    outer = safepoints()
    begin, end, hotspot = f"usdt:{t.AGENT}:wick:span__begin", "usdt:wick:span__end", f"usdt:{libjvm}:hs_private:safepoint__begin"
    p = subprocess.Popen([t.WICK, "host", "-d", "3600", "-e", f"{begin},{end}=3,{hotspot},usdt:hotspot:monitor__contended__enter", "-f", file],
                         stderr=subprocess.PIPE, text=True)
    t.check("wick host records them", t.until(lambda: p.poll() is not None or (os.path.exists(file) and os.path.getsize(file)), pause=0.02) and
            p.poll() is None)
    inner = safepoints()
    pairs = 0
    for _ in range(10):
        pairs += 50 if jvm.ask("spans 50", "(done)") else 0
        time.sleep(0.1)  # what the walk lacks is read between
    jvm.ask("work", "(done)")
    inner = safepoints() - inner
    p.send_signal(signal.SIGINT)
    said = p.communicate()[1]
    outer = safepoints() - outer
    t.stop(jvm.pid)
    lost = sum(map(int, re.findall(r"lost: (\d+) samples of counted events", said)))
    skipped = sum(map(int, re.findall(r"the kernel skipped (\d+) occurrences", said)))
    rows = {e: host_rows(file, e) for e in (begin, end, hotspot, "usdt:hotspot:monitor__contended__enter")}
    mine = {e: sum(w for pid, _, w in r if pid == jvm.pid) for e, r in rows.items()}
    t.check("spans that begin, each", pairs == 500 and 2 * pairs - lost - skipped <= mine[begin] <= 2 * pairs, (pairs, mine, said))
    t.check("spans that end, every third", 2 * pairs - 3 * (CPUS + lost) - skipped <= mine[end] <= 2 * pairs + 3 * CPUS, (mine, said))
    stacks = [f for pid, f, _ in rows[begin] if pid == jvm.pid]

    def whole(frames):
        rest = iter(frames)
        return all(any(re.match(w, f) for f in rest) for w in (r"Probes\.main_", r"Probes\.spans_", r"wick\.Record\.openSpan_", r".*spanBegun_\[n\]"))
    t.check("with whole stacks, from main to the probe", any(map(whole, stacks)), stacks[:10])
    t.check("HotSpot's safepoints, as its log has them", 0 < inner and inner - lost - skipped <= mine[hotspot] <= outer, (inner, outer, mine, said))
    t.check("and contended monitors, with -XX:+DTraceMonitorProbes", mine["usdt:hotspot:monitor__contended__enter"] > 0 or lost + skipped > 0, (mine, said))
    t.check("semaphores are 0 afterwards", t.until(lambda: set(semaphores(jvm.pid).values()) == {0}), semaphores(jvm.pid))


def check_copy():
    """A JVM that sees another file system has a copy of the agent, which has no name any more: `usdt:PROVIDER:NAME` finds it all the same."""
    hidden, classes, file = t.path("hidden"), t.path("classes"), t.path("copy.jfr")
    os.mkdir(hidden)
    agent = shutil.copy(t.AGENT, hidden)
    shutil.copytree(t.compile_java("Probes", classpath=JAR), classes)
    jvm = t.Jvm(["-Xmx64m", "-cp", f"{classes}:{JAR}", "Probes"], "copy",
                prefix=("unshare", "-m", "sh", "-c", f"mount -t tmpfs none '{hidden}' && exec \"$@\"", "sh"))
    t.check("a JVM runs where the agent's file is not seen", jvm.wait_for("up"), jvm.output())
    r = t.wick("start", "--lib", agent, "-q", *t.PATIENT, "-e", "cpu", "-f", t.path("copied.jfr"), jvm.pid)
    with open(f"/proc/{jvm.pid}/maps", encoding="utf-8") as f:
        mapped = f.read()
    t.check("it has loaded a copy", r.status == 0 and agent not in mapped and re.search(r"wick.*\(deleted\)", mapped), r)
    p = subprocess.Popen([t.WICK, "host", "-d", "3600", "-e", "usdt:wick:span__begin", "-f", file], stderr=subprocess.PIPE, text=True)
    t.check("wick host records its probe", t.until(lambda: p.poll() is not None or (os.path.exists(file) and os.path.getsize(file)), pause=0.02) and
            p.poll() is None)
    jvm.ask("spans 50", "(done)")
    p.send_signal(signal.SIGINT)
    said = p.communicate()[1]
    t.stop(jvm.pid)
    jvm.kill()
    lost = sum(map(int, re.findall(r"lost: (\d+) samples of counted events", said)))
    spans = sum(w for pid, _, w in host_rows(file, "usdt:wick:span__begin") if pid == jvm.pid)
    t.check("each span of it", 100 - lost <= spans <= 100, (spans, said))


def check_refused():
    for event, status, said in ((f"usdt:{t.AGENT}:wick:alloc_sample", 2, r"no static probe wick:alloc_sample; similar: wick:alloc__sample"),
                                ("usdt:wick:span__bgin", 2, r"mapped now has the static probe wick:span__bgin; similar: wick:span__begin"),
                                (f"usdt:{t.AGENT}:other:thing", 2, r"it has 5 others, such as wick:"),
                                ("usdt:/bin/true:a:b", 2, r"no static probes"),
                                ("usdt:/etc/passwd:a:b", 3, r"no library or program"),
                                ("usdt:/no/such:a:b", 4, r"there is no such file"),
                                ("usdt:libjvm.so", 2, r"usdt:/PATH/OF/FILE:PROVIDER:NAME")):
        r = t.wick("host", "-d", "100ms", "-e", event, "-f", t.path("refused.jfr"))
        t.check(f"{event.replace(t.AGENT, 'libwick.so')} is refused with a reason", r.status == status and re.search(said, r.err), r)


tried = t.wick("host", "-d", "100ms", "-f", t.path("try.jfr"))
if tried.status in (5, 6) or not shutil.which("bpftrace"):
    t.skip("static probes", tried.err.strip() or "there is no bpftrace: tools/setup test")
    t.done()
listed()
safepoint_log = t.path("safepoints.log")
program = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-XX:-UseCountedLoopSafepoints", "-XX:+DTraceMonitorProbes", f"-Xlog:safepoint:file={safepoint_log}",
                 "-cp", f"{t.compile_java('Probes', classpath=JAR)}:{JAR}", "Probes"], "probes")
t.check("the program is up", program.wait_for("up"), program.output())
check_read(program)
check_host(program, safepoint_log)
check_refused()
program.kill()
check_copy()
t.done()
