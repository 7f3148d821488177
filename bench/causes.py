#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""causes.py - whether `wick explain` names the cause that a program was written to have

Every program of bench/causes has one planted cause, or none (healthy). Its opening comment says so to this harness:

    // cause: TEXT               what is wrong; or
    // healthy: TEXT             nothing is
    // expect: RULE [KEY=TEXT]   the finding that names the cause; figures hold these texts ("_" for a blank);
                              " | " between several, each of which does
    // symptom: RULE...          findings that are true, but not the cause
    // share: TEXT               what the cause takes, as its author measured it
    // judge: TEXT               for a reader: which findings are right, where the author did not know the rules
    // jvm: OPTION...            of the JVM
    // jdk: N                    which JDK, where JDKS (default ~/.cache/wick/jdk) has it in N/home
    // cpu: X                    CPUs that a cgroup of its own lets it use
    // set: second             written after the rules, without trying: reported apart
    // stdout: slow              what it prints is read slowly
    // service: INTERFACE=CLASS  a provider to register

A program may print lines "measured: ...", what it knows of its own cause; the last one is kept beside the recording.

Each runs alone, prints READY, is left to warm up and recorded by `wick explain PID`, which keeps its recording. Of
the findings in that:

    first     the cause is the first one
    listed    the cause is there, behind another
    symptom   a true symptom is there, the cause is not
    missed    neither
    wrong     findings that are neither; one of a healthy program is always wrong

Findings that only say where time goes ("neutral") accuse nobody: they may be the cause, but are never wrong. Those
about the machine (processes that compete for its CPUs) are true on a busy one, and cautions about the profile say
nothing of the program: both are left out, unless a program is meant to have them. How often those about the machine
came before the cause is counted apart.

    bench/causes.py [NAME...]   by default all

Environment: SECONDS (default 8) of recording; RECORDINGS, a folder where recordings are kept and, if they are there
already, read again instead of running the program; SHOW=1 prints all sentences.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
import lab
import pairs

PROGRAMS = lab.ROOT / "bench" / "causes"
OUT = lab.BUILD / "bench" / "causes"
JDKS = Path(os.environ.get("JDKS", Path.home() / ".cache/wick/jdk"))
WARM_UP = 3
MACHINE = {"cpu-starvation", "neighbours", "steal", "starved-safepoints", "starved-collections"}
CAUTIONS = {"biased-profile", "unsampled-cpu", "lost-samples"}
CPU_CGROUPS = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")


class Program:
    """A source of bench/causes and what it says of itself."""

    def __init__(self, source):
        self.name, self.source = source.stem, source
        self.says = dict(re.findall(r"^// (\w+): (.*)$", source.read_text(encoding="utf-8"), re.MULTILINE))
        self.healthy = "healthy" in self.says
        self.expected = []
        for one in self.says.get("expect", "none").split(" | "):
            rule, *figures = one.split()
            self.expected.append((rule, dict(f.split("=", 1) for f in figures)))
        self.symptoms = set(self.says.get("symptom", "").split())
        self.home = JDKS / self.says["jdk"] / "home"

    def is_cause(self, finding):
        said = finding["figures"]
        return any(finding["rule"] == rule and all(
            text.replace("_", " ") in str(said.get(key, "")) for key, text in figures.items())
            for rule, figures in self.expected)

    def compile(self):
        folder = OUT / self.name
        stamp = folder / "stamp"
        if stamp.exists() and stamp.stat().st_mtime > self.source.stat().st_mtime:
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        lab.run(self.home / "bin" / "javac", "-nowarn", "-cp", lab.API_JAR, "-d", folder, self.source)
        if "service" in self.says:
            interface, provider = self.says["service"].split("=")
            services = folder / "META-INF" / "services"
            services.mkdir(parents=True, exist_ok=True)
            (services / interface).write_text(provider + "\n", encoding="utf-8")
        stamp.touch()
        return folder


class Quota:
    """A cgroup that may use some CPUs; None where none can be made."""

    def __init__(self, name, cpus):
        self.folder = None
        for root in CPU_CGROUPS:
            folder = root / f"wick-{name}-{os.getpid()}"
            try:
                folder.mkdir()
            except OSError:
                continue
            if (folder / "cpu.cfs_quota_us").exists():
                (folder / "cpu.cfs_quota_us").write_text(str(int(cpus * 100000)), encoding="ascii")
            elif (folder / "cpu.max").exists():
                (folder / "cpu.max").write_text(f"{int(cpus * 100000)} 100000", encoding="ascii")
            else:
                folder.rmdir()
                continue
            self.folder = folder
            return

    def take(self, pid):
        (self.folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def remove(self):
        for _ in range(50):
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.1)


def drain(pipe, ready, slow, measured):
    """Reads what the program prints; says when it is ready, and keeps the last line of what it measured itself."""
    cut = b""  # a line that has not been read to its end
    while True:
        text = os.read(pipe.fileno(), 4096)
        if not text:
            return
        *lines, cut = (cut + text).split(b"\n")
        for line in lines:
            if line.startswith(b"measured: "):
                measured[:] = [line.removeprefix(b"measured: ").decode("ascii", "replace").rstrip()]
        if b"READY" in lines:
            ready.set()
        elif slow:
            time.sleep(0.05)


def record(program, file):
    """Runs the program and records it. False: it needs what this machine has not."""
    folder = program.compile()
    quota = Quota(program.name, float(program.says["cpu"])) if "cpu" in program.says else None
    if quota and not quota.folder:
        return False
    command = [str(program.home / "bin" / "java"), "-Xmx64m", *program.says.get("jvm", "").split(), "-cp",
               f"{folder}:{lab.API_JAR}", program.name]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        ready, measured = threading.Event(), []
        reader = threading.Thread(target=drain,
                                  args=(process.stdout, ready, program.says.get("stdout") == "slow", measured))
        reader.start()
        if quota:
            quota.take(process.pid)
        if not ready.wait(60):
            raise lab.Failed(f"{program.name} did not get ready")
        time.sleep(WARM_UP)
        lab.run(lab.WICK, "explain", "--json", "-d", f"{lab.seconds(8):g}s", "-f", file, process.pid)
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stdout.close()
        if quota:
            quota.remove()
    file.with_suffix(".measured").write_text("".join(measured), encoding="utf-8")
    return True


def judge(program, findings):
    """The row of the program: verdict, wrong findings, and whether the machine came first."""
    about = [f for f in findings if f["rule"] not in CAUTIONS]
    if not MACHINE.intersection(rule for rule, _ in program.expected):
        about = [f for f in about if f["rule"] not in MACHINE]
    causes = [i for i, f in enumerate(about) if program.is_cause(f)]
    wrong = [f for f in about
             if not program.is_cause(f) and f["rule"] not in program.symptoms and not f.get("neutral")]
    if program.healthy:
        verdict = "wrong" if wrong else "clean"
    elif causes:
        verdict = "listed" if causes[0] else "first"
    else:
        verdict = "symptom" if any(f["rule"] in program.symptoms for f in about) else "missed"
    crowded = bool(findings) and findings[0]["rule"] in MACHINE
    return verdict, wrong, about, crowded


def measure():
    wanted = sys.argv[1:] or sorted(p.stem for p in PROGRAMS.glob("*.java"))
    keep = Path(os.environ.get("RECORDINGS", OUT / "recordings"))
    keep.mkdir(parents=True, exist_ok=True)
    rows, verdicts, all_findings, all_wrong, crowds = [], {}, 0, 0, 0
    for program in map(Program, (PROGRAMS / f"{name}.java" for name in wanted)):
        file = keep / f"{program.name}.jfr"
        if not program.home.exists():
            rows.append([program.name, program.says["jdk"], "no such JDK here", "", ""])
            continue
        if not ("RECORDINGS" in os.environ and file.exists()) and not record(program, file):
            rows.append([program.name, program.says["jdk"], "no CPU cgroup here", "", ""])
            continue
        findings = json.loads(lab.output(lab.WICK, "explain", "--json", file))["findings"]
        verdict, wrong, about, crowded = judge(program, findings)
        own = file.with_suffix(".measured")
        measured = own.read_text(encoding="utf-8") if own.exists() else ""
        lab.say(f"{program.name}: {verdict}" + (f" ({measured})" if measured else "") + "".join(f"\n    {'x' if f in wrong else '-'} {f['rule']}: {f['sentence']}"
                for f in (findings if "SHOW" in os.environ else about)))
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        all_findings, all_wrong, crowds = all_findings + len(about), all_wrong + len(wrong), crowds + crowded
        rows.append([program.name, program.says["jdk"], verdict, about[0]["rule"] if about else "-",
                     ", ".join(sorted({f["rule"] for f in wrong})) or "-"])
    print(pairs.table(rows, ["program", "JDK", "verdict", "first finding", "wrong findings"]))
    print("\n" + ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items())) +
          f"; {all_wrong} of {all_findings} findings wrong; the machine came first {crowds} times")


if __name__ == "__main__":
    lab.main(measure)
