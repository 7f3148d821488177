#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 11 17 21 25
# ci: 11 25
# alone
"""JVMs that start while the machine is recorded, so that they are read at any moment of their start: while libjvm.so is loaded, before
there is a code cache, before there are stubs. And one whose tables made no sense at first: its methods are there as soon as they do.
Threads that have just been made, and those that have given their memory back at their end, have no stack that could be broken. Processes
that begin and end while `wick host` is stopped, which it cannot read, have whole stacks and names if others have run the same code before."""
import os
import re
import signal
import subprocess

import jvmtest as t

STARTS = 8  # by the time that a JVM takes to start and a sample each millisecond, most of them were read too early once
recording = t.path("start.jfr")


BRIEF = 5        # processes that are not read, of so many ticks of CPU time (10 ms; some 10 samples a tick),
BRIEF_TICKS = 3  # of which the first samples are of their loader
CHURN = "import threading\nwhile True:\n    t = threading.Thread(target=int)\n    t.start()\n    t.join()\n"

SPUN = re.compile(r"_start;(.*;)?main;spin_outer;spin_inner$")


def of_threads(pid, function):
    """Stacks of a process with that function of the kernel, so far."""
    r = t.wick("convert", recording, "--process", f"-{pid}$", "-e", "cpu", "--to", "collapsed", "-o", "-")
    return [line for line in r.out.splitlines() if re.search(rf"(^|;){function}[; ]", line)]


def of_process(pid):
    r = t.wick("convert", recording, "--process", f"-{pid}$", "-e", "cpu", "--to", "collapsed", "-o", "-")
    return r.out.splitlines()


def whole(pid):
    """Stacks of native_spin in itself, from its start."""
    return [line for line in of_process(pid) if SPUN.match(line.rpartition(" ")[0])]


def used(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return sum(int(x) for x in f.read().rpartition(")")[2].split()[11:13])


def java_frames(pid):
    """Stacks of a process with one of the program's methods, so far; there may be no sample yet."""
    r = t.wick("convert", recording, "--process", f"-{pid}$", "-e", "cpu", "--annotate", "--to", "collapsed", "-o", "-")
    return [line for line in r.out.splitlines() if re.search(r"\b(Busy|HostileStructs)\.\w+_\[[01ji]\]", line)]


def read():
    with open(recording, "rb") as f:
        return f.read()


tried = t.wick("host", "-d", "100ms", "-f", t.path("try.jfr"))
if tried.status in (5, 6):
    t.skip("wick host", tried.err.strip())
    t.done()
liar = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", t.compile_java("HostileStructs"), "HostileStructs",
              os.path.join(t.BUILD, "tests/jvm/libwickhostilestructs.so"), "size", "ConstMethod", "0"], "liar")
t.check("a JVM whose tables make no sense runs", liar.wait_for("(?m)^up"), liar.output())
p = subprocess.Popen([t.WICK, "host", "-d", "3600", "-i", "1ms", "-f", recording], stderr=subprocess.PIPE, text=True)
t.check("it runs", t.until(lambda: os.path.exists(recording) and os.path.getsize(recording), pause=0.02))
t.check("that JVM is sampled", t.until(lambda: f"process=java-{liar.pid}".encode() in read(), pause=0.2))
t.check("its methods have no names", not java_frames(liar.pid), java_frames(liar.pid)[:1])
liar.ask("honest", r"set (\d+)")
t.check("when its tables make sense they have", t.until(lambda: java_frames(liar.pid), pause=1), liar.pid)
liar.kill()
classes = t.compile_java("Busy")
started = []
for n in range(STARTS):
    j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-cp", classes, "Busy", "chain"], f"start{n}")
    t.check(f"JVM {n} runs", j.wait_for("up"), j.output())
    t.check("and its methods are seen", t.until(lambda j=j: java_frames(j.pid), pause=1), j.pid)
    j.kill()
    started.append(j.pid)
churn = subprocess.Popen(["python3", "-c", CHURN])
for title, function in (("begin", "ret_from_fork_asm"), ("end", "do_exit")):
    t.check(f"threads are sampled as they {title}", t.until(lambda f=function: any("clone3;" in line or "do_exit" in line for line in of_threads(churn.pid, f)), pause=1), function)
churn.kill()
churn.wait()
spin = os.path.join(t.BUILD, "tests/jvm/native_spin")
known = subprocess.Popen([spin], stdout=subprocess.DEVNULL)
t.check("a native program is sampled", t.until(lambda: whole(known.pid), pause=1), known.pid)
known.kill()
known.wait()
p.send_signal(signal.SIGSTOP)
brief = []
for _ in range(BRIEF):
    b = subprocess.Popen([spin], stdout=subprocess.DEVNULL)
    brief.append(b.pid)
    t.check("it runs for a moment, unread", t.until(lambda b=b: used(b.pid) >= BRIEF_TICKS, pause=0.01))
    b.kill()
    b.wait()
p.send_signal(signal.SIGCONT)
p.send_signal(signal.SIGINT)
err = p.communicate()[1]
for pid in brief:
    t.check("the stacks of a process that was not read are whole and named", whole(pid), of_process(pid)[:5])
t.check("it records", p.returncode == 0, err)
begins = [line for line in of_threads(churn.pid, "ret_from_fork_asm") if "clone3;" in line]  # the process itself was forked
t.check("a new thread has no broken stack", begins and not any("[broken" in line for line in begins), begins[:3])
ends = [line for line in of_threads(churn.pid, "do_exit") if re.search(r"do_exit;(exit_notify|_raw_write_unlock_irq|release_task|__schedule|do_task_dead)", line)]
t.check("neither has one that is past its end", not any("[broken" in line for line in ends), ends[:3])
t.check("none of these is said to make no sense in the end", not any(re.search(rf"make no sense.*\b{pid}\b|process {pid} has", err) for pid in started + [liar.pid]), err)
t.done()
