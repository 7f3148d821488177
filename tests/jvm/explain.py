#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# alone
"""wick explain names the heap that is too small, and says nothing of an idle JVM."""
import json
import re
import subprocess
import threading
import time
import urllib.request

import jvmtest as t

DEMO = t.os.path.join(t.BUILD, "java/wick-demo.jar")
OTHERS = {"cpu-starvation", "neighbours", "late-safepoints", "starved-safepoints", "starved-collections", "slow-safepoints", "steal", "vm-operations"}


def waited_for_cpu():
    """Seconds in which some task of the machine waited for a CPU."""
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as f:
            return int(re.search(r"some .* total=(\d+)", f.read())[1]) / 1e6
    except OSError:
        return time.monotonic() * t.os.getloadavg()[0]  # a kernel without PSI: a guess by the load


def explained(*args):
    r = t.wick("explain", "--json", *args)
    if not t.check(f"explain {args[-1]} succeeds", r.status == 0, r):
        return {"findings": []}
    return json.loads(r.out)


def flushes(pid, least=4):
    """Waits until so many parts of the recording that is made in the JVM have been written, one a second."""
    sizes = set()

    def look():
        for n in t.os.listdir(f"/proc/{pid}/fd"):
            try:
                if "memfd:wick-" in t.os.readlink(f"/proc/{pid}/fd/{n}"):
                    sizes.add(t.os.stat(f"/proc/{pid}/fd/{n}").st_size)
            except OSError:
                pass
        return len(sizes) > least
    return t.until(look)


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=t.HANGS) as answer:
            return answer.status
    except OSError as e:
        return e


j = t.Jvm(["-XX:+UseZGC", "-Xmx256m", "-jar", DEMO, "--seconds", "3600", "--idle", "20"], "demo")
t.check("the service listens", j.wait_for(r"listening on .*:\d+ pid"), j.output())
port = int(re.search(r"listening on 127.0.0.1:(\d+)", j.output())[1])

# Idle: the service waits, whatever else the machine does.
get(port, "health")
t.load_agent(j)
end = time.monotonic() + 30
while time.monotonic() < end:  # compilers work off their queues
    before = j.cpu_seconds()
    time.sleep(1)
    if j.cpu_seconds() - before < 0.05:
        break
begin = time.monotonic(), waited_for_cpu()
idle = explained("-d", "3", "--lib", t.AGENT, str(j.pid))
# What little it does may be held up by other processes on the machine; then it is right to say so.
crowded = waited_for_cpu() - begin[1] > 0.3 * (time.monotonic() - begin[0])
reported = {f["rule"] for f in idle["findings"]} - (OTHERS if crowded else set())
t.check("nothing stands out in an idle JVM", not reported and idle["duration_ns"] > 1e9, (crowded, idle))

# While requests run, threads of no request are sampled as well: what requests wait for, and what hangs since before.
kept, busy = t.path("kept.jfr"), threading.Event()


def ask():
    while not busy.is_set():
        get(port, "allocation-stalls?tasks=4&mib=1")


asking = threading.Thread(target=ask, daemon=True)
asking.start()
try:
    during = explained("-d", "3", "-f", kept, "--lib", t.AGENT, str(j.pid))
finally:
    busy.set()
asking.join()
r = t.wick("top", "-e", "wall", "--json", "--rows", "0", "--by", "thread", "--thread", "^(VM Thread|Finalizer|Reference Handler|Signal Dispatcher|Service Thread)", kept)
outside = sum(row["self"] for row in json.loads(r.out)["rows"]) if r.status == 0 else 0
print("#", outside / 1e9, "s of five threads in no request, of", during.get("duration_ns", 0) / 1e9, "s")
t.check("threads of no request are sampled while there are some", outside > during.get("duration_ns", 0) / 2, (r, during))

# Ten threads need 2 x 12 MiB each of a heap of 256 MiB: not all can have them at a time.
file = t.path("stalls.jfr")
t.check("a recording starts", t.start(j.pid, file, "-e", "cpu,wall").status == 0)
answers = []
clients = [threading.Thread(target=lambda: answers.append(get(port, "allocation-stalls?tasks=60&mib=12"))) for _ in range(2)]
for c in clients:
    c.start()
for c in clients:
    c.join()
t.check("the recording ends", t.stop(j.pid).status == 0)
t.check("requests were answered", len(answers) == 2, answers)
said = explained(file)
stalls = [f for f in said["findings"] if f["rule"] == "allocation-stall"]
stalls = [f for f in stalls if f["figures"]["where"] == "GET /allocation-stalls"]
if t.check("allocation stalls of the endpoint are named", len(stalls) == 1, said):
    figures = stalls[0]["figures"]
    print("#", stalls[0]["sentence"])
    t.check("with the function that waits, and who needed memory", "alloc_page_stall" in figures["frame"]
            and "ByteBuffer" in figures["caller"], figures)
    t.check("with the size of the heap", figures["heap_bytes"] == 256 << 20, figures)
    t.check("with a latency no less than any stall's share of it", figures["p99_ns"] > 0 and 0.05 <= figures["share"] <= 1, figures)
text = t.wick("explain", file)
t.check("the text says the same", text.status == 0 and "GET /allocation-stalls" in text.out, text)

# A recording that ends before its time is what there is to explain, and it is said how much that is.
for how, end, sentence in (("stopped", lambda: t.wick("stop", "-f", t.path("elsewhere.html"), j.pid), r"was stopped from elsewhere after [\d.]+ s of 10 min"),
                           ("killed", j.kill, "ended during the recording")):
    with open(t.path(f"{how}.out"), "w+", encoding="utf-8") as out, open(t.path(f"{how}.err"), "w+", encoding="utf-8") as err:
        w = subprocess.Popen([t.WICK, "explain", "--json", "-d", "600", "--lib", t.AGENT, str(j.pid)], stdout=out, stderr=err)
        t.check(f"{how}: it is recorded", t.until(lambda: t.status(j.pid).get("running")) and flushes(j.pid))
        end()
        status = w.wait()
        out.seek(0)
        err.seek(0)
        said = err.read()
        t.check(f"{how}: how much of it was recorded is said", re.search(sentence, said) and "/proc/" not in said, said)
        found = json.loads(out.read() or "{}")
        print("#", how, found.get("duration_ns"))
        t.check(f"{how}: that much is explained", 1e9 < found.get("duration_ns", 0) < 600e9, (status, found))
t.done()
