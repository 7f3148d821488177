#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""quality.py - how many stacks of real programs end too early or hold a frame without a name

    bench/quality.py [PROGRAM...]      javac, tomcat, clojure; without names, all

javac compiles javax.swing of the JDK's own sources again and again; Tomcat serves its examples (servlets, JSPs) to wrk;
Clojure compiles generated code, so that classes come and go all the time. Each is recorded at 1 ms from 5 s after its start,
while much of it is still being interpreted, compiled and deoptimised. "Broken" are walks whose outermost frame says why the walk could
not go on; "gap" are walks that found their way again further out; "unknown" are stacks with a frame that has no name.

Packages beyond those of a build: openjdk-17-source, tomcat10-user, tomcat10-examples, wrk, clojure (tools/setup bench).
Environment: SECONDS (default 20) a recording, KEEP a folder that shall get the recordings.
"""

import collections
import contextlib
import os
import shutil
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "tests" / "jvm"))
import jfr
import lab
import pairs
import servers

START_SECONDS = 5
SOURCES = ("java.desktop/javax/swing/", "java.desktop/sun/swing/", "java.desktop/com/sun/java/swing/")
TOMCAT = Path("/usr/share/tomcat10")
PAGES = (
    "servlets/servlet/HelloWorldExample",
    "servlets/servlet/RequestInfoExample?a=1",
    "servlets/servlet/SessionExample?dataname=x&datavalue=y",
    "jsp/jsp2/el/basic-arithmetic.jsp",
    "jsp/jsp2/el/functions.jsp?foo=JSP+2.0",
    "jsp/jsp2/tagfiles/hello.jsp",
    "jsp/snp/snoop.jsp",
)
CLOJURE = "(loop [i 0] (eval (list 'reduce '+ (list 'map (list 'fn '[x] (list '* 'x i)) '(range 200)))) (recur (inc i)))"


def need(*paths):
    for path in paths:
        if not Path(path).exists():
            raise lab.Failed(f"there is no {path}; `tools/setup bench` installs what the benchmarks need")


def swing(folder):
    """Options of javac to compile Swing, whose sources it puts into a folder."""
    home = Path(lab.run(lab.java(), "-XshowSettings:properties", "-version").split("java.home = ")[1].split("\n")[0].strip())
    need(home / "lib" / "src.zip")
    with zipfile.ZipFile(home / "lib" / "src.zip") as archive:
        names = [name for name in archive.namelist() if name.startswith(SOURCES) and name.endswith(".java")]
        archive.extractall(folder, names)
    Path(folder, "files").write_text("\n".join(f"{folder}/{name}" for name in names), encoding="utf-8")
    return ["-d", f"{folder}/classes", "-proc:none", "-nowarn", "-Xlint:none", "--patch-module", f"java.desktop={folder}/java.desktop", f"@{folder}/files"]


@contextlib.contextmanager
def javac(folder, _length):
    with lab.Target("wick.bench.CompileLoop", *swing(folder), jvm=["-Xmx2g"]) as target:
        yield target.pid


def end(child):
    child.terminate()
    try:
        child.wait(20)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


@contextlib.contextmanager
def process(*command, **options):
    child = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        yield child
    finally:
        end(child)


def wait_for(url, child):
    for _ in range(300):
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(url, timeout=30).read()
        if child.poll() is not None:
            break
        time.sleep(0.2)
    raise lab.Failed(f"nothing answers at {url}")


@contextlib.contextmanager
def tomcat(folder, length):
    need(TOMCAT / "bin" / "bootstrap.jar", "/usr/share/tomcat10-examples/examples", "/usr/bin/wrk")
    port, base = servers.free_port(), f"{folder}/tomcat"
    lab.run("tomcat10-instance-create", "-p", port, "-c", servers.free_port(), base)
    sites = Path(base, "conf", "Catalina", "localhost")
    sites.mkdir(parents=True, exist_ok=True)
    shutil.copy("/etc/tomcat10/Catalina/localhost/examples.xml", sites)
    jars = f"{TOMCAT}/bin/bootstrap.jar:{TOMCAT}/bin/tomcat-juli.jar"
    properties = [f"-Dcatalina.home={TOMCAT}", f"-Dcatalina.base={base}", f"-Djava.io.tmpdir={base}/temp", "-Djava.awt.headless=true"]
    with process(lab.java(), "-Xmx512m", *properties, "-cp", jars, "org.apache.catalina.startup.Bootstrap", "start") as server:
        site = f"http://127.0.0.1:{port}/examples/"
        wait_for(site + PAGES[0], server)
        script = Path(folder, "mix.lua")
        table = ", ".join(f'"/examples/{page}"' for page in PAGES)
        script.write_text(f"local p, i = {{{table}}}, 0\nrequest = function() i = i % #p + 1; return wrk.format('GET', p[i]) end\n", encoding="utf-8")
        with process("wrk", "-t1", "-c32", f"-d{int(length + START_SECONDS + 20)}s", "-s", script, site):
            yield server.pid


@contextlib.contextmanager
def clojure(_folder, _length):
    jars = Path("/usr/share/java")
    names = ["clojure.jar", "spec.alpha.jar", "core.specs.alpha.jar"]
    need(*(jars / name for name in names))
    path = ":".join(str(jars / name) for name in names)
    with process(lab.java(), "-Xmx512m", "-XX:MaxMetaspaceSize=96m", "-cp", path, "clojure.main", "-e", CLOJURE) as program:
        yield program.pid


PROGRAMS = {"javac": javac, "tomcat": tomcat, "clojure": clojure}


def short(frame):
    return f"{frame[0].rsplit('/', 1)[-1].rsplit('.', 1)[-1]}.{frame[1]} [{frame[2]}]".lstrip(".")


def examine(recording):
    """Counts, and how often each context of a broken walk and of an unknown frame occurs."""
    counts, broken_at, unknown_at = collections.Counter(), collections.Counter(), collections.Counter()
    for stack, _, _ in recording.samples():
        counts["samples"] += 1
        if not stack:
            counts["empty"] += 1
            continue
        breaks = [i for i, frame in enumerate(stack) if frame[2] == "Broken walk"]
        if breaks:
            at = breaks[-1]
            counts["broken" if at == len(stack) - 1 else "gap"] += 1
            broken_at[" < ".join(map(short, reversed(stack[max(0, at - 3) : at + 1])))] += 1
        unknown = [i for i, frame in enumerate(stack) if frame[1] in ("", "[unknown]", "unknown")]
        if unknown:
            counts["unknown"] += 1
            unknown_at[" < ".join(map(short, reversed(stack[max(0, unknown[0] - 2) : unknown[0] + 2])))] += 1
    return counts, broken_at, unknown_at


def one(name, length):
    with lab.scratch("quality") as folder, PROGRAMS[name](folder, length) as pid:
        file = Path(folder, f"{name}.jfr")
        time.sleep(START_SECONDS)
        lab.run(lab.WICK, "record", "-q", "-i", "1ms", "-d", length, "-f", file, pid)
        if os.environ.get("KEEP"):
            shutil.copy(file, os.environ["KEEP"])
        counts, broken_at, unknown_at = examine(jfr.Recording(file))
    if not counts["samples"]:
        raise lab.Failed(f"{name}: no samples")
    for context, count in [*broken_at.most_common(12), *unknown_at.most_common(5)]:
        lab.say(f"  {count:>5}  {context}")
    share = {key: 100 * counts[key] / counts["samples"] for key in ("broken", "gap", "unknown", "empty")}
    cells = [f"{share[key]:.3f} ({counts[key]})" for key in share]
    met = share["broken"] + share["empty"] < 0.5 and share["unknown"] < 0.1
    return [name, str(counts["samples"]), *cells, "yes" if met else "no"]


def measure():
    names = sys.argv[1:] or list(PROGRAMS)
    for name in names:
        if name not in PROGRAMS:
            raise lab.Failed(f"no program {name}; there are: {' '.join(PROGRAMS)}")
    rows = [one(name, int(lab.seconds(20))) for name in names]
    print(pairs.table(rows, ["program", "samples", "broken, %", "gap, %", "unknown, %", "empty, %", "broken < 0.5, unknown < 0.1"]))


if __name__ == "__main__":
    lab.main(measure)
