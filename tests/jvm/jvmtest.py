# SPDX-License-Identifier: Apache-2.0
"""What the tests with real JVMs that are written in Python share: TAP, JVMs, the wick command, readings of recordings.

The environment is that of run-tests: WICK_JDK, JAVA_HOME, WICK_BUILD. All that a test starts is ended with it, by pid.
"""
import atexit
import collections
import contextlib
import datetime
import fcntl
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WICK_BUILD", os.path.join(ROOT, "build"))
WICK = os.path.join(BUILD, "wick")
AGENT = os.path.join(BUILD, "libwick.so")
NATIVE = os.path.join(BUILD, "tests/jvm/libwicktestnative.so")
JDK = int(os.environ.get("WICK_JDK", "17"))
WORK = tempfile.mkdtemp(prefix="wick-test.")
HZ = os.sysconf("SC_CLK_TCK")

# How long anything may take before it is taken to hang. A machine at a load of 40 needs a minute for what takes a second elsewhere, so
# this is no limit that a check could lean on: it only ends a test that would never end.
HANGS = 500
# What a command that talks to a JVM is given for the same reason: its own patience is that of a user, 10 s.
PATIENT = ("--attach-timeout", "300")
CRASH_LINES = 70  # of a JVM's report of its crash: up to the stacks


def jdk_home(version):
    return subprocess.run([ROOT + "/tools/get-jdk", "--or-system", str(version)], capture_output=True, text=True,
                          check=True).stdout.strip()


JAVA_HOME = os.environ.get("JAVA_HOME") or jdk_home(JDK)
JAVA = JAVA_HOME + "/bin/java"

_started, _killed = [], []
_count = _failed = 0
_head = ""  # of titles


def check(title, good, detail=""):
    """One TAP line; returns whether it was good."""
    global _count, _failed
    _count += 1
    print(("ok" if good else "not ok") + f" {_count} - {_head}{title}", flush=True)
    if not good:
        _failed += 1
        for line in str(detail).splitlines()[:40]:
            print("# " + line, flush=True)
    return good


def skip(title, why):
    global _count
    _count += 1
    print(f"ok {_count} - {_head}{title} # SKIP {why}", flush=True)


@contextlib.contextmanager
def titled(head):
    """The titles of what is checked within begin with this."""
    global _head
    _head = f"{head}: "
    try:
        yield
    finally:
        _head = ""


def done():
    print(f"# statistical checks: {_chances}, probability that one fails without a defect {_risk:.2g}")
    print(f"1..{_count}", flush=True)
    sys.exit(1 if _failed else 0)


def _unlink_leftovers(pid):
    for leftover in (f"/tmp/.java_pid{pid}", f"/tmp/.attach_pid{pid}"):
        if os.path.lexists(leftover):
            os.unlink(leftover)


def _say_how_it_ended(p):
    """Of a process that a signal ended: which, and what the JVM wrote of its crash, since a failure that comes once in thousands of runs is
    not seen again."""
    report = f"hs_err_pid{p.pid}.log"  # in the folder that tests run in
    if p not in _killed and p.poll() is not None and (p.returncode < 0 or os.path.exists(report)):
        print(f"# process {p.pid} ended with status {p.returncode}", flush=True)
        with contextlib.suppress(OSError), open(report, errors="replace") as f:
            for line in f.read().splitlines()[:CRASH_LINES]:
                print("# " + line.strip("# "), flush=True)


def _clean_up():
    for p in _started:
        _say_how_it_ended(p)
        if p.poll() is None:
            p.kill()
            p.wait()
        if not os.path.exists(f"/proc/{p.pid}"):  # the number may be another's by now, which listens there
            _unlink_leftovers(p.pid)
    if os.environ.get("KEEP"):
        print("# kept " + WORK)
    else:
        shutil.rmtree(WORK, ignore_errors=True)


atexit.register(_clean_up)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def path(name):
    return os.path.join(WORK, name)


def compile_java(*names, classpath="."):
    """Compiles tests/jvm/NAME.java for JDK 8, once for each text; returns the class path. classpath: what they use."""
    out = os.path.join(BUILD, "tests/jvm/classes")
    os.makedirs(out, exist_ok=True)
    with open(out + ".lock", "w") as lock:  # another test may want the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        _compile(out, names, classpath)
    return out


def _compile(out, names, classpath):
    sources = [os.path.join(HERE, n + ".java") for n in names]
    todo = [s for s, n in zip(sources, names) if not os.path.exists(f"{out}/{n}.class")
            or os.path.getmtime(f"{out}/{n}.class") < os.path.getmtime(s)]
    if todo:
        javac = next((h for h in (JAVA_HOME + "/bin/javac", jdk_home(17) + "/bin/javac") if os.path.exists(h)))
        level = [] if "1.8" in subprocess.run([javac, "-version"], capture_output=True, text=True).stderr else \
            ["--release", "8"]
        subprocess.run([javac, "-nowarn", *level, "-cp", classpath, "-d", out, *todo], check=True, stderr=subprocess.DEVNULL)


class Jvm:
    """A java process; its output goes to a file."""

    def __init__(self, args, name="jvm", env=None, prefix=(), java=None):
        self.log = path(f"{name}.{len(_started)}.out")
        with open(self.log, "w") as f:
            self.proc = subprocess.Popen([*prefix, java or JAVA, *args], stdout=f, stderr=subprocess.STDOUT,
                                         stdin=subprocess.PIPE, env={**os.environ, **(env or {})})
        _unlink_leftovers(self.proc.pid)  # of a killed JVM of that number; this one does not listen yet
        _started.append(self.proc)
        self.pid = self.proc.pid

    def output(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def wait_for(self, text, seconds=HANGS):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(text, self.output()):
                return True
            if self.proc.poll() is not None:
                return bool(re.search(text, self.output()))
            time.sleep(0.02)
        return False

    def say(self, line):
        self.proc.stdin.write((line + "\n").encode())
        self.proc.stdin.flush()

    def ask(self, line, answer, seconds=HANGS):
        """Says a line and returns what the answer's group 1 is, None if there is no answer."""
        at = len(self.output())
        self.say(line)
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.proc.poll() is None:
            said = self.output()[at:]
            m = re.search(answer, said[:said.rfind("\n") + 1])  # whole lines: the last may still be written
            if m:
                return m.group(1)
            time.sleep(0.01)
        return None

    def wait(self, seconds=HANGS):
        """The exit status, None if it does not end."""
        try:
            return self.proc.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self):
        if self.proc.poll() is None:
            self.proc.kill()
            self.proc.wait()
            _killed.append(self.proc)

    def cpu_seconds(self):
        with open(f"/proc/{self.pid}/stat") as f:
            fields = f.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / HZ

    def rss_kib(self):
        with open(f"/proc/{self.pid}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))

    def fds(self):
        """What the descriptors point to, counted."""
        out = collections.Counter()
        for n in os.listdir(f"/proc/{self.pid}/fd"):
            try:
                out[re.sub(r"\d+", "N", os.readlink(f"/proc/{self.pid}/fd/{n}"))] += 1
            except OSError:
                pass
        return out

    def threads(self):
        out = collections.Counter()
        for n in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{n}/comm") as f:
                    out[f.read().strip()] += 1
            except OSError:
                pass
        return out

    def timers(self):
        with open(f"/proc/{self.pid}/timers") as f:
            return f.read().count("ID:")

    def caught(self, number):
        """Whether signal `number` has a handler."""
        with open(f"/proc/{self.pid}/status") as f:
            return bool(int(re.search(r"SigCgt:\s+(\w+)", f.read()).group(1), 16) >> (number - 1) & 1)


# --- checks that chance has a part in ---
#
# A share of n samples scatters: where one walk in 200 breaks, 31 of 5,939 say no more than 29 do, and a limit of 0.5 % fails every
# second run. So a limit is what is credible of the share that is right, at an error rate that a suite with some thousands
# of such checks can afford: it fails for no reason once in thousands of runs. With few samples such a limit allows
# everything: a test must wait until it has enough.
#
# What all of them come to is counted: each test ends with a line that says how many there were and with what probability one of
# them fails though nothing is wrong. A complete run may have one in a thousand; what it has:
#
#     awk '/^# statistical checks:/ { n += $4; p += $NF } END { print n, p }' build/test-logs/*.log
FALSE_ALARM = 1e-7
_chances, _risk = 0, 0.0


def _by_chance(rate):
    global _chances, _risk
    _chances, _risk = _chances + 1, _risk + rate


class Sigmas:
    """So many standard deviations, two-sided; each bound that is made of it counts as a check. It is no number: it can be multiplied
    by a deviation, from either side, and nothing else, so there is no bound that is not counted."""

    def __init__(self, number):
        self._number = float(number)

    def __mul__(self, deviation):
        _by_chance(math.erfc(self._number / math.sqrt(2)))
        return self._number * deviation

    __rmul__ = __mul__


def most_of(n, share, burst=1):
    """The most of n samples that are credible where each of them has a chance of `share`: more come with a probability of
    at most FALSE_ALARM (binomial, exact). burst: as many at most come together, because what makes them lasts longer than
    an interval; then it is bursts that are counted."""
    _by_chance(FALSE_ALARM)
    groups = -(-n // burst)
    if not 0 < share < 1 or not groups:
        return n if share >= 1 else 0
    deviation = math.sqrt(groups * share * (1 - share))
    tail, k = 0.0, min(groups, int(groups * share + 12 * deviation + 40))  # beyond lies less than can be summed up
    while k >= 0:
        tail += math.exp(math.lgamma(groups + 1) - math.lgamma(k + 1) - math.lgamma(groups - k + 1) + k * math.log(share) +
                         (groups - k) * math.log1p(-share))
        if tail > FALSE_ALARM:
            break
        k -= 1
    return min(n, k * burst)


def least_of(n, share, burst=1):
    """The least of n samples that are credible where each of them has a chance of `share`."""
    return n - most_of(n, 1 - share, burst)


def sum_within(variance, most):
    """How far from its mean a sum of independent parts is credible, where their variances add up to `variance` and none is further
    than `most` from its own mean: Bernstein's inequality, two-sided. For few parts of unequal weight, which no normal law describes."""
    _by_chance(FALSE_ALARM)
    bits = math.log(2 / FALSE_ALARM)
    return bits * most / 3 + math.sqrt((bits * most / 3) ** 2 + 2 * bits * variance)


def unseen_within(gap):
    """How much of a time is credibly missing at both ends of it, beyond two gaps, where it is seen at random instants, `gap` apart on
    average: the sum of two exponential times exceeds x gaps with the probability (1 + x) e^-x."""
    _by_chance(FALSE_ALARM)
    x = 2.0
    while (1 + x) * math.exp(-x) > FALSE_ALARM:
        x += 0.01
    return (x - 2) * gap


def until(good, seconds=HANGS / 2, pause=0.1):
    """Waits until good() is true; returns whether it became so. As long as it must: how fast a machine is proves nothing."""
    end = time.monotonic() + seconds
    while not good():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def work_for(jvm, seconds, most=HANGS):
    """Waits until the JVM has used that much CPU time: on a crowded machine that takes longer."""
    goal, end = jvm.cpu_seconds() + seconds, time.monotonic() + most
    while jvm.cpu_seconds() < goal and time.monotonic() < end and jvm.proc.poll() is None:
        time.sleep(0.1)


Result = collections.namedtuple("Result", "status out err")


def run(*args, seconds=HANGS):
    try:
        r = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return Result(-1, "", f"does not end within {seconds} s: {args}")
    return Result(r.returncode, r.stdout, r.stderr)


def wick(*args, **kw):
    return run(WICK, *args, **kw)


def status(pid):
    """The answer of `wick status` as a dictionary of integers and strings."""
    out = {}
    for line in wick("status", *PATIENT, pid).out.splitlines():
        key, _, value = line.partition("=")
        out[key] = int(value) if re.fullmatch(r"-?\d+", value) else value
    return out


def start(pid, file, *options):
    return wick("start", "--lib", AGENT, "-q", *PATIENT, *options, "-f", file, pid)


def stop(pid):
    return wick("stop", "-q", *PATIENT, pid)


def load_agent(jvm):
    """So that commands without --attach-timeout, which wait 10 s, need an answer only: the JVM has loaded the agent."""
    file = path(f"loads-{jvm.pid}.jfr")
    said = start(jvm.pid, file), stop(jvm.pid)
    check("the agent is loaded", not any(r.status for r in said), said)


def jfr(tool_jdk, *args):
    """The jfr tool of a JDK."""
    return run(jdk_home(tool_jdk) + "/bin/jfr", *args)


def context(text):
    """The pairs of a sample's `context`, as the JDK's tools show it: endpoint, labels, traceId, spanId."""
    pairs = re.findall(r"((?:[^\\,=]|\\.)*)=((?:[^\\,=]|\\.)*)(?:,|$)", text or "")
    return {re.sub(r"\\(.)", r"\1", k): re.sub(r"\\(.)", r"\1", v) for k, v in reversed(pairs)}


def jfr_complaints(file, versions=(17, 21), events=True):
    """What the jfr tools say against a recording, '' if nothing."""
    said = []
    for v in versions:
        for args in [("summary",)] + ([("print",)] if events else []):
            r = jfr(v, *args, file)
            if r.status or r.err.strip() or not r.out.strip():
                said.append(f"jfr {args[0]} of JDK {v}: status {r.status} {r.err[:500]}")
            elif args[0] == "print" and "jdk.ExecutionSample" not in r.out and "wick.PerfSample" not in r.out:
                said.append(f"jfr print of JDK {v} shows no sample")
    return "\n".join(said)


def stacks(*files, threads=True, annotate=True, samples=False):
    """[(frames root first, weight ns)] of recordings, by wick's own reader; the thread is the first frame. samples: their
    number instead of the weight, for checks by number: a sample that was delayed weighs as many."""
    args = ["convert", *files, "--to", "collapsed", "-o", "-"]
    args += ["-t"] if threads else []
    args += ["--annotate"] if annotate else []
    args += ["--samples"] if samples else []
    r = wick(*args)
    if r.status:
        raise RuntimeError(f"wick convert {files}: {r.err}")
    out = []
    for line in r.out.splitlines():
        frames, _, weight = line.rpartition(" ")
        out.append((frames.split(";"), int(weight)))
    return out


def weight_of(rows):
    return sum(w for _, w in rows)


def json_values(file, kind):
    """The events of a kind as the jfr tool writes them in JSON, with whole stacks."""
    found = json.loads(jfr(21, "print", "--json", "--stack-depth", "64", "--events", kind, file).out)["recording"]["events"]
    return [e["values"] for e in found]


def json_seconds(text):
    """Of a duration as it is in there: PT1M2.5S."""
    hours, minutes, seconds = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.E-]+)S)?", text).groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0)


def json_clock(text):
    """Seconds since 1970 of a time as it is in there."""
    whole, fraction, zone = re.fullmatch(r"(.*?)(\.\d+)?([+-]\d\d:\d\d|Z)", text).groups()
    return datetime.datetime.fromisoformat(whole + zone.replace("Z", "+00:00")).timestamp() + float(fraction or 0)


def events(file, kind):
    """[{field: text}] of the events of a kind, by the jfr tool."""
    r = jfr(17, "print", "--events", kind, file)
    out = []
    for block in re.split(r"^" + re.escape(kind) + r" \{$", r.out, flags=re.M)[1:]:
        out.append(dict(re.findall(r"^  (\w+) = \"?(.*?)\"?$", block, flags=re.M)))
    return out


def collectors():
    """(name, options) of the collectors that this JDK has."""
    names = ["Serial", "Parallel", "G1"]
    names += ["ConcMarkSweep"] if JDK < 14 else []
    names += ["Shenandoah", "Z", "Epsilon"] if JDK >= 11 else []
    out = []
    for n in names:
        unlock = ["-XX:+UnlockExperimentalVMOptions"] if n in ("Z", "Epsilon", "Shenandoah") else []
        out.append((n, [*unlock, f"-XX:+Use{n}GC"]))
    if JDK == 21:
        out.append(("ZGenerational", ["-XX:+UseZGC", "-XX:+ZGenerational"]))
    return out
