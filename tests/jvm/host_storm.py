#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# ci: 21
# alone
# timeout: 15000
"""`wick host -e cpu,sched` beside storms: processes that live a millisecond, one that executes another program all the time, one that
loads and unloads ever new libraries, and a JVM that compiles, throws code away and unloads classes. What it takes stays bounded, losses
are counted, the recording is whole, and kill -9 leaves nothing in the kernel.

WICK_STORM_SECS says for how long (20); with 600 or more the memory may not grow from the first half to the second one."""
import collections
import ctypes
import os
import re
import signal
import subprocess
import sys
import time

import bpf_programs
import jvmtest as t

SECONDS = int(os.environ.get("WICK_STORM_SECS", "20"))
LONG = 600
MOST_MIB = 192  # in the storm; the goal of 60 is for a machine with 300 processes (bench/host.py)
GROWTH_MIB = 8
LIBRARIES = 40
recording = t.path("storm.jfr")
started = []


def start(*args):
    p = subprocess.Popen([str(a) for a in args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    started.append(p)
    return p


# --- the storms ---

LOADS = """
import ctypes, itertools, os, shutil, sys
source, folder, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
close = ctypes.CDLL(None).dlclose
close.argtypes = [ctypes.c_void_p]
text = b'x' * 200000
for i in itertools.count():
    path = f'{folder}/lib{i}.so'
    shutil.copyfile(source, path)
    library = ctypes.CDLL(path)
    library.crc32(0, text, len(text))
    close(library._handle)
    if i >= n:
        os.unlink(f'{folder}/lib{i - n}.so')
    if i % 100 == 0:
        print(i, flush=True)
"""


def zlib():
    found = re.search(r"libz\.so\.1 .*=> (\S+)", t.run("/sbin/ldconfig", "-p").out)
    return os.path.realpath(found[1])


def storms():
    """What makes them: {name: process}"""
    chain = t.path("chain")
    with open(chain, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\n: > "$1"\nexec "$0" "$1"\n')
    os.chmod(chain, 0o755)
    os.mkdir(t.path("libraries"))
    return {
        "forks": start("sh", "-c", "while :; do /bin/true; done"),
        "execs": start(chain, t.path("executed")),
        "loads": start(sys.executable, "-c", LOADS, zlib(), t.path("libraries"), LIBRARIES),
    }


# --- what it takes ---


def resident_mib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return sum(map(int, re.findall(r"(?m)^Rss(?:Anon|File|Shmem):\s+(\d+)", f.read()))) / 1024


def maps_of(pid):
    """{id: bytes in the kernel} of its BPF maps, but for the one that is as large as processes publish: a hash that is not allocated in advance."""
    out = {}
    for n in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{n}", encoding="utf-8") as f:
                text = f.read()
        except OSError:
            continue
        found = re.search(r"(?m)^map_id:\t(\d+)", text)
        if found and not re.search(r"(?m)^map_type:\t1$(.|\n)*^map_flags:\t0x1$", text):
            out[int(found[1])] = int(re.search(r"(?m)^memlock:\t(\d+)", text)[1])
    return out


def maps_in_kernel():
    """Numbers of all BPF maps."""
    libc, out, at = ctypes.CDLL(None, use_errno=True), set(), 0
    while True:
        attr = (ctypes.c_uint32 * 32)(at)
        if libc.syscall(321, 12, attr, 128):  # BPF_MAP_GET_NEXT_ID
            return out
        at = attr[1]
        out.add(at)


def watch(p, seconds):
    """[(s, MiB, descriptors, bytes of maps)] of wick, again and again while it runs."""
    out, begin, pause = [], time.monotonic(), max(0.5, seconds / 120)
    while time.monotonic() < begin + seconds and p.poll() is None:
        time.sleep(pause)
        out.append((time.monotonic() - begin, resident_mib(p.pid), len(os.listdir(f"/proc/{p.pid}/fd")), sum(maps_of(p.pid).values())))
        if seconds >= LONG and len(out) % 10 == 0:
            print("# %.0f s: %.1f MiB resident, %d descriptors, %d bytes of maps" % out[-1], flush=True)
    return out


def median(values):
    return sorted(values)[len(values) // 2]


def check_series(series):
    if not t.check("it was watched", series):
        return
    rss, fds, maps = ([x[i] for x in series] for i in (1, 2, 3))
    step = max(1, len(series) // 12)
    print("# MiB resident: " + " ".join(f"{x:.0f}" for x in rss[::step]) + f", at most {max(rss):.1f}; descriptors: " + " ".join(map(str, fds[::step])) +
          f", at most {max(fds)}")
    t.check(f"it never takes more than {MOST_MIB} MiB", max(rss) <= MOST_MIB, rss)
    t.check("its maps in the kernel are as large at the end as at the start", maps[0] == maps[-1] > 0, maps)
    if SECONDS >= LONG:
        quarter = len(series) // 4
        before, after = median(rss[quarter:2 * quarter]), median(rss[3 * quarter:])
        t.check("memory does not grow", after <= before + GROWTH_MIB, (before, after))
        t.check("descriptors do not either", median(fds[3 * quarter:]) <= 2 * median(fds[quarter:2 * quarter]), fds)


def check_kill():
    """Ended in the middle of the storm, by a signal that nothing can catch."""
    p = start(t.WICK, "host", "-e", "cpu,sched,blockio", "-d", "3600", "-f", t.path("killed.jfr"))
    t.until(lambda: p.poll() is not None or os.path.exists(t.path("killed.jfr")) and os.path.getsize(t.path("killed.jfr")))
    programs, maps = bpf_programs.of(p.pid), set(maps_of(p.pid))
    t.check("its programs and maps can be seen while it runs", programs and maps and programs <= set(bpf_programs.loaded()) and maps <= maps_in_kernel(), (programs, maps))
    p.kill()
    p.wait()
    t.check("kill -9 leaves no program", t.until(lambda: not programs & set(bpf_programs.loaded())), programs)
    t.check("and no map", t.until(lambda: not maps & maps_in_kernel()), maps)


def check_recording(said):
    totals = collections.OrderedDict((e["type"], e) for e in t.events(recording, "wick.SampleTotals"))
    for kind, e in totals.items():
        fired, recorded, dropped = (int(e[k]) for k in ("fired", "recorded", "dropped"))
        print(f"# {kind}: fired {fired}, recorded {recorded}, dropped {dropped}")
        t.check(f"{kind}: fired = recorded + dropped", fired == recorded + dropped > 0, e)
    summary = t.jfr(21, "summary", recording)
    count = int(re.search(r"jdk\.ExecutionSample +(\d+)", summary.out)[1])
    t.check("the recording has as many as were recorded", count == int(totals["cpu"]["recorded"]), (count, totals["cpu"], summary.err))
    t.check("the JDK's tool has no complaint", summary.status == 0 and not summary.err.strip(), summary.err)
    print("# " + "; ".join(said.strip().splitlines()))
    names = collections.Counter()
    for line in t.wick("convert", "--by", "process", "--to", "collapsed", recording).out.splitlines():
        frames, _, _ = line.rpartition(" ")
        m = re.match(r"\[(.*)-\d+\]", frames)
        names[m[1] if m else frames] += 1
    t.check("all storms are in it", {"true", "chain", "java"} <= set(names), names.most_common(10))


def main():
    tried = t.wick("host", "-e", "cpu,sched", "-d", "100ms", "-f", t.path("try.jfr"))
    if tried.status in (5, 6):
        t.skip("wick host -e cpu,sched", tried.err.strip())
        return
    jvm = t.Jvm(["-Xmx256m", "-cp", t.compile_java("Stress"), "Stress", str(SECONDS + 3600)], "stress")
    if not t.check("the JVM runs", jvm.wait_for("progress"), jvm.output()):
        return
    made = storms()
    p = subprocess.Popen([t.WICK, "host", "-e", "cpu,sched", "-d", "86400", "-f", recording], stderr=subprocess.PIPE, text=True)
    started.append(p)
    t.until(lambda: p.poll() is not None or os.path.exists(recording) and os.path.getsize(recording))
    series = watch(p, SECONDS)
    t.check("it still records, and all storms go on", all(x.poll() is None for x in (p, jvm.proc, *made.values())),
            {name: x.poll() for name, x in {"wick": p, "jvm": jvm.proc, **made}.items()})
    p.send_signal(signal.SIGINT)
    said = p.communicate()[1]
    t.check("it ends with success", p.returncode == 0, said)
    check_kill()
    for x in made.values():
        os.killpg(x.pid, signal.SIGKILL)
    check_series(series)
    check_recording(said)


try:
    main()
finally:
    for child in started:
        if child.poll() is None:
            child.kill()
    for child in started:
        child.wait()
t.done()
