#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# once
"""A program of Go as Debian has it: stripped, partly C (cgo), threads with stacks of their own beside those of goroutines. Its walks lead to
the start of a goroutine or thread, and its functions have their names."""
import collections
import os
import subprocess

import jvmtest as t

FZF = "/usr/bin/fzf"
RUNS = 24
STARTS = ("runtime.goexit", "runtime.mcall", "runtime.mstart", "runtime.rt0_go", "runtime.sigtramp",  # of goroutines, schedulers, threads, programs, handlers
          "clone3", "__clone3", "start_thread", "_start", "_dl_start", "_dl_start_user")
PAGE = 20  # samples that may miss their rules for the same reason: code that runs for the first time
recording = t.path("host.jfr")


def stacks(first):
    """{frames root first, without the kernel's: samples}, but for those of the first process: how code is unwound is read when it is first seen."""
    out = collections.Counter()
    for line in t.wick("convert", "--samples", "--by", "process", "--annotate", "--to", "collapsed", recording).out.splitlines():
        frames, _, count = line.rpartition(" ")
        process, *frames = frames.split(";")
        if not process.startswith("[fzf-"):
            continue
        frames = tuple(f[:-4] for f in frames if not f.endswith("_[k]"))
        if frames and int(process.split("-")[1].split("]")[0]) != first:
            out[frames] += int(count)
    return out


def main():
    tried = t.wick("host", "-d", "100ms", "-f", t.path("try.jfr"))
    if tried.status in (5, 6):
        t.skip("wick host", tried.err.strip())
        return
    with open(t.path("lines"), "w", encoding="utf-8") as f:
        f.writelines(f"{i}\n" for i in range(400_000))
    with subprocess.Popen([str(t.WICK), "host", "-i", "2ms", "-d", "3600", "-f", recording], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as host:
        t.until(lambda: os.path.exists(recording) and os.path.getsize(recording) or host.poll() is not None)
        pids = []
        for _ in range(RUNS):
            with open(t.path("lines"), encoding="utf-8") as lines, subprocess.Popen([FZF, "-f", "98765"], stdin=lines, stdout=subprocess.DEVNULL) as fzf:
                pids.append(fzf.pid)
        host.send_signal(2)
        said = host.communicate()[1]
    t.check("it records", host.returncode == 0, said)
    rows = stacks(pids[0])
    n = sum(rows.values())
    whole = sum(count for frames, count in rows.items() if frames[0] in STARTS)
    t.check("there are samples of it", n >= 200, (n, rows.most_common(3)))
    t.check("walks lead to the start of a goroutine or thread", whole >= t.least_of(n, 0.9, PAGE), (whole, n, [f for f in rows if f[0] not in STARTS][:5]))
    scans = [f for f in rows if any("(*Matcher).scan.func" in x for x in f)]
    t.check("a goroutine's function is the first one of its stack", scans and all(f[0] == "runtime.goexit" and "(*Matcher).scan.func" in f[1] for f in scans), scans[:3])
    own = [f for frames in rows for f in frames if "junegunn/fzf" in f]
    t.check("its own functions have names", any("junegunn/fzf/src.(*Matcher).scan" in f for f in own), sorted(set(own))[:20])
    unnamed = sum(count for frames, count in rows.items() if any(f == "fzf" for f in frames))
    t.check("and so have all of Go", unnamed <= t.most_of(n, 0.05, PAGE), (unnamed, n, [f for f in rows if "fzf" in f][:3]))
    switched = sum(count for frames, count in rows.items() if "runtime.systemstack" in frames[1:] and frames[0] == "runtime.goexit")
    t.check("the runtime's work on its own stack is shown below the goroutine that it is done for", switched, rows.most_common(5))


main()
t.done()
