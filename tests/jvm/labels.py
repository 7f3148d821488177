#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 8 21 25
"""Labels and spans of wick.jar are in recordings, and their counts balance.

Shares are compared with the program's own CPU clock. Of n samples that weigh alike the share p has the standard deviation
sqrt(p * (1 - p) / n); allowed are 5 of them and 1 % for what the program's clock does not see. On a loaded machine samples do
not weigh alike: where the kernel throttles the event, or a walk is expensive and the thread rests after it, the next sample
stands for all the intervals that passed, though the label may have changed since. That favours no label, but a sample of weight w
scatters like w that come together; so n is (sum of w)^2 / (sum of w^2), Kish's effective number of samples."""
import collections
import json
import math
import os
import re
import sys

import jvmtest as t

sys.path.insert(0, os.path.join(t.ROOT, "tests/jfr"))
import naive_reader  # noqa: E402

JAR = t.os.path.join(t.BUILD, "java/wick.jar")
SIGMAS = t.Sigmas(5)  # one false alarm in 1.7 million
classes = t.compile_java("Labels", classpath=JAR)


def program(name, *options):
    j = t.Jvm([*options, "-Xmx256m", "-cp", f"{classes}:{JAR}", "Labels"], name)
    if not j.wait_for("up"):
        t.check(f"{name}: the program runs", False, j.output())
    return j


def answer(j, line, seconds=900):  # for what a busy machine needs; a JVM that has ended is noticed
    return j.ask(line, r"answer \w+ ?(.*)\n", seconds) or ""


def by(file, what, *where):
    """{row: weight ns} of wick top --by, and the number of samples."""
    args = [a for w in where for a in ("--where", w)]
    r = t.wick("top", "--json", "-n", "0", "--by", what, *args, file)
    if r.status:
        return collections.Counter(), 0
    top = json.loads(r.out)
    return collections.Counter({row["name"]: row["self"] for row in top["rows"]}), top["samples"]


def last_labels(file):
    rows = t.events(file, "wick.Labels")
    return {k: int(v) for k, v in rows[-1].items() if v.isdigit()} if rows else {}


def root_durations(file):
    """Microseconds of the root spans, by the JDK's tool."""
    for e in json.loads(t.jfr(17, "print", "--json", "--events", "wick.Span", file).out)["recording"]["events"]:
        if e["values"]["root"] == 1:
            m = re.fullmatch(r"PT(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?", e["values"]["duration"])
            yield (int(m[1] or 0) * 60 + int(m[2] or 0)) * 1_000_000 + int((m[3] or "").ljust(6, "0")[:6])


def seconds(duration):
    """ISO 8601 of the jfr tool: PT0.001S, PT1M2S."""
    minutes, _, rest = duration[2:].rstrip("S").rpartition("M")
    return 60 * int(minutes or 0) + float(rest or 0)


def weights_of(file, *endpoints):
    """Seconds that each sample of those endpoints weighs."""
    events = json.loads(t.jfr(17, "print", "--json", "--events", "jdk.ExecutionSample", file).out)["recording"]["events"]
    return [seconds(e["values"]["weight"]) for e in events if t.context(e["values"]["context"]).get("endpoint") in endpoints]


def effective(file, *endpoints):
    """(number of samples, effective number, the greatest weight in ms) of those endpoints."""
    weights = weights_of(file, *endpoints)
    squares = sum(w * w for w in weights)
    return len(weights), sum(weights) ** 2 / squares if squares else 0, 1000 * max(weights, default=0)


def compare(title, seen, truth, weighed):
    """Shares of {name: weight} against the truth. weighed: of effective()."""
    total, all_true, said = sum(seen[k] for k in truth), sum(truth.values()), []
    count, samples, heaviest = weighed
    for k in truth:
        p = truth[k] / all_true
        got = seen[k] / total if total else 0
        if abs(got - p) > 0.01 + SIGMAS * math.sqrt(p * (1 - p) / max(samples, 1)):
            said.append(f"{k}: {got:.3f} instead of {p:.3f}")
    t.check(title, count > 200 and not said,
            f"{said} of {count} samples, {samples:.0f} in effect, the heaviest {heaviest:.1f} ms; {seen}; true {truth}")
    print(f"# {title}: {count} samples, {samples:.0f} in effect: " + ", ".join(f"{k} {seen[k] / max(total, 1):.3f}/{truth[k] / all_true:.3f}" for k in truth))


def recorded(j, name, *lines):
    """Starts a recording, has the program do the lines, stops; (file, answers)."""
    file = t.path(name + ".jfr")
    r = t.start(j.pid, file, "-i", "1ms")
    if not t.check(f"{name}: a recording starts", r.status == 0, r):
        return file, ["" for _ in lines]
    out = [answer(j, line) for line in lines]
    t.stop(j.pid)
    return file, out


def shares(j):
    file, (said,) = recorded(j, "shares", "shares 2000")
    used = [int(n) for n in said.split()] or [1, 1, 1]
    seen, _ = by(file, "label:customer", "endpoint=GET /shares")
    compare("CPU time by label", seen, dict(zip(("big", "small", "[none]"), used)), effective(file, "GET /shares"))
    rows = {r["endpoint"]: r for r in json.loads(t.wick("endpoints", "--json", file).out)["endpoints"]}
    row = rows.get("GET /shares", {"count": 0, "cpu_ns": 0, "p50_ns": 0, "max_ns": 0})
    labels = last_labels(file)
    t.check("each request is a span", row["count"] == labels.get("spans") == labels.get("recorded") > 100, (row, labels))
    t.check("its latency is at least its work, the greatest no less than the median",
            2_500_000 <= row["p50_ns"] <= row["max_ns"], row)
    spans = sorted(int(n) for n in root_durations(file))
    t.check("its percentiles are those of its spans", len(spans) == row["count"] and
            [row[k] // 1000 for k in ("p50_ns", "p90_ns", "p99_ns", "max_ns")]
            == [spans[max(0, math.ceil(len(spans) * p / 100) - 1)] for p in (50, 90, 99, 100)], (row, spans))
    whole = sum(used)
    # Of the weight at either end of a request some is another's: the square of that is w^2 / 3 on average, and the weight at
    # a given moment has the mean square (sum of w^3) / (sum of w). Beside that 1 % for what the program's clock does not see.
    weights = weights_of(file, "GET /shares")
    square = sum(w ** 3 for w in weights) / max(sum(weights), 1e-9) / 3
    slack = 0.01 * whole + SIGMAS * math.sqrt(2 * row["count"] * square) * 1e9
    print(f"# the endpoint's CPU time: {row['cpu_ns'] / whole - 1:+.2%}, allowed {slack / whole:.2%}")
    t.check("the endpoint's CPU time is that of the work", abs(row["cpu_ns"] - whole) <= slack, f"{row['cpu_ns']} of {whole}, {slack}")
    complaints = t.jfr_complaints(file)
    t.check("the JDK's tool reads it", not complaints, complaints)
    t.check("a reader of fixed layouts that takes no pooled strings counts the samples",
            naive_reader.sums(file)["jdk.ExecutionSample"]["events"] > 0)
    shown = t.jfr(17, "print", "--events", "jdk.ExecutionSample", file).out
    t.check("and shows the labels", re.search(r'context = "endpoint=GET /shares,customer=big,traceId=[0-9a-f]{16},', shown),
            shown[:2000])


def pool(j):
    file, (said,) = recorded(j, "pool", "pool 2000")
    used = [int(n) for n in said.split()] or [1, 1, 1]
    seen, _ = by(file, "endpoint")
    # what is not a task (starting, compiling) has no endpoint either
    compare("CPU time of a wrapped pool's tasks by endpoint", seen, {"GET /a": used[0], "GET /b": used[1]},
            effective(file, "GET /a", "GET /b"))
    # One context that stays with its thread leaves nothing for these. Weights scatter as in compare(), 1 % is as there.
    count, samples, heaviest = effective(file, None)
    least = used[2] * (0.99 - SIGMAS * max(samples, 1) ** -0.5)
    t.check("tasks that were not wrapped have none", count > 100 and seen["[none]"] >= least > 0,
            f"{seen} {used}, at least {least:.0f} of {count} samples, {samples:.0f} in effect, the heaviest {heaviest:.1f} ms")


def virtual(j):
    answer(j, "recording")
    file, (said,) = recorded(j, "virtual", "virtual 20 5000")
    done = [int(n) for n in said.split()] or [1, 1]
    seen, _ = by(file, "endpoint")
    compare("CPU time of virtual threads by endpoint", seen, {"GET /even": done[0], "GET /odd": done[1]},
            effective(file, "GET /even", "GET /odd"))
    rows = t.stacks(file, threads=False, samples=True)
    counting = sum(n for frames, n in rows if any("Labels.count" in f for f in frames))
    inside = len(weights_of(file, "GET /even", "GET /odd"))
    t.check("nearly all of their work is labelled", inside >= t.least_of(counting, 0.95) > 0, f"{inside} of {counting}")
    file, (said,) = recorded(j, "vchurn", "vchurn 100000")
    labels = last_labels(file)
    t.check("100,000 virtual threads: every span is accounted for",
            said.startswith("100000") and labels.get("spans", 0) + labels.get("threadsLost", 0) == 100000
            and labels["spans"] == labels["recorded"] + labels["dropped"], (said, labels))


def churn(j):
    file, (said,) = recorded(j, "churn", "churn 3 400000")
    labels = last_labels(file)
    spans = int(re.search(r"wick\.Span +(\d+)", t.jfr(17, "summary", file).out)[1])
    print(f"# churn: {said}; {labels}")
    t.check("churn: every span that was closed is counted", labels.get("spans") == int(said.split()[0]) == 1200000,
            (said, labels))
    t.check("churn: spans = recorded + dropped", labels["spans"] == labels["recorded"] + labels["dropped"], labels)
    t.check("churn: the recording holds as many as it says", spans == labels["recorded"] > 0, (spans, labels))


def torn(j):
    file, _ = recorded(j, "torn", "torn 1200")
    shown = t.jfr(17, "print", "--events", "jdk.ExecutionSample", file).out
    contexts = [t.context(text) for text in re.findall(r'context = "([^"]+)"\n', shown)]
    bad, inner = [], 0
    for context in contexts:
        i = int(context["endpoint"][3:])
        n = int(context["spanId"], 16)
        label = context.get("v")
        inner += n == 5000 + i
        good = context["traceId"] == f"{1000 + i:016x}{2000 + i:016x}" and n in (3000 + i, 5000 + i)
        # the label is put in force after the span and taken away before it
        if not good or label not in (None, f"v-{i}") or (n == 5000 + i and not label):
            bad.append(context)
    t.check("no sample shows parts of two contexts", len(contexts) > 200 and not bad, f"{len(contexts)}: {bad[:5]}")
    t.check("inner spans are seen, and keep the endpoint around them", inner > 0, f"{len(contexts)}")


def bounds(j):
    file, (said,) = recorded(j, "bounds", "bounds")
    seen, _ = by(file, "endpoint")
    labels = last_labels(file)
    t.check("too deep, too many, too long: the program does not notice", j.proc.poll() is None and labels, (said, labels))
    t.check("spans too deep stay with their endpoint", seen["deep-0"] > 200_000_000, seen)
    over, _ = by(file, "label:[overflow]")
    t.check("too many labels at a time show in the samples", over["1"] > 200_000_000, over)
    t.check("texts without room are counted", labels.get("textsLost", 0) > 1000, labels)
    t.check("a name that is too long is cut", any(len(k) == 200 for k in seen), list(seen))


def misuse(j):
    file, _ = recorded(j, "misuse", "misuse")
    seen, _ = by(file, "endpoint")
    t.check("scopes closed twice, by others, in the wrong order: the open one stays", seen["next"] > 150_000_000
            and seen["inner"] == 0, seen)


def open_at_the_end(j):
    """Requests that have not ended are not among those counted, and it is said how many they are."""
    file, (said,) = recorded(j, "open", "open 7 3600000")  # until it is killed
    r = t.wick("endpoints", file)
    data = json.loads(t.wick("endpoints", "--json", file).out)
    counts = {row["endpoint"]: row["count"] for row in data["endpoints"]}
    t.check("requests that have not ended are counted apart from those that have", said == "7" and data["open"] == 7 and
            counts.get("GET /open") == 7 and "7 requests had not ended" in r.out, (said, data, r))


def without_agent():
    j = program("absent", *(["-XX:+EnableDynamicAgentLoading"] if t.JDK >= 21 else []))
    answers = [answer(j, "recording"), answer(j, "churn 1 1000"), answer(j, "pool 50"), answer(j, "misuse")]
    t.check("without the agent the library does nothing", answers[0] == "false" and answers[1].startswith("1000 "), answers)
    t.check("and says nothing", "WARNING" not in j.output() and "xception" not in j.output(), j.output()[:1000])
    # attached afterwards
    shares(j)
    t.check("after a recording nothing is written", answer(j, "recording") == "false")
    t.check("the JVM has no complaints", "WARNING" not in j.output() and "xception" not in j.output(), j.output()[:1000])
    return j


def from_start():
    file = t.path("first.jfr")
    j = program("first", f"-agentpath:{t.AGENT}=start,interval=1ms,file={file}")
    t.check("an agent of the command line is found immediately", answer(j, "recording") == "true", j.output())
    answer(j, "torn 400")
    t.stop(j.pid)
    seen, _ = by(file, "endpoint")
    t.check("and its recording has the endpoints", sum(w for k, w in seen.items() if k.startswith("op-")) > 2 * 10**7, seen)
    j.kill()


from_start()
running = without_agent()
pool(running)
churn(running)
torn(running)
if t.JDK >= 21:
    virtual(running)
misuse(running)
open_at_the_end(running)
bounds(running)
running.kill()
t.done()
