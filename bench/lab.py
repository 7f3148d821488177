# SPDX-License-Identifier: Apache-2.0
"""lab.py - what the benchmarks share: target programs, their CPU time and memory, wick and a peer to compare with

The programs under measurement are bench/java/**.java, compiled against the demo service into build/bench/classes. The
peer is async-profiler, if the environment says where it is; nothing here fetches or builds it:

    PEER_ASYNC_PROFILER   path of its agent, libasyncProfiler.so
    PEER_ASPROF           path of its command, asprof (default: beside the agent, in ../bin)
"""

import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
WICK = BUILD / "wick"
JAR = BUILD / "java" / "wick-demo.jar"
API_JAR = BUILD / "java" / "wick.jar"
CLASSES = BUILD / "bench" / "classes"
NO_PEER = "not compared with async-profiler: PEER_ASYNC_PROFILER is not set"


class Failed(Exception):
    """A benchmark could not measure; the text says why."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def seconds(default):
    """The length of one measurement; SECONDS in the environment changes it."""
    return float(os.environ.get("SECONDS", default))


def java(name="java"):
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / name) if home else name


def _done(command, check):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise Failed(f"{shlex.join(map(str, command))} ended with status {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}")
    return done


def run(*command, check=True):
    """Runs a command and returns what it printed."""
    done = _done(command, check)
    return done.stdout + done.stderr


def output(*command):
    """Runs a command and returns its standard output: without warnings."""
    return _done(command, True).stdout


def classpath():
    """Compiles the programs under measurement if they are older than their sources."""
    if not JAR.exists() or not WICK.exists():
        raise Failed("wick is not built; `make bench` builds it")
    sources = sorted((ROOT / "bench" / "java").rglob("*.java"))
    stamp = CLASSES / ".stamp"
    if not stamp.exists() or stamp.stat().st_mtime < max(s.stat().st_mtime for s in sources):
        CLASSES.mkdir(parents=True, exist_ok=True)
        run(java("javac"), "--release", "11", "-cp", f"{JAR}:{API_JAR}", "-d", CLASSES, *sources)
        stamp.touch()
    return f"{CLASSES}:{JAR}:{API_JAR}"


def scratch(prefix):
    """A folder that vanishes with the object."""
    return tempfile.TemporaryDirectory(prefix=f"wick-bench-{prefix}.")


def process_cpu_ns(pid):
    """CPU time of all threads of a process, dead ones included, in ns: what getrusage() adds up, but not rounded to ticks
    (the id of a process's CPU clock is made of its pid: clock_getcpuclockid(3))."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def resident_kib(pid):
    """RssAnon + RssFile + RssShmem in KiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return sum(int(n) for n in re.findall(r"^Rss(?:Anon|File|Shmem):\s+(\d+)", status, re.MULTILINE))


class Target:
    """A Java program that prints READY and then answers lines; ends when its input does."""

    def __init__(self, main, *args, jvm=()):
        command = [java(), *jvm, "-cp", classpath(), main, *map(str, args)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.pid = self.process.pid
        self.greeting = self._until(lambda line: line.startswith("READY"))

    def _until(self, wanted):
        for line in self.process.stdout:
            if wanted(line):
                return line.strip()
        raise Failed(f"the program under measurement ended early, status {self.process.wait()}")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self._until(lambda answer: answer.startswith("ANSWER")).split(None, 1)[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Wick:
    """wick through its command."""

    name = "wick"

    def __init__(self, command=WICK):
        self.command = command

    def start(self, pid, file, event="cpu", interval="10ms", *more):
        run(self.command, "start", "-q", "-e", event, "-i", interval, "-f", file, *more, pid)

    def stop(self, pid):
        run(self.command, "stop", "-q", pid)

    def status(self, pid):
        """Figures of the running or last recording; numbers where they are numbers."""
        pairs = (line.split("=", 1) for line in run(self.command, "status", pid).splitlines() if "=" in line)
        return {key: int(value) if re.fullmatch(r"-?\d+", value) else value for key, value in pairs}


class AsyncProfiler:
    """async-profiler through its command."""

    name = "async-profiler"

    def __init__(self, agent, command):
        self.agent, self.command = agent, command

    def start(self, pid, file, event="cpu", interval="10ms"):
        run(self.command, "start", "-e", event, "-i", interval, "-f", file, pid)

    def stop(self, pid):
        run(self.command, "stop", pid)

    def version(self):
        found = re.search(r"\d+\.\d+[^\s]*", run(self.command, "--version"))
        return found.group(0) if found else "?"


def peer():
    """An AsyncProfiler, or None."""
    agent = os.environ.get("PEER_ASYNC_PROFILER")
    if not agent:
        return None
    command = os.environ.get("PEER_ASPROF") or str(Path(agent).resolve().parents[1] / "bin" / "asprof")
    for path in (agent, command):
        if not os.access(path, os.R_OK):
            raise Failed(f"PEER_ASYNC_PROFILER: there is no {path}")
    return AsyncProfiler(agent, command)


def spread(values, form="{:.3g}"):
    """Median and range as text."""
    return f"{form.format(statistics.median(values))} ({form.format(min(values))} .. {form.format(max(values))})"


def main(measure):
    """Runs a benchmark's measure(): its Markdown comes on standard output."""
    try:
        measure()
    except Failed as error:
        say(f"{Path(sys.argv[0]).stem}: {error}")
        sys.exit(1)
