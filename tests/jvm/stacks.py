#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wick stack`, which reads from outside, shows the same methods and lines as jstack, which stops the JVM."""
import os
import re

import jvmtest as t

classes = t.compile_java("Parked")
names = ["parked", "sleeping", "waiting", "blocked", "deep"]


def theirs(pid):
    """thread -> [(method, line)] by jstack of JDK 17, leaf first; native methods have no line."""
    tool = t.JAVA_HOME + "/bin/jstack"
    out, thread = {}, None
    if not os.path.exists(tool):
        tool = None
        text = t.run(t.jdk_home(17) + "/bin/jcmd", "-J-Dsun.tools.attach.attachTimeout=120000", pid, "Thread.print").out
    else:
        text = t.run(tool, "-J-Dsun.tools.attach.attachTimeout=120000", pid).out
    for line in text.splitlines():
        m = re.match(r'"(.*?)" ', line)
        if m:
            thread = out.setdefault(m.group(1), [])
        m = re.match(r"\s+at ([^(]+)\((.*?)\)", line)
        if m and thread is not None:
            where = re.search(r":(\d+)$", m.group(2))
            thread.append((re.sub(r"^.*@[^/]*/", "", m.group(1)).replace("/", "."), where and int(where.group(1))))
    return out


def ours(text):
    out, thread = {}, None
    for line in text.splitlines():
        m = re.match(r'"(.*?)"', line)
        if m:
            thread = out.setdefault(m.group(1), [])
            continue
        m = re.match(r"\s+(?:at )?(\S+?)(?:\(.*?\))?(?::(\d+)| line (\d+))?(?:\s.*)?$", line)
        if m and thread is not None:
            thread.append(line.strip())
    return out


j = t.Jvm(["-cp", classes, "Parked"], "parked")
t.check("the JVM runs", j.wait_for(r"(?m)^up"), j.output())


def known():
    """By jstack, the threads of those names."""
    found = theirs(j.pid)
    return {n: found.get(n, []) for n in names}


def stand_still():
    """How the threads get to where they stay is their own business."""
    before = known()
    return all(len(before[n]) >= 2 for n in names) and before == known()


t.check("the threads stand still", t.until(stand_still, 240))
mine = t.wick("stack", j.pid)
t.check("wick stack succeeds", mine.status == 0 and not mine.err, mine.err)
truth, got = theirs(j.pid), ours(mine.out)
for name in names:
    frames = truth.get(name, [])
    text = got.get(name, [])
    want = [(m.rsplit(".", 1)[1], l) for m, l in frames]
    # in order, each of jstack's frames with its method and line
    at, missing = 0, []
    for method, line in want:
        hit = next((i for i in range(at, len(text)) if re.search(r"[./]" + re.escape(method) + r"\b", text[i])
                    and (not line or re.search(rf"\b{line}\b", text[i]))), None)
        if hit is None:
            missing.append((method, line))
        else:
            at = hit + 1
    t.check(f"{name}: the same methods and lines as jstack", len(want) >= 2 and not missing,
            f"missing {missing}\njstack: {frames}\nwick: " + "\n".join(text))
ticks = j.ask("tick", r"tick (\d+)")
t.check("the target runs on", ticks is not None, j.output())
for _ in range(20):
    t.wick("stack", j.pid)
t.check("and after twenty more walks from outside", j.ask("tick", r"tick (\d+)") is not None and j.proc.poll() is None)
j.say("exit")
t.check("it ends as if nothing had been", j.wait() == 0)
t.done()
