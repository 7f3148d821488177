#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""real.py - whether the sentences of `wick explain PID` lead to what is wrong with real programs

    bench/real.py [PROGRAM...]      without names, all

In these one thing is wrong on purpose:

    tomcat     Tomcat 10 with its pool of connections and PostgreSQL: another session has one row locked for 2 s of 2.2
    log        a log as Kafka's (bench/real/CommitLog.java): each batch is forced to the disk under the log's lock
    javac      the JDK's javac over its own javax.swing, in a heap that is too small, from the first full collection on
    lucene     Lucene: small segments, one thread for merges, so that indexing waits for them
    clojure    a REPL, in which functions without type hints were typed, so that calls are reflective
    zookeeper  ZooKeeper on a slow disk (a cgroup lets it write 20 times a second)
    znodes     the clients of that server
    examples   Tomcat 10 with its own examples, 32 clients that ask all the time: each new session is logged under a monitor

and in these nothing is wrong:

    accounts   the same Tomcat and PostgreSQL, of which nobody holds a row; each client rests 20 ms between two requests
    swing      javac compiles javax.swing again and again, in a heap that is large enough
    indexing   Lucene with room for segments and threads enough for merges
    quorum     ZooKeeper with 20 clients that write ten times a second each, on the disk as it is

Each is left to warm up and explained once, live. What the command printed is kept as build/bench/real/PROGRAM.txt, to be read by
someone who does not know the program. The table has the first sentence about the JVM or the program, whether that is the expected one (where nothing is
wrong: whether none accuses anything), and how many there are about the machine, which are true where others use its CPUs. Packages: tools/setup bench.

Environment: SECONDS (default 15) that are recorded.
"""

import contextlib
import glob
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import causes
import lab
import pairs
import quality
import servers

SOURCES = lab.ROOT / "bench" / "real"
OUT = lab.BUILD / "bench" / "real"
JARS = Path("/usr/share/java")
WARM_UP = 8
PATIENCE_SECONDS = 120
LUCENE = "8.7.0"
JAVAC_HEAP = "100m"  # it fills that halfway through
JAVAC_MOST = 8  # s of recording
DISKS = {"v1": (Path("/sys/fs/cgroup/blkio"), "blkio.throttle.write_iops_device", "{} {}"), "v2": (Path("/sys/fs/cgroup"), "io.max", "{} wiops={}")}
DISK_WRITES = 20  # a second


def jars(*names):
    paths = {name: sorted(glob.glob(str(JARS / name))) for name in names}
    for name, found in paths.items():
        if not found:
            raise lab.Failed(f"there is no {name} in {JARS}; `tools/setup bench` installs what the benchmarks need")
    return ":".join(path for found in paths.values() for path in found)


def compiled(name, path):
    """The class path of a program of bench/real."""
    folder = OUT / "classes" / name
    folder.mkdir(parents=True, exist_ok=True)
    lab.run(lab.java("javac"), "-nowarn", "-cp", path, "-d", folder, SOURCES / f"{name}.java")
    return f"{folder}:{path}"


@contextlib.contextmanager
def started(folder, name, ready, *command, **options):
    """A process that has printed a line with `ready`: (process, that line)."""
    said = Path(folder, f"{name}.out")
    with open(said, "w", encoding="utf-8") as out:
        child = subprocess.Popen([str(c) for c in command], stdout=out, stderr=subprocess.STDOUT, **options)
    try:
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            lines = [line for line in said.read_text(encoding="utf-8", errors="replace").splitlines() if ready in line]
            if lines:
                break
            if child.poll() is not None or time.monotonic() > until:
                raise lab.Failed(f"{name} did not get ready: {said.read_text(encoding='utf-8', errors='replace')[-500:]}")
            time.sleep(0.1)
        yield child, lines[0]
    finally:
        quality.end(child)


@contextlib.contextmanager
def postgres(folder):
    """A server of its own: (its port, the words of a psql)."""
    if not servers.there_are():
        raise lab.Failed("PostgreSQL is not installed; `tools/setup bench` installs what the benchmarks need")
    port = servers.free_port()
    database = servers.Postgres(f"{folder}/database", port)
    lab.run(*database.make)
    with started(folder, "postgres", "ready to accept connections", *database.run):
        yield port, database.sql


@contextlib.contextmanager
def clients_of(folder, rest_ms):
    """Tomcat with its database and 24 clients that rest between two requests: (its pid, the words of a psql)."""
    quality.need("/usr/bin/wrk")
    path = compiled("Accounts", jars("tomcat10-*.jar", "postgresql.jar"))
    script = Path(folder, "mix.lua")
    script.write_text("local n = 0\nrequest = function()\n  n = n + 1\n  if n % 4 == 0 then return wrk.format('POST', '/credit/' .. n % 100) end\n"
                      "  return wrk.format('GET', '/balance/' .. n % 100)\nend\n" + (f"delay = function() return {rest_ms} end\n" if rest_ms else ""), encoding="utf-8")
    with postgres(folder) as (port, psql), started(
            folder, "accounts", "READY", lab.java(), "-Xmx256m", "-cp", path, "Accounts", f"{folder}/tomcat",
            f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=postgres", 10, 100) as (server, said):
        with quality.process("wrk", "-t1", "-c24", "-d600s", "--timeout", "60s", "-s", script, f"http://127.0.0.1:{said.split('READY')[1].strip()}/"):
            yield server.pid, psql


@contextlib.contextmanager
def tomcat(folder):
    holds = "BEGIN; UPDATE account SET balance = balance + 1 WHERE id = 8; SELECT pg_sleep(2); COMMIT; SELECT pg_sleep(0.2);\n"
    Path(folder, "holds.sql").write_text(holds * 1000, encoding="utf-8")
    with clients_of(folder, 0) as (server, psql), quality.process(*psql, "-f", f"{folder}/holds.sql"):
        yield server


@contextlib.contextmanager
def accounts(folder):
    with clients_of(folder, 20) as (server, _):
        yield server


def examples(folder):
    return quality.tomcat(folder, WARM_UP + lab.seconds(15) + PATIENCE_SECONDS)


def swing(folder):
    return quality.javac(folder, 0)


@contextlib.contextmanager
def log(folder):
    with started(folder, "log", "READY", lab.java(), "-Xmx128m", "-cp", compiled("CommitLog", ""), "CommitLog", folder, 6, 2) as (program, _):
        yield program.pid


@contextlib.contextmanager
def javac(folder):
    command = [lab.java("javac"), f"-J-Xmx{JAVAC_HEAP}", "-J-Xlog:gc", *quality.swing(folder)]
    with started(folder, "javac", "Pause Full", *command) as (compiler, _):
        yield compiler.pid


@contextlib.contextmanager
def indexer(folder, *sizes):
    path = compiled("Indexer", jars(f"lucene-core-{LUCENE}.jar", f"lucene-analyzers-common-{LUCENE}.jar"))
    with started(folder, "lucene", "READY", lab.java(), "-Xmx512m", "-cp", path, "Indexer", f"{folder}/index", "/usr/include", *sizes) as (program, _):
        yield program.pid


def lucene(folder):
    return indexer(folder, 4, 1, 1, 2)


def indexing(folder):
    return indexer(folder, 2, 32, 4, 10)


@contextlib.contextmanager
def clojure(folder):
    path = jars("clojure.jar", "spec.alpha.jar", "core.specs.alpha.jar")
    said = Path(folder, "repl.out")
    with open(said, "w", encoding="utf-8") as out:
        repl = subprocess.Popen([lab.java(), "-Xmx256m", "-cp", path, "clojure.main"], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT)
    try:
        repl.stdin.write((SOURCES / "geometry.clj").read_bytes())
        repl.stdin.flush()
        yield repl.pid
    finally:
        repl.kill()
        repl.wait()
        repl.stdin.close()


@contextlib.contextmanager
def slow_disk(folder):
    """The words before a command that may write to the disk of `folder` only a few times a second."""
    device = os.stat(folder).st_dev
    for root, file, form in DISKS.values():
        group = root / f"wick-bench-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if not (group / file).exists():
                continue
            try:
                (group / file).write_text(form.format(f"{os.major(device)}:{os.minor(device)}", DISK_WRITES), encoding="ascii")
            except OSError:  # a file system on no disk, or on a part of one
                continue
            yield "/bin/sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"
            return
        finally:
            for _ in range(100):
                with contextlib.suppress(OSError):
                    group.rmdir()
                    break
                time.sleep(0.1)
    raise lab.Failed("a cgroup that limits writes to a disk cannot be made here")


@contextlib.contextmanager
def ensemble(folder, disk, rest_ms):
    """ZooKeeper, started by the words of `disk`, and its clients, which rest after a write: (server, clients)."""
    path = jars("zookeeper.jar", "zookeeper-jute.jar", "netty-all.jar", "slf4j-api.jar", "slf4j-nop.jar", "metrics-core.jar", "snappy-java.jar", "jetty9-server.jar")
    port = servers.free_port()
    Path(folder, "zoo.cfg").write_text(f"tickTime=2000\ndataDir={folder}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\nmaxClientCnxns=0\n", encoding="utf-8")
    with disk as words, quality.process(
            *words, lab.java(), "-Xmx256m", "-cp", path, "org.apache.zookeeper.server.quorum.QuorumPeerMain", f"{folder}/zoo.cfg") as server:
        clients = compiled("Znodes", path)
        with started(folder, "clients", "READY", lab.java(), "-Xmx128m", "-cp", clients, "Znodes", f"127.0.0.1:{port}", 20, rest_ms) as (program, _):
            yield server.pid, program.pid


@contextlib.contextmanager
def zookeeper(folder):
    with ensemble(folder, slow_disk(folder), 0) as (server, _):
        yield server


@contextlib.contextmanager
def znodes(folder):
    with ensemble(folder, slow_disk(folder), 0) as (_, clients):
        yield clients


@contextlib.contextmanager
def quorum(folder):
    with ensemble(folder, contextlib.nullcontext(()), 100) as (server, _):
        yield server


# What is wrong, and the findings that name it: their rule, and what their figures hold; none where nothing is wrong.
PROGRAMS = {
    tomcat: ("a row is locked", [("endpoint-wait", "credit"), ("waiting", "credit")]),
    log: ("fsync under a lock", [("waiting", "CommitLog.flush")]),
    javac: ("the heap is too small", [("gc-pauses", ""), ("gc-cpu", ""), ("live-set", ""), ("allocation-stall", "")]),
    lucene: ("merges", [("waiting", "Indexer.index")]),
    clojure: ("reflection", [("hot-code", "geometry")]),
    zookeeper: ("a slow disk", [("waiting", "FileTxnLog.commit"), ("disk-wait", "")]),
    znodes: ("a slow server", [("waiting", "Znodes.write")]),
    examples: ("a log under a monitor", [("waiting", "SessionListener.log")]),
    accounts: ("nothing", []),
    swing: ("nothing", []),
    indexing: ("nothing", []),
    quorum: ("nothing", []),
}


def accuses(finding):
    return finding["rule"] != "-" and not finding.get("neutral")


def is_clean(findings, idle):
    """Of a program at work: who sends it requests may have ended."""
    return not idle and not any(map(accuses, findings))


def explained(program, length):
    """The findings, whether the program did next to nothing, and what the command printed."""
    name = program.__name__
    with lab.scratch("real") as folder, program(folder) as pid:
        time.sleep(0 if program is javac else WARM_UP)
        file = OUT / f"{name}.jfr"
        file.unlink(missing_ok=True)
        most = JAVAC_MOST if program is javac else length  # it ends by itself
        text = lab.run(lab.WICK, "explain", "-d", f"{min(length, most):g}s", "-f", file, pid)
        (OUT / f"{name}.txt").write_text(text, encoding="utf-8")
        for said in Path(folder).glob("*.out"):
            shutil.copy(said, OUT / f"{name}.{said.name}")
    said = json.loads(lab.output(lab.WICK, "explain", "--json", file))
    return said["findings"], said["idle"], text


def measure():
    known = {program.__name__: program for program in PROGRAMS}
    names = sys.argv[1:] or list(known)
    for name in names:
        if name not in known:
            raise lab.Failed(f"no program {name}; there are: {' '.join(known)}")
    OUT.mkdir(parents=True, exist_ok=True)
    rows = []
    for program in map(known.get, names):
        wrong, expected = PROGRAMS[program]
        findings, idle, text = explained(program, lab.seconds(15))
        lab.say(f"=== {program.__name__}: {wrong}\n{text}")
        about = [f for f in findings if f["rule"] not in causes.MACHINE | causes.CAUTIONS] or [{"rule": "-", "sentence": "-", "figures": {}}]
        first = about[0]
        right = any(first["rule"] == rule and frame in json.dumps(first["figures"]) for rule, frame in expected) if expected else is_clean(about, idle)
        before = sum(f["rule"] in causes.MACHINE for f in findings)
        rows.append([program.__name__, wrong, "yes" if right else "idle" if idle else "no", str(before), first["sentence"]])
    print(pairs.table(rows, ["program", "what is wrong", "right", "about the machine", "the first sentence of the program or the JVM"]))


if __name__ == "__main__":
    lab.main(measure)
