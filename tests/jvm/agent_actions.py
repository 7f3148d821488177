#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# once
"""What the agent's option string does with recordings, as in async-profiler: loop, resume, dump and stop after a stop,
names of files that rotate. The running JVM gets its strings as jcmd JVMTI.agent_load hands them over."""
import glob
import json
import os
import re
import time

import jvmtest as t

classes = t.compile_java("Busy")


def jvm(options=None, name="actions", workers=(), env=None):
    agent = [f"-agentpath:{t.AGENT}={options}"] if options else []
    j = t.Jvm(["-Xmx128m", *agent, "-cp", classes, "Busy", *workers], name, env)
    j.wait_for(r"(?m)^up")
    return j


def act(j, options):
    """The return code of the agent, 0 = good; the rest as in Agent_OnAttach."""
    r = t.run(t.jdk_home(17) + "/bin/jcmd", "-J-Dsun.tools.attach.attachTimeout=120000", j.pid, "JVMTI.agent_load", t.AGENT, f'"{options}"')
    m = re.search(r"return code: (-?\d+)", r.out)
    return int(m.group(1)) if m else r.out + r.err


def work(j):
    """The CPU time in ns that threads named short-* used: four of 100 ms and a bit."""
    return int(j.ask("short 3 100", r"short (\d+)") or 0)


def shorts(file):
    """CPU time of these threads in a recording."""
    try:
        return t.weight_of([r for r in t.stacks(file) if "short-" in r[0][0]])
    except RuntimeError as e:
        return str(e)


def content(file):
    try:
        with open(file) as f:
            return f.read()
    except FileNotFoundError:
        return ""


def is_work(ns, *worked):
    """Threads' CPU time is exact up to a few intervals of 1 ms each, and their ends, whatever the load."""
    return isinstance(ns, int) and all(worked) and abs(ns - sum(worked)) <= 0.1 * sum(worked) + 4e6 * 4 * len(worked)


def has_some(ns):
    return isinstance(ns, int) and ns > 0


def begins(pattern):
    """(file, when the recording in it began) of each file: its first chunk says it."""
    out = set()
    for file in glob.glob(t.path(pattern)):
        with open(file, "rb") as f:
            head = f.read(40)
        if len(head) == 40:
            out.add((os.path.basename(file), head[32:]))
    return out


def loop():
    j = jvm("start,event=cpu,interval=1ms,loop=1s,file=" + t.path("lap-%n{2}.jfr"), "loop")
    end = time.monotonic() + 300
    seen = set()
    while time.monotonic() < end and len(seen) < 5:
        work(j)
        seen |= begins("lap-*")
    t.check("loop: recordings follow each other", len(seen) >= 5, seen)
    code = act(j, "stop")
    t.check("stop ends the loop", code == 0, code)
    files = sorted(os.path.basename(f) for f in glob.glob(t.path("lap-*")))
    t.check("%n{2} comes round and is not left literal", files == ["lap-0.jfr", "lap-1.jfr"], files)
    summaries = [t.jfr(17, "summary", t.path(f)) for f in files]
    t.check("each file is a recording of its own", all(r.status == 0 and not r.err.strip() for r in summaries), summaries)
    before = [os.stat(t.path(f)).st_mtime_ns for f in files]
    time.sleep(2.5)
    t.check("and no other one begins", before == [os.stat(t.path(f)).st_mtime_ns for f in files] and
            t.status(j.pid).get("running") == 0)
    t.check("a lap that is no time is refused", act(j, "start,loop=never,file=" + t.path("x.jfr")) != 0)
    j.kill()


def slow_start():
    """The first recording is still beginning, in the thread that initialises the VM, when its time would be over."""
    env = {"LD_PRELOAD": t.BUILD + "/tests/jvm/libslow_start.so", "WICK_SLOW_START": "2500"}
    j = jvm("start,event=cpu,interval=1ms,loop=1s,file=" + t.path("slow-%n{2}.jfr"), "slowloop", ("spin=4",), env)
    k = jvm("start,event=cpu,interval=1ms,timeout=1s,file=" + t.path("late.jfr"), "slowtimeout", ("spin=1",), env)
    end = time.monotonic() + 300
    times = set()
    while time.monotonic() < end and len(times) < 3 and j.proc.poll() is None:
        times |= begins("slow-*")
        time.sleep(0.1)
    t.check("a recording that begins after its lap was due ends, others follow, the JVM lives",
            len(times) >= 3 and work(j) and act(j, "stop") == 0, (times, j.proc.poll(), j.output()))
    while time.monotonic() < end and t.status(k.pid).get("running") != 0 and k.proc.poll() is None:
        time.sleep(0.1)
    said, top = t.status(k.pid), t.wick("top", t.path("late.jfr"))
    t.check("the time of a recording begins with the VM, and ends", said.get("running") == 0 and top.status == 0,
            (said, top, k.output()))
    def left():
        return [(i, n) for i, o in enumerate((j, k)) if o.proc.poll() is None for n in (16, 30) if o.caught(n)]
    t.check("no handler stays", t.until(lambda: not left()), left())
    j.kill()
    k.kill()


def resume_and_afterwards():
    j = jvm()
    t.check("dump and stop with nothing recorded are refused",
            act(j, "dump,file=" + t.path("no.jfr")) != 0 and act(j, "stop,file=" + t.path("no.jfr")) != 0 and
            not os.path.exists(t.path("no.jfr")))
    # The JVM unloads an agent that refused: its threads must not lose their code.
    t.check("and the JVM lives", work(j), j.output())
    t.check("start without a file", act(j, "start,event=cpu,interval=1ms") == 0)
    first = work(j)
    t.check("dump while it runs", act(j, "dump,file=" + t.path("running.collapsed")) == 0 and
            "Busy" in content(t.path("running.collapsed")))
    t.check("stop", act(j, "stop") == 0)
    work(j)  # not recorded
    t.check("dump after the stop", act(j, "dump,file=" + t.path("dump.jfr")) == 0)
    t.check("stop after the stop, to another format", act(j, "stop,file=" + t.path("stop.collapsed")) == 0)
    once = shorts(t.path("dump.jfr"))
    t.check("they hold what was recorded", is_work(once, first) and "Busy" in content(t.path("stop.collapsed")), (once, first))
    t.check("resume", act(j, "resume,event=cpu,interval=1ms") == 0)
    second = work(j)
    t.check("stop with a file", act(j, "stop,file=" + t.path("both.jfr")) == 0)
    both = shorts(t.path("both.jfr"))
    t.check("the recording before and after", is_work(both, first, second), (once, both, first, second))
    t.check("resume into a named file", act(j, "resume,event=cpu,interval=1ms,file=" + t.path("three.jfr")) == 0)
    third = work(j)
    t.check("stop", act(j, "stop") == 0)
    three = shorts(t.path("three.jfr"))
    t.check("three times the work", is_work(three, first, second, third), (once, both, three))
    resumed, fourth, stopped = act(j, "resume,event=cpu,interval=1ms"), work(j), act(j, "stop")
    four = shorts(t.path("three.jfr"))
    t.check("resume goes on in the same file", resumed == stopped == 0 and is_work(four, first, second, third, fourth),
            (resumed, stopped, four))
    said = t.jfr_complaints(t.path("three.jfr"))
    t.check("the JDK's tool reads it, with the threads' names of each part", not said and
            len({e["sampledThread"] for e in t.events(t.path("three.jfr"), "jdk.ExecutionSample")
                 if "short-" in e.get("sampledThread", "")}) >= 3, said)
    again = act(j, "start,event=cpu,interval=1ms,file=" + t.path("three.jfr")), act(j, "stop")
    alone = shorts(t.path("three.jfr"))
    t.check("start begins anew", again == (0, 0) and not has_some(alone), (again, alone))
    j.kill()


def unfinished(file):
    """What views say of a recording's end: the field of top's JSON, and whether other views have the note."""
    r = t.wick("top", "--json", file)
    notes = ["is not finished" in t.wick(*args, file).err for args in (["top"], ["flame", "-o", t.path("u.html"), "--force"],
                                                                     ["convert", "--to", "collapsed", "-o", "-"])]
    return json.loads(r.out)["unfinished"], notes


def the_end_is_missing():
    j = jvm("start,event=cpu,interval=1ms,file=" + t.path("killed.jfr"), "killed")
    work(j)
    t.until(lambda: has_some(shorts(t.path("killed.jfr"))), 240)
    j.kill()
    t.check("the recording of a killed JVM is marked in every view", unfinished(t.path("killed.jfr")) == (True, [True] * 3),
            unfinished(t.path("killed.jfr")))
    with open(t.path("killed.jfr"), "rb") as f, open(t.path("short.jfr"), "wb") as g:
        g.write(f.read(3000))
    r = t.wick("top", t.path("short.jfr"))
    t.check("damage before the first sample is damage, not a recording without samples", r.status == 3, r)
    r = t.wick("convert", t.path("killed.jfr"), "-o", t.path("cut.jfr"))
    t.check("also what is cut out of it", r.status == 0 and unfinished(t.path("cut.jfr"))[0] is True, r)
    t.check("a finished one is not", unfinished(t.path("both.jfr")) == (False, [False] * 3), unfinished(t.path("both.jfr")))
    r = t.wick("convert", t.path("both.jfr"), "-o", t.path("cut2.jfr"))
    t.check("nor what is cut out of that", r.status == 0 and unfinished(t.path("cut2.jfr"))[0] is False, r)


def rotation():
    j = jvm("start,event=cpu,interval=1ms,maxsize=4m,file=" + t.path("seg-%t.jfr"), "rotation")
    work(j)
    code = act(j, "stop")
    files = [os.path.basename(f) for f in glob.glob(t.path("seg-*"))]
    t.check("%t in the name of a file of several", code == 0 and len(files) == 1 and
            re.fullmatch(r"seg-\d{8}-\d{6}-000001\.jfr", files[0]), files)
    j.kill()
    j = jvm("start,event=cpu,interval=1ms,file=" + t.path("num-%p-%n{3}.jfr"), "number")
    work(j)
    j.say("exit")
    j.wait()
    files = [os.path.basename(f) for f in glob.glob(t.path("num-*"))]
    t.check("%n{3} of a recording in several files", files == [f"num-{j.pid}-0.jfr"], files)


def notes(pid):
    """What `wick start` noted of a process."""
    folders = ["/run/wick", os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/none"), "wick"),
               os.path.expanduser("~/.cache/wick/started")]
    return [f for d in folders for f in glob.glob(d + f"/*-{pid}-*")]


def notes_of_ended():
    j, k = jvm(name="first"), jvm(name="second")
    t.start(j.pid, t.path("first.jfr"))
    t.start(k.pid, t.path("second.jfr"))
    t.check("a note of each recording", len(notes(j.pid)) == 1 and len(notes(k.pid)) == 1, (notes(j.pid), notes(k.pid)))
    j.kill()
    m = jvm(name="third")
    t.start(m.pid, t.path("third.jfr"))
    t.check("the note of a JVM that ended is removed, the others stay", not notes(j.pid) and
            len(notes(k.pid)) == len(notes(m.pid)) == 1, (notes(j.pid), notes(k.pid), notes(m.pid)))
    t.check("stop finds its own", t.stop(k.pid).status == 0 and t.stop(m.pid).status == 0 and
            not notes(k.pid) and not notes(m.pid))
    k.kill()
    m.kill()


notes_of_ended()
loop()
slow_start()
resume_and_afterwards()
the_end_is_missing()
rotation()
t.done()
