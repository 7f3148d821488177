#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 17 25
# timeout: 3600
"""Recordings begin and end in every way there is, and leave nothing behind.

WICK_CYCLES: start/stop cycles on one busy JVM (30)."""
import concurrent.futures
import glob
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import time

import jvmtest as t

CYCLES = int(os.environ.get("WICK_CYCLES", "30"))
SIGNALS = (16, 30, 25, 21, 22)  # those that the engine may choose from
classes = t.compile_java("Busy")


def busy(*workers, name="busy", options=()):
    j = t.Jvm([*options, "-Xmx256m", "-cp", classes, "Busy", *workers], name)
    if not j.wait_for(r"(?m)^up"):
        t.check(f"{name}: the JVM runs", False, j.output())
    return j


def leftovers(j, before_signals):
    said = []
    if j.timers():
        said.append(f"{j.timers()} timers")
    perf = sum(n for what, n in j.fds().items() if "perf_event" in what)
    if perf:
        said.append(f"{perf} perf descriptors")
    if j.threads()["wick-drain"]:
        said.append("a drain thread")
    changed = [n for n in SIGNALS + (27,) if j.caught(n) != before_signals[n]]
    if changed:
        said.append(f"signals whose disposition changed: {changed}")
    return ", ".join(said)


def cycle(j, failed):
    """CYCLES recordings; what there is after some of them and after all: resident KiB, descriptors, threads."""
    first = None

    def used():
        time.sleep(0.3)
        return j.rss_kib(), sum(j.fds().values()), sum(j.threads().values())
    for i in range(CYCLES):
        event = ("cpu", "ctimer", "itimer")[i % 3]
        r = t.start(j.pid, t.path("cycle.jfr"), "-e", event, "-i", "500us")
        if i % 7 == 0:
            time.sleep(0.1)
        q = t.stop(j.pid)
        if r.status or q.status:
            failed.append((i, r, q))
        if j.proc.poll() is not None:
            break
        if i == min(9, CYCLES // 2):
            first = used()
    return first, used()


def cycles():
    # the Java heap is there from the beginning, so that its growth is not taken for ours
    j = busy("spin=2", "zip", "alloc", options=["-Xms256m", "-XX:+AlwaysPreTouch"])
    before = {n: j.caught(n) for n in SIGNALS + (27,)}
    failed, turns = [], []

    def bounded(first, late):
        # the JVM itself still grows a little: code, collector's tables
        return late[0] - first[0] < 12_000 + 5 * CYCLES, late[1] <= first[1] + 1 and late[2] <= first[2] + 2
    # What the JVM takes for itself, at times a lot at once, it takes once. What leaks grows as much in each turn.
    while not failed and len(turns) < 3 and not (turns and all(bounded(*turns[-1]))):
        turns.append(cycle(j, failed))
    first, late = turns[-1]
    memory, others = bounded(first, late)
    t.check(f"{CYCLES} cycles of start and stop, all engines in turn", not failed and j.proc.poll() is None,
            f"{failed[:3]}\n{j.output()[-2000:]}")
    print(f"# resident KiB, descriptors, threads: {turns}")
    t.check("memory does not grow with the cycles", memory, turns)
    t.check("descriptors and threads do not either", others, turns)
    # a thread that was joined can still be seen until the kernel has done with it
    t.check("nothing is left after the stop", t.until(lambda: not leftovers(j, before)), leftovers(j, before))
    t.start(j.pid, t.path("again.jfr"), "-i", "1ms")
    t.work_for(j, 0.5)
    t.stop(j.pid)
    t.check("and the next recording is as complete as the first", t.weight_of(t.stacks(t.path("again.jfr"))) > 4e8)
    j.kill()


def described(file):
    """How many bytes the headers of a recording's chunks describe."""
    at = 0
    with open(file, "rb") as f:
        while f.read(4) == b"FLR\0":
            at += struct.unpack(">xxxxQ", f.read(12))[0]
            f.seek(at)
    return at


def without_rest(file):
    """Killed in the middle of a writing, the file has bytes that belong to nothing behind what is described, which the
    JDK's tools do not like. wick says so and cuts them off."""
    end, size = described(file), os.path.getsize(file)
    if size <= end:
        return file
    cut = file.replace(".jfr", ".cut.jfr")
    r = t.wick("convert", file, cut)
    t.check("killed in the middle of a writing: what there is is kept", r.status == 0 and f"offset {end}" in r.err and described(cut) > 0,
            f"{r} described {end} of {size}")
    return cut


def cut_of(file):
    """What wick makes of a recording, damaged or not; jfr_cut.py has the JDK's tools read such files."""
    r = t.wick("convert", "--to", "jfr", "-o", t.path("cut-of.jfr"), file)
    with open(t.path("cut-of.jfr"), "rb") as f:
        return r.status, f.read()


def killed():
    """Three at a time: they wait for what is written once a second."""
    jvms = [busy("spin=1", name="killed") for _ in range(3)]
    files = [t.path(f"killed{i}.jfr") for i in range(3)]
    sizes, begin, alive = [], time.monotonic(), list(range(3))
    for j, file in zip(jvms, files):
        t.start(j.pid, file, "-i", "1ms")
        t.check("a recording can be read as soon as it has begun", os.path.getsize(file) > 0)
        sizes.append({os.path.getsize(file)})
    # written once a second, if the machine lets the JVM; one writing may be seen at two sizes, the last be cut off
    while alive and time.monotonic() < begin + t.HANGS:
        time.sleep(0.05 + random.random() * 0.05)
        for i in alive[:]:
            sizes[i].add(os.path.getsize(files[i]))
            if len(sizes[i]) >= 5 and time.monotonic() > begin + 2:
                jvms[i].kill()
                alive.remove(i)
    lived = time.monotonic() - begin
    for i, file in enumerate(files):
        jvms[i].kill()
        file = without_rest(file)
        complaints = t.jfr_complaints(file, versions=(17,))
        t.check("kill -9: the recording can be read", not complaints, complaints)
        half = file.replace(".jfr", ".half.jfr")
        with open(file, "rb") as whole, open(half, "wb") as f:
            f.write(whole.read() + os.urandom(1000))
        t.check("the same with half of a write after it", cut_of(half) == cut_of(file), "what is cut out differs")
        last = [e["startTime"] for e in t.events(file, "wick.Profiler")]
        t.check("and was written again and again", len(last) >= 2, f"{last} in {lived:.2f} s, {sizes[i]}")


def short_lives():
    """A recording that is stopped immediately is whole: what is written first does not meet what the drain thread writes."""
    j = busy("spin=1", name="short")
    files = [t.path(f"short{i}.jfr") for i in range(120)]
    for file in files:
        t.start(j.pid, file)
        t.stop(j.pid)
    r = t.wick("convert", "--to", "jfr", "-o", t.path("short-cut.jfr"), *files)
    t.check("recordings that end immediately are whole", r.status == 0 and not r.err.strip(), r)
    t.check("every one of them", all(described(f) == os.path.getsize(f) > 0 for f in files))
    j.kill()


def starts():
    """From the first moment: what the JVM used before it could be sampled also counts."""
    file = t.path("version.jfr")
    r = t.wick("record", "-i", "1ms", "-f", file, "--", t.JAVA, "-version")
    rows = t.stacks(file, annotate=False)
    starting = t.weight_of([row for row in rows if "[not sampled: JVM starting]" in row[0]])
    t.check("java -version: the JVM's start is in the recording", r.status == 0 and starting >= 1e6, (r, rows))
    top = json.loads(t.wick("top", "--json", "-n", "0", file).out)
    t.check("wick top shows it apart from the methods", top["not_sampled"]["weight"] >= starting and top["rows"] and
            not [row for row in top["rows"] if "not sampled" in row["name"]], top)
    said = re.search(r"(?m)^samples: ([\d,]+), (?:none|and [\d,]+) lost", r.err)
    counted = sum(int(line.rpartition(" ")[2]) for line in t.wick("convert", "--samples", file, "-o", "-").out.splitlines())
    t.check("the last line counts the samples, without a terminal", said and int(said[1].replace(",", "")) == counted > 0,
            (r.err, counted))
    with open(t.path("mine.html"), "w") as f:
        f.write("<p>mine</p>")
    r = t.wick("record", "-f", t.path("mine.html"), "--", t.JAVA, "-version")
    t.check("a page of somebody else's is not replaced, and nothing started",
            r.status == 2 and "--force" in r.err and "mine" in open(t.path("mine.html")).read() and "version" not in r.err, r)
    # java has not even mapped libjvm.so when wick comes; beside others that start, its live phase comes well after its attach listener
    def early(i):
        j = t.Jvm(["-Xmx64m", "-cp", classes, "Busy", "spin=1"], f"early{i}")
        done = t.wick("record", "-d", "100ms", *t.PATIENT, "-f", t.path(f"early{i}.jfr"), j.pid)
        j.kill()
        return done
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        failed = [r for r in pool.map(early, range(12)) if r.status]
    t.check("a JVM that is starting is waited for", not failed, failed)
    # between the two steps of execve that set a process's file and its name; and before it, as after `java ... & wick record $!`
    launcher, gate = t.path("launcher/java"), t.path("gate")
    os.mkdir(os.path.dirname(launcher))
    shutil.copy("/bin/bash", launcher)
    os.mkfifo(gate)
    j = t.Jvm(["-c", 'echo launcher >/proc/self/comm; read -r _ <"$1"; shift; exec "$@"', "bash", gate, t.JAVA, "-Xmx64m", "-cp", classes,
               "Busy", "spin=1"], "launcher", java=launcher)
    log = t.path("launcher.err")
    with open(log, "w") as f:
        recording = subprocess.Popen([t.WICK, "record", "-d", "100ms", *t.PATIENT, "-f", t.path("launcher.jfr"), str(j.pid)], stdout=f, stderr=f)
    while recording.poll() is None and "is starting: waiting" not in open(log).read():
        time.sleep(0.02)
    with open(gate, "w") as f:
        f.write("\n")
    t.check("one whose launcher has another name yet is as well", recording.wait(t.HANGS) == 0, open(log).read())
    j.kill()
    stdin, keep = os.pipe()
    shell = subprocess.run(["bash", "-c", '"$@" <&0 >/dev/null & "$0" record -d 100ms --attach-timeout 300 -f "$FILE" $!; s=$?; kill $!; exit $s', t.WICK,
                            t.JAVA, "-Xmx64m", "-cp", classes, "Busy", "spin=1"], env={**os.environ, "FILE": t.path("background.jfr")},
                           stdin=stdin, capture_output=True, text=True, check=False)
    os.close(stdin)
    os.close(keep)
    t.check("and one that a shell has just forked for", shell.returncode == 0, shell)


def silent():
    """A JVM that is stopped for longer than an answer may take goes on being recorded."""
    j = busy("spin=1", name="silent")
    file, log = t.path("silent.jfr"), t.path("silent.log")

    def until(said):
        end = time.monotonic() + t.HANGS
        while not said() and time.monotonic() < end and w.poll() is None:
            time.sleep(0.05)
        return said()
    with open(log, "w") as f:
        w = subprocess.Popen([t.WICK, "record", "-d", "3600", *t.PATIENT, "-f", file, str(j.pid)], stdout=f, stderr=f)
    # The file is there before the JVM has answered that it records; once that is written on, it has.
    begun, sizes = until(lambda: os.path.exists(file) and os.path.getsize(file) > 0), set()
    begun = begun and until(lambda: len(sizes.add(os.path.getsize(file)) or sizes) > 2)
    j.proc.send_signal(signal.SIGSTOP)
    noted = until(lambda: "has not answered for 10 s" in open(log).read())
    j.proc.send_signal(signal.SIGCONT)
    time.sleep(1)
    t.check("a stopped JVM's recording goes on, and that is said", begun and noted and w.poll() is None, open(log).read())
    w.send_signal(signal.SIGINT)
    try:
        status = w.wait(t.HANGS)
    except subprocess.TimeoutExpired:
        status = None
        w.kill()
    t.check("and ends as any other", status == 0 and t.stacks(file), (status, open(log).read()))
    j.kill()


def ends():
    for title, how in (("System.exit", "exit"), ("the end of main", "return"), ("SIGTERM", None)):
        file = t.path("end.jfr")
        if os.path.exists(file):
            os.unlink(file)
        j = busy("spin=2", name="ends", options=[f"-agentpath:{t.AGENT}=start,interval=1ms,file={file}"])
        t.work_for(j, 0.5)
        if how:
            j.say(how)
        else:
            j.proc.terminate()
        status = j.wait()
        t.check(f"{title} while recording: the JVM ends", status is not None and status in (0, 143), status)
        rows = t.stacks(file)
        t.check(f"{title}: the recording is whole", t.weight_of(rows) > 2e8 and not t.jfr_complaints(file, (17,), False),
                t.weight_of(rows))
    j = busy("spin=1", name="racing")
    j.say("exit")
    r = t.start(j.pid, t.path("race.jfr"))
    t.check("a start while the JVM ends: no hang, no crash", j.wait() == 0, (r, j.output()))


def refused():
    for options, sentence in (("start,interval=never,file=x.jfr", "interval"), ("start,fiel=x.jfr", "fiel"),
                              ("start,file=/nowhere/x.jfr", "cannot create"), ("start,event=bogus,file=" + t.path("b.jfr"),
                                                                               "bogus")):
        j = t.Jvm([f"-agentpath:{t.AGENT}={options}", "-cp", classes, "Busy"], "refused")
        if sentence in ("bogus", "fiel"):  # known at VMInit only, or ignored as async-profiler does: the JVM runs
            good = j.wait_for("not an event" if sentence == "bogus" else "fiel") and j.wait_for(r"(?m)^up")
            t.check(f"{options}: is reported", good, j.output())
            j.kill()
            continue
        status = j.wait()
        t.check(f"{options}: refused with a sentence", status not in (0, None) and "wick: " in j.output()
                and sentence in j.output(), (status, j.output()))


def folder_size(folder):
    """The files' names and the sum of their sizes at one instant. Files come, go and grow during the scan: a sum counts only
    if no name changed while it was taken."""
    while True:
        names = sorted(os.listdir(folder))
        try:
            size = sum(os.path.getsize(os.path.join(folder, n)) for n in names)
        except FileNotFoundError:
            continue
        if names == sorted(os.listdir(folder)):
            return names, size


def limits():
    j = busy("stacks", "spin=1", name="limits")
    file = t.path("rot.jfr")
    t.start(j.pid, file, "-i", "200us", "--chunk-size", "256k")
    t.work_for(j, 5)
    dump = t.path("dump.jfr")
    r = t.wick("dump", "-q", "-f", dump, j.pid)
    said = t.jfr_complaints(dump, (17,))
    t.check("dump while it runs", r.status == 0 and not said, (r, said))
    unfinished = [json.loads(t.wick("top", "--json", f).out)["unfinished"] for f in (dump, file)]
    t.check("a dump is complete as of its moment; the recording is not yet", unfinished == [False, True], unfinished)
    t.stop(j.pid)
    s = t.status(j.pid)
    chunks = t.jfr(17, "summary", file).out
    t.check("chunks by size: several, readable", "Chunks: 1\n" not in chunks and not (said := t.jfr_complaints(file, (21,))),
            (chunks[:200], said))
    total = t.weight_of(t.stacks(file))
    t.check("no sample is lost at their boundaries", abs(total - s["weight"]) < 3000, f"{total} {s['weight']}")
    t.check("a dump holds the beginning", 0 < t.weight_of(t.stacks(dump)) < total)

    # An interval at which a second without a processor for the drain thread leaves less than a segment behind.
    os.mkdir(t.path("seg"))
    k = busy("stacks", "spin=1", name="segments", options=[
        f"-agentpath:{t.AGENT}=start,interval=400us,maxsize=1m,file={t.path('seg/s.jfr')}"])
    top, removed, began = 0, False, time.monotonic()
    while time.monotonic() - began < (5 if removed else t.HANGS):
        time.sleep(0.05)
        names, size = folder_size(t.path("seg"))
        top = max(top, size)
        removed = bool(names) and not names[0].endswith("-000001.jfr")
    t.stop(k.pid)
    k.kill()
    files = sorted(glob.glob(t.path("seg/*")))
    t.check("--max-size: segments stay below it", 0 < top <= 1 << 20 and len(files) > 1, f"{top} {files}")
    t.check("the oldest was removed", removed, files)
    t.check("each can be read", not any(t.jfr_complaints(f, (17,), False) for f in files))
    t.check("and all together", t.weight_of(t.stacks(*files)) > 0)

    before = j.rss_kib()
    t.start(j.pid, t.path("small.jfr"), "-i", "200us", "--memlimit", "4m")
    top = 0
    goal, end = j.cpu_seconds() + 7, time.monotonic() + t.HANGS
    while j.cpu_seconds() < goal and time.monotonic() < end:
        time.sleep(0.1)
        top = max(top, j.rss_kib())
    t.stop(j.pid)
    s = t.status(j.pid)
    # symbols of libjvm and the kernel's are loaded to write a chunk and are not part of the limit's tables
    t.check("--memlimit 4m with stacks without end: memory is bounded", top - before < 24_000, f"{before} -> {top} KiB")
    print(f"# memlimit 4m: {before} -> {top} KiB, {s['samples']} samples")
    t.check("the recording is right all the same", abs(t.weight_of(t.stacks(t.path("small.jfr"))) - s["weight"]) < 5000
            and not t.jfr_complaints(t.path("small.jfr"), (17,)), s)
    j.kill()


def children():
    j = busy("spin=1", name="children")
    t.start(j.pid, t.path("exec.jfr"), "-i", "100us")
    t.check("child processes are started at 100 us", j.ask("exec 30", r"exec (\w+)") == "30", j.output())
    idle = j.ask("idle 1000", r"idle (\d+)")
    t.check("1,000 threads more", idle == "1000", j.output())
    tid = next((n for n in os.listdir(f"/proc/{j.pid}/task")
                if open(f"/proc/{j.pid}/task/{n}/comm").read().strip() == "wick-drain"), None)

    def drain_cpu():
        with open(f"/proc/{j.pid}/task/{tid}/schedstat") as f:
            return int(f.read().split()[0]) / 1e9

    def share(work):
        a, begin = drain_cpu(), time.monotonic()
        work()
        return (drain_cpu() - a) / (time.monotonic() - begin)
    # The best of three: on a busy machine the same work has been seen to take 4.6 to 14.6 %. A file of
    # /proc read for each thread in each of its 20 rounds a second takes most of a processor.

    def best(work, enough):
        seen = [share(work)]
        while min(seen) >= enough and len(seen) < 3:
            seen.append(share(work))
        return min(seen)
    calm = best(lambda: time.sleep(1.5), 0.25)
    churn = best(lambda: j.ask("short 300 1", r"short (\d+)"), 0.5)
    print(f"# drain thread with 1,000 threads: {calm:.1%} of a processor, with churn {churn:.1%}")
    t.check("the drain thread stays cheap with 1,000 threads", calm < 0.25 and churn < 0.5, f"{calm:.2%} {churn:.2%}")
    t.stop(j.pid)
    j.kill()


def ends_while_recorded():
    """A JVM that exits under `wick record PID`: one exit status, one message, whichever side notices first."""
    for i in range(3):
        j, file = busy("spin=1", name="ending"), t.path(f"ending{i}.jfr")
        w = subprocess.Popen([t.WICK, "record", *t.PATIENT, "--lib", t.AGENT, "-e", "cpu,wall", "-d", "3600", "-f", file, str(j.pid)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        t.until(lambda: t.status(j.pid).get("running") == 1 or w.poll() is not None)
        time.sleep(0.17 * i)
        j.say("exit")
        _, said = w.communicate(timeout=t.HANGS)
        t.check("a JVM that ends during the recording: status 8 and a file", w.returncode == 8 and
                "ended during the recording" in said and os.path.getsize(file) > 0, (w.returncode, said))
        j.kill()


cycles()
killed()
short_lives()
starts()
if t.JDK == 25:  # takes more than 10 s, and concerns the command
    silent()
ends()
refused()
limits()
children()
ends_while_recorded()
t.done()
