#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 11 21
"""An unmodified application in Tomcat shows its endpoints as soon as wick.jar is beside Tomcat's own jars: in 9 (javax) and 10 (jakarta)."""
import glob
import http.client
import json
import os
import random
import string

import jvmtest as t

JAR = t.BUILD + "/java/wick.jar"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
VERSIONS = {9: "javax", 10: "jakarta"} if t.JDK >= 11 else {9: "javax"}
MOST = 500  # java/servlet/common/wick/servlet/Requests.java


def jars(version):
    return ":".join(sorted(glob.glob(f"/usr/share/java/tomcat{version}-*.jar")))


def compiled(version):
    """The program for the namespace of this version."""
    source, out = t.path(f"source{version}"), t.path(f"classes{version}")
    os.mkdir(source)
    os.mkdir(out)  # javac of JDK 8 does not
    with open(t.HERE + "/Servlets.java", encoding="utf-8") as f:
        text = f.read().replace("jakarta", VERSIONS[version])
    with open(source + "/Servlets.java", "w", encoding="utf-8") as f:
        f.write(text)
    r = t.run(t.JAVA_HOME + "/bin/javac", "-nowarn", "-cp", jars(version), "-d", out, source + "/Servlets.java")
    t.check(f"Tomcat {version}: the program compiles", r.status == 0, r)
    return out


class Site:
    def __init__(self, version, classes, *options):
        self.base = t.path(f"base{version}{len(options)}")
        self.jvm = t.Jvm(["-Xmx128m", *options, "-cp", f"{classes}:{jars(version)}:{JAR}", "Servlets", self.base], f"tomcat{version}{len(options)}")
        self.port = self.jvm.wait_for(r"(?m)^port (\d+)") and int(t.re.search(r"(?m)^port (\d+)", self.jvm.output())[1])
        t.check(f"Tomcat {version} {' '.join(options)}: it runs", self.port, self.jvm.output()[-3000:])

    def ask(self, path, method="GET", **headers):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        c.request(method, path, headers=headers)
        r = c.getresponse()
        body = r.read().decode()
        c.close()
        return r.status, body


def endpoints(file):
    r = t.wick("endpoints", "--json", file)
    return {e["endpoint"]: e for e in json.loads(r.out)["endpoints"]} if r.status == 0 else {}


def endpoints_of(version, classes):
    site = Site(version, classes)
    say = f"Tomcat {version}: "
    file = t.path(f"endpoints{version}.jfr")
    r = t.start(site.jvm.pid, file, "-e", "cpu,wall", "-i", "2ms")
    t.check(say + "a recording starts", r.status == 0, r)
    answers = [site.ask(f"/shop/{i}/cart;jsessionid=x?user={i}") for i in range(40)]
    t.check(say + "requests are answered as always", answers == [(200, f"shop /{i}/cart\n") for i in range(40)], answers[:2])
    answers = [site.ask("/shop/search", "POST") for _ in range(7)]
    t.check(say + "also those with a body", {a[0] for a in answers} == {200}, answers[:2])
    t.check(say + "what is not found stays so", site.ask("/nothing/here")[0] == 404)
    t.check(say + "what fails fails", site.ask("/fail")[0] == 500)
    t.check(say + "asynchronous requests are answered", site.ask("/async/x") == (200, "later\n"))
    t.check(say + "a trace's id is taken over", site.ask("/shop/traced", traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")[0] == 200)
    for bad in ("", "00-", "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "x" * 5000, f"00-{TRACE.upper()}-1"):
        site.ask("/shop/bad", traceparent=bad)
    r = t.stop(site.jvm.pid)
    found = endpoints(file)
    counts = {name: e["count"] for name, e in found.items()}
    want = {"GET /shop/*/cart": 40, "POST /shop/search": 7, "GET /nothing/here": 1, "GET /fail": 1, "GET /async/x": 1,
            "GET /shop/traced": 1, "GET /shop/bad": 5}
    t.check(say + "each request is one of its endpoint", {k: v for k, v in counts.items() if k in want} == want and
            set(counts) - set(want) <= {None}, counts)
    t.check(say + "with the time that it took", found.get("GET /shop/*/cart", {}).get("p50_ns", 0) >= 5e6 and
            found["GET /shop/*/cart"]["cpu_ns"] > 0, found.get("GET /shop/*/cart"))
    r = t.wick("trace", "--json", file, TRACE)
    t.check(say + "the trace is found by its id", r.status == 0 and json.loads(r.out)["traces"][0]["endpoint"] == "GET /shop/traced", r)
    return site


def names_are_bounded(version, site):
    """Clients choose paths; names of endpoints are kept as long as the JVM runs."""
    file = t.path(f"bounded{version}.jfr")
    t.start(site.jvm.pid, file, "-e", "cpu")
    draw = random.Random(version)
    asked = MOST + 200
    for _ in range(asked):
        site.ask("/" + "".join(draw.choices(string.ascii_lowercase, k=20)))
    for path in ("/1/2/3/4/5/6/7/8/9/10/11", "/%3Cb%3E", "//", "/" + "a" * 300):
        site.ask(path)
    t.stop(site.jvm.pid)
    counts = {name: e["count"] for name, e in endpoints(file).items() if name}
    t.check(f"Tomcat {version}: names of endpoints are bounded, requests are not lost", len(counts) <= MOST + 1 and
            counts.get("[other]", 0) >= 200 and sum(counts.values()) == asked + 4, (len(counts), counts.get("[other]"), sum(counts.values())))


def can_be_off(version, classes):
    site = Site(version, classes, "-Dwick.servlet=off")
    file = t.path(f"off{version}.jfr")
    t.start(site.jvm.pid, file, "-e", "cpu", "-i", "1ms")
    site.ask("/shop/x")
    t.stop(site.jvm.pid)
    t.check(f"Tomcat {version}: -Dwick.servlet=off turns it off", not [e for e in endpoints(file) if e], endpoints(file))
    site.jvm.kill()


for version in VERSIONS:
    classes = compiled(version)
    site = endpoints_of(version, classes)
    names_are_bounded(version, site)
    site.jvm.kill()
    can_be_off(version, classes)
t.done()
