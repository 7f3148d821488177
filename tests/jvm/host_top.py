#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# ci: 21
# alone
"""`wick host top` on a terminal and without one, beside a JVM and a native program that compute, and one that shares a CPU with
the latter. It names them with what they do; q, Ctrl-C and signals end it, and the terminal is as it was before."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import jvmtest as t

SPIN = os.path.join(t.BUILD, "tests/jvm/native_spin")
ROWS = 100
END = "\033[?25h\033[?1049l"


class Terminal:
    """`wick host top` on a terminal of its own."""

    def __init__(self, *words):
        self.text = ""
        self.fd, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, 160, 0, 0))
        self.before = termios.tcgetattr(side)
        self.side = side
        self.p = subprocess.Popen([t.WICK, "host", "top", *words], stdin=side, stdout=side, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: (os.setsid(), fcntl.ioctl(side, termios.TIOCSCTTY, 0)))

    def read(self):
        while select.select([self.fd], [], [], 0)[0]:
            self.text += os.read(self.fd, 1 << 16).decode(errors="replace")
        return self.text

    def shows(self, *patterns):
        """Waits until one picture has all of them."""
        def good():
            return any(all(re.search(x, picture) for x in patterns) for picture in self.read().split("\033[H")) or self.p.poll() is not None
        return t.until(good) and self.p.poll() is None

    def ends(self, title):
        t.check(f"{title}: it ends", t.until(lambda: self.read() is not None and self.p.poll() is not None))
        err = self.p.communicate()[1].decode()
        t.check(f"{title}: with success", self.p.returncode == 0, (self.p.returncode, err))
        t.check(f"{title}: the screen is the one before", self.read().endswith(END), self.text[-200:])
        t.check(f"{title}: and so is the terminal", termios.tcgetattr(self.side) == self.before)
        os.close(self.fd)
        os.close(self.side)


def row(name, pid, rest):
    """A row of a process. What has the CPU, and waits for it, is above 0."""
    return rf"(?m)^ *\d+\.\d +\d+\.\d  {name}-{pid} +{rest}"


def screen(jvm, spins):
    view = Terminal()
    t.check("a terminal shows the programs, what they do and who ran instead",
            view.shows(row("java", jvm.pid, r"\S+ +Walls\."), row("native_spin", spins[0].pid, r"\S+ +spin_inner"),
                       row("native_spin", spins[1].pid, r"\S+ +spin_inner")), view.text[-4000:])
    t.check("keys are read as they are pressed", not termios.tcgetattr(view.side)[3] & (termios.ICANON | termios.ECHO))
    pictures = view.text.count("\033[H")
    t.check("it is drawn anew", t.until(lambda: view.read().count("\033[H") > pictures + 1))
    size = max(picture.count("\n") for picture in view.text.split("\033[H"))
    t.check("and fits the terminal", 2 < size < ROWS, size)
    os.write(view.fd, b"xq")
    view.ends("q")
    for how, title in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP")):
        view = Terminal("--by", "cgroup")
        t.check(f"{title}: it runs", view.shows("CPU %"), view.text[-1000:])
        if how == signal.SIGINT:
            os.write(view.fd, b"\x03")
        else:
            view.p.send_signal(how)
        view.ends(title)
    view = Terminal("-e", "nosuch:nosuch")
    view.p.wait()
    t.check("an error leaves the terminal alone", view.p.returncode == 2 and termios.tcgetattr(view.side) == view.before
            and (END in view.read() or "\033" not in view.text), view.text)


def recording_of(p):
    """Size of the recording in memory, and what is allocated of it; of none (0, 0)."""
    for fd in os.listdir(f"/proc/{p.pid}/fd"):
        try:
            if "memfd:wick-host-top" in os.readlink(f"/proc/{p.pid}/fd/{fd}"):
                st = os.stat(f"/proc/{p.pid}/fd/{fd}")
                return st.st_size, st.st_blocks * 512
        except OSError:
            pass  # closed
    return 0, 0


def memory():
    """Of a recording that grows for as long as it is shown, only the last parts are kept."""
    p = subprocess.Popen([t.WICK, "host", "top", "-i", "100us"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    t.check("much is recorded", t.until(lambda: p.poll() is not None or recording_of(p)[0] > 12 << 20) and p.poll() is None,
            p.stderr.read() if p.poll() is not None else recording_of(p))
    size, kept = recording_of(p)
    t.check("and the memory given back", kept < 10 << 20 < size, (size, kept))
    p.send_signal(signal.SIGTERM)
    err = p.communicate()[1]
    t.check("while it goes on", p.returncode == 0 and not err, err)


def lines(jvm):
    p = subprocess.Popen([t.WICK, "host", "top"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    text = ""
    while not re.search(row("java", jvm.pid, r".*Walls\."), text):
        line = p.stdout.readline()
        if not line:
            break
        text += line
    t.check("without a terminal it prints lines", re.search(row("java", jvm.pid, r".*Walls\."), text), text[-3000:])
    t.check("without anything that acts on one", "\033" not in text)
    p.send_signal(signal.SIGTERM)
    p.communicate()
    t.check("and a signal ends it", p.returncode == 0, p.returncode)
    begin = time.monotonic()
    r = t.wick("host", "top", "-d", "2")
    t.check("-d ends it after that time", r.status == 0 and time.monotonic() - begin >= 2, r)


probe = t.wick("host", "-e", "cpu,sched", "-d", "100ms", "-f", t.path("try.jfr"))
if probe.status in (5, 6):
    t.skip("wick host", probe.err.strip())
    t.done()
for words, why in ((("--by", "thread"), "process, service, container"), (("-f", t.path("no.jfr")), "keeps no recording"), (("--json",), "explain")):
    r = t.wick("host", "top", *words)
    t.check(f"{words[0]} is refused", r.status == 2 and why in r.err, r)
cpu = str(min(os.sched_getaffinity(0)))
children = [subprocess.Popen(["taskset", "-c", cpu, SPIN], stdout=subprocess.DEVNULL) for _ in range(2)]
program = t.Jvm(["-XX:+UseSerialGC", "-Xmx64m", "-cp", t.compile_java("Walls"), "Walls", "burn=1"], "walls")
t.check("the JVM runs", program.wait_for("up", 600), program.output())
screen(program, children)
lines(program)
memory()
for child in children:
    child.kill()
    child.wait()
program.kill()
t.done()
