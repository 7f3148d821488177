#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
"""A program with OpenTelemetry's spans shows its endpoints as soon as wick.jar is on its class path. What the program uses of
OpenTelemetry is a stand-in (java/otel/stubs), with the names and types of the real one."""
import json

import jvmtest as t

JAR = t.BUILD + "/java/wick.jar"
STAND_IN = t.BUILD + "/java/classes"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
N = 40
OF_REQUEST = "GET /users/*"


def service(name, *options):
    classes = t.compile_java("Otel", classpath=STAND_IN)
    j = t.Jvm([*options, "-Xmx64m", "-cp", f"{classes}:{JAR}:{STAND_IN}", "Otel"], name)
    t.check(f"{name}: it runs", j.wait_for(r"(?m)^up"), j.output())
    return j


def recorded(j, name):
    file = t.path(name + ".jfr")
    t.start(j.pid, file, "-e", "cpu", "-i", "1ms")
    j.ask(f"requests {N}", r"served (\d+)")
    t.stop(j.pid)
    return file


def endpoints(file):
    return {e["endpoint"]: e for e in json.loads(t.wick("endpoints", "--json", file).out)["endpoints"]}


j = service("traced")
file = recorded(j, "traced")
counts = {name: e["count"] for name, e in endpoints(file).items() if name}
t.check("each request is one of its endpoint, and nothing else is one",
        counts == {OF_REQUEST: N, "GET /old/*": 1, "GET /users/{id}": 1, "orders process": 1}, counts)
rows = t.stacks(file, annotate=False, samples=True)
of_endpoint = t.stacks(file, "--where", f"endpoint={OF_REQUEST}", annotate=False, samples=True)
for method in ("ownWork", "insideWork", "poolWork"):
    mine = t.weight_of([r for r in rows if any(f"Otel.{method}" in x for x in r[0])])
    its = t.weight_of([r for r in of_endpoint if any(f"Otel.{method}" in x for x in r[0])])
    t.check(f"the samples of {method} are the request's", its == mine > 0, (its, mine))
r = t.wick("trace", "--json", file, TRACE)
t.check("the trace is found by its id", r.status == 0, r)
operations = sorted({s["operation"] for t_ in json.loads(r.out)["traces"] for s in t_.get("spans", [])})
t.check("spans inside it are spans", {"price", "render"} <= set(operations), operations)
j.kill()

off = service("off", "-Dwick.otel=off")
r = t.wick("endpoints", "--json", recorded(off, "off"))
t.check("-Dwick.otel=off turns it off", r.status == 4 and "has no endpoints" in r.err, r)
off.kill()
t.done()
