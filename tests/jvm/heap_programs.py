#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 21
# ci: 21
# timeout: 3000
"""wick heap on dumps of real programs, javac, Clojure and Tomcat: counts, dominators and retained sizes equal those of another
reader and another algorithm (heap_oracle, which also takes dumps of yours). In CI javac only: the other reader is slow."""
import glob
import http.client
import os
import re

import hprof
import jvmtest as t
from heapcheck import counts_agree, dominators_agree, jcmd, wick_json

# Code that is compiled by the hundred, kept, and thrown away
CLOJURE = """(require 'clojure.set 'clojure.walk 'clojure.pprint)
(def kept (doall (for [n (range 300)] (eval `(fn [x#] (let [f# (fn [y#] (* y# ~n))] (reduce + (map f# (range x#)))))))))
(def sums (doall (map #(% 50) kept)))
(println "up") (flush) (read-line)"""
TOMCAT = "/usr/share/java/tomcat10-*.jar"


def javac():
    classes = t.compile_java("Compiles")
    # what has no package and needs no other library than the JDK
    sources = sorted(glob.glob(t.HERE + "/*.java"))
    sources = [s for s in sources if not re.search(r"import (wick|io\.opentelemetry|jakarta|javax\.servlet|org)\.", open(s, encoding="utf-8").read())]
    return t.Jvm(["-Xmx256m", "-XX:+UseSerialGC", "-cp", classes, "Compiles", *sources], "javac"), r"(?m)^up"


def clojure():
    names = ("clojure", "spec.alpha", "core.specs.alpha")
    jars = [f"/usr/share/java/{n}.jar" for n in names]
    if not all(map(os.path.exists, jars)):
        return None, "libclojure-java is not installed"
    script = t.path("kept.clj")
    with open(script, "w", encoding="utf-8") as f:
        f.write(CLOJURE)
    return t.Jvm(["-Xmx256m", "-XX:+UseG1GC", "-cp", ":".join(jars), "clojure.main", script], "clojure"), r"(?m)^up"


def tomcat():
    jars = ":".join(sorted(glob.glob(TOMCAT)))
    if not jars:
        return None, "libtomcat10-java is not installed"
    out = t.path("servlets")
    r = t.run(t.JAVA_HOME + "/bin/javac", "-nowarn", "-cp", jars, "-d", out, t.HERE + "/Servlets.java")
    t.check("tomcat: the program compiles", r.status == 0, r)
    return t.Jvm(["-Xmx256m", "-XX:+UseParallelGC", "-cp", f"{out}:{jars}", "Servlets", t.path("base")], "tomcat"), r"(?m)^port (\d+)"


def visit(j):
    """A few sessions and requests of Tomcat's."""
    port = int(re.search(r"(?m)^port (\d+)", j.output())[1])
    for i in range(50):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        c.request("GET", f"/shop/{i}")
        c.getresponse().read()
        c.close()


def check(program):
    j, up = program()
    if j is None:
        t.skip("it is dumped", up)
        return
    t.check("the program is up", j.wait_for(up, 300), j.output()[-2000:])
    if program is tomcat:
        visit(j)
    file = t.path("program.hprof")
    t.check("a dump is taken", "created" in jcmd(j, "GC.heap_dump", "-all", file).out)
    j.kill()
    document, another = wick_json(file), hprof.Dump(file)
    print(f"# {program.__name__}: {len(another.nodes)} objects, {len(another.classes)} classes, {os.path.getsize(file) >> 20} MiB")
    t.check("it is a program of some size", len(another.nodes) > 100_000 and len(another.classes) > 1000,
            (len(another.nodes), len(another.classes)))
    counts_agree(document, another)
    dominators_agree(document, another)
    os.unlink(file)


for each in (javac,) if os.environ.get("CI") else (javac, clojure, tomcat):
    with t.titled(each.__name__):
        check(each)
t.done()
