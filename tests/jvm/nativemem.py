#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 21 25
"""Native memory in a real JVM: estimates by site, of what was allocated and of what is not freed, are what the program did; each
function counts, stacks lead down to Java; libraries loaded later and other allocators are no exception; and nothing is left
when recordings end.

n blocks of s bytes that are sampled with the probability p make an estimate with the standard deviation s sqrt(n (1 - p) / p).
Checks are at 6 of them (with 500 samples less than one false alarm in ten million), and beside that what the JVM allocates in the same
frames is allowed for."""
import glob
import math
import os
import shutil
import time

import got
import jvmtest as t

SIGMAS = t.Sigmas(6)
INTERVAL = 16 << 10
BYTES = 8192
NAMES = {"malloc", "calloc", "realloc", "reallocarray", "free", "posix_memalign", "aligned_alloc", "memalign", "valloc", "pvalloc",
         "mmap", "mmap64", "munmap", "mremap", "brk", "sbrk", "pthread_create"}
KEEPERS = {"direct": "keepDirect", "unsafe": "keepUnsafe", **({"arena": "keepArena"} if t.JDK >= 22 else {})}
SITES = ["by_malloc", "by_calloc", "by_realloc", "by_posix_memalign", "by_aligned_alloc", "by_memalign", "by_mmap"]
LIBS = os.path.join(t.BUILD, "tests/jvm")
IN_CI = bool(os.environ.get("CI"))
classes = t.compile_java("NativeMem")


def program(how, name, env=None):
    # the JIT's own memory would not disturb, but its turns on the processors do
    j = t.Jvm(["-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, "NativeMem",
               f"{LIBS}/libwicknativemem_{how}.so"], name, env=env)
    t.check(f"{name}: the JVM runs", j.wait_for(r"(?m)^up"), j.output())
    return j


def ask(j, line):
    answer = j.ask(line, r"(?m)^(done.*|took \d+)$", 120)
    if not answer:
        t.check(f"{line}: the program answers", False, j.output()[-1000:])
    return answer


def start(j, file, *options):
    r = t.start(j.pid, file, "--alloc-rate", "0", "--ring", "16384", *(options or ("-e", f"nativemem={INTERVAL}")))
    return t.check("a recording of native memory starts", r.status == 0, r)


def bytes_of(file, event, *where):
    """Bytes in stacks that have all these frames."""
    r = t.wick("convert", file, "-e", event, "--to", "collapsed", "-o", "-")
    rows = [line.rpartition(" ") for line in r.out.splitlines()]
    return sum(int(w) for stack, _, w in rows if all(f in stack.split(";") for f in where))


def check(title, n, size, estimate, allowed=0):
    p = -math.expm1(-size / INTERVAL)
    slack = SIGMAS * size * math.sqrt(n * (1 - p) / p) + allowed
    t.check(title, abs(estimate - n * size) <= slack, f"true {n * size}, estimated {estimate}, allowed {slack:.0f}")


def sites(j, name, n=1500):
    """What each function allocated, and what of it is not freed."""
    file = t.path(f"{name}.jfr")
    start(j, file)
    for k in range(len(SITES)):
        ask(j, f"leak {k} {n} {BYTES}")
    ask(j, f"balance {n} {BYTES}")
    for line in KEEPERS:
        ask(j, f"{line} {n} {BYTES}")
    status = t.status(j.pid)
    r = t.stop(j.pid)
    t.check(f"{name}: the recording ends", r.status == 0, r)
    for site in SITES:
        check(f"{name}: {site}: what is not freed", n, BYTES, bytes_of(file, "nativelive", site, "NativeMem.leakInJava"))
    for site in KEEPERS.values():
        check(f"{name}: {site}: what is not freed", n, BYTES, bytes_of(file, "nativelive", "NativeMem." + site), 1 << 20)
    check(f"{name}: what is freed counts as allocated", n, BYTES, bytes_of(file, "nativemem", "balance"))
    t.check(f"{name}: and is not among what is left", bytes_of(file, "nativelive", "balance") == 0)
    check(f"{name}: realloc counts both sizes", n, BYTES + BYTES // 2, bytes_of(file, "nativemem", "by_realloc"))
    whole, weight = status.get("nativemem_allocated", 0), status.get("weight_nativemem", 0)
    deviation = math.sqrt(INTERVAL * whole)
    t.check(f"{name}: the weights sum up to all bytes allocated", abs(whole - weight) <= SIGMAS * deviation + INTERVAL,
            f"counted {whole}, weight {weight}, standard deviation {deviation:.0f}")
    t.check(f"{name}: no sample was lost, none of the blocks had no room",
            status.get("dropped_nativemem") == status.get("nativemem_unfollowed") == 0, status)
    again(j, name, n)


def again(j, name, n):
    """What was allocated before is not in a recording, and what is given back goes from it."""
    file = t.path(f"{name}-again.jfr")
    start(j, file)
    for k in range(len(SITES)):
        ask(j, f"leak {k} {n // 4} {BYTES}")
    keepers = [k for k in KEEPERS if k != "direct"]  # those go when a collection finds them dead
    for line in keepers:
        ask(j, f"{line} {n // 4} {BYTES}")
    ask(j, "free")
    t.stop(j.pid)
    left = {s: bytes_of(file, "nativelive", s) for s in (*SITES, *("NativeMem." + KEEPERS[k] for k in keepers))}
    t.check(f"{name}: what is given back is gone", sum(left[s] for s in SITES) == 0 and
            all(left["NativeMem." + KEEPERS[k]] < 1 << 20 for k in keepers), left)
    t.check(f"{name}: but was allocated", bytes_of(file, "nativemem", "by_calloc") > 0)


def events(j):
    """The events themselves, with every allocation sampled."""
    file = t.path("events.jfr")
    start(j, file, "-e", "nativemem=0")
    ask(j, "leak 0 3 777777")
    ask(j, "leak 6 2 65536")
    ask(j, "balance 5 555555")
    t.stop(j.pid)
    rows = t.events(file, "profiler.Malloc")
    sized = lambda size: [e for e in rows if e["size"].startswith(size)]
    mine = {e["address"]: e for e in sized("759.5 kB") + sized("542.5 kB")}
    t.check("each allocation is an event with its size, and stands for itself",
            len(sized("759.5 kB")) == 3 and len(sized("542.5 kB")) == 5 and all(e["size"] == e["weight"] for e in rows if e["size"][0] in "57"),
            rows[:3])
    t.check("with its function", {e["operation"] for e in sized("759.5 kB")} == {"malloc"} and
            {e["operation"] for e in sized("64.0 kB")} & {"mmap", "mmap64"}, sized("64.0 kB"))
    freed = {e["address"] for e in t.events(file, "profiler.Free")}
    t.check("what is freed has an event with its address", {e["address"] for e in sized("542.5 kB")} <= freed and
            not freed & {e["address"] for e in sized("759.5 kB")} - {e["address"] for e in sized("542.5 kB")}, freed)
    t.check("the JDK's tools read the recording", mine and t.jfr(17, "summary", file).status == 0)
    ask(j, "free")


def thread_stacks(j):
    """Stacks of threads, by who created them, until they end; the data segment; and the slots of global references."""
    n, size, refs = 20, 1 << 20, 2_000_000
    file = t.path("threads.jfr")
    start(j, file)
    ask(j, f"threads {n} {size}")
    ask(j, "move 4000000")
    ask(j, "move -1000000")
    ask(j, f"refer {refs}")
    stacks = t.wick("stack", j.pid)
    kept = [s for s in stacks.out.split("\n\n") if s.startswith('"kept"')]
    t.check("no frame of wick's is on the stack of a thread", len(kept) == n and all("NativeMem.lambda$keepThreads" in s and
            "libwick.so" not in s for s in kept), stacks.out[-3000:])
    t.stop(j.pid)
    rows = [e for e in t.events(file, "profiler.Malloc") if e["operation"] == "pthread_create"]
    t.check("each thread that is created allocates its stack", len(rows) >= n, rows)
    live = bytes_of(file, "nativelive", "NativeMem.keepThreads")
    # beside the stack its TLS, guard pages, the JVM's own record of the thread
    t.check("which is alive by the stack of who created it", n * size <= live <= n * (size + (160 << 10)), (live, n * size))
    live = bytes_of(file, "nativelive", "by_sbrk", "NativeMem.moveInJava")
    t.check("the data segment as well, less what it shrank by", abs(live - 3_000_000) <= 20_000, live)
    slots = bytes_of(file, "nativelive", "by_reference", "NativeMem.keepReferences")
    # 8 bytes each, in blocks of the JVM's of 32 or 64 with heads of up to 3 bytes a slot; so many samples have a standard deviation below 4 %
    t.check("global references count by who makes them", 8 * refs * 0.8 <= slots <= 11 * refs * 1.2, (slots, refs))
    file = t.path("threads-end.jfr")
    start(j, file)
    ask(j, f"threads {n} {size}")
    ask(j, "free")
    t.stop(j.pid)
    live, came = bytes_of(file, "nativelive", "NativeMem.keepThreads"), bytes_of(file, "nativemem", "NativeMem.keepThreads")
    t.check("a thread that ends frees its stack", live < size <= n * size <= came, (live, came))


def later(j):
    """A library that is loaded while a recording runs; and a JVM that is killed leaves what it held at a moment before."""
    copy = t.path("libwicknativemem-copy.so")
    shutil.copy(f"{LIBS}/libwicknativemem_lazy.so", copy)
    file = t.path("later.jfr")
    start(j, file)
    images = t.status(j.pid)["nativemem_images"]
    ask(j, f"open {copy}")
    end = time.monotonic() + 60
    while t.status(j.pid)["nativemem_images"] <= images and time.monotonic() < end:
        time.sleep(0.05)
    ask(j, f"copy 1500 {BYTES}")
    # what is written waits for the file, where a moment may be when less had been allocated; 0.18 is less than what is allowed below
    t.until(lambda: abs(bytes_of(file, "nativelive", "NativeMem.leakInCopy") / (1500 * BYTES) - 1) <= 0.18, 120, 0.5)
    j.kill()
    check("a library loaded during the recording counts, also where the JVM is killed", 1500, BYTES, bytes_of(file, "nativelive", "NativeMem.leakInCopy"))


def nothing_left(j):
    """The words of all libraries before, during and after many recordings."""
    before = got.words(j.pid)
    file = t.path("words.jfr")
    start(j, file)
    during = got.words(j.pid)
    hooked = got.into(during, j.pid, t.AGENT)
    t.check("while a recording runs calls lead through the agent, of several libraries",
            {w.name for w in hooked} <= NAMES and {"malloc", "free"} <= {w.name for w in hooked} and len({w.path for w in hooked}) > 3, hooked)
    changed = got.differences({k: w for k, w in before.items() if w.name not in NAMES}, during)
    t.check("no other word is", not changed, "\n".join(changed))
    t.stop(j.pid)
    turns = 10 if IN_CI else 50
    copy = t.path("libwicknativemem-stress.so")
    shutil.copy(f"{LIBS}/libwicknativemem_now.so", copy)
    j.say(f"stress {copy} {turns * 400}")
    failed = []
    for turn in range(turns):
        r = t.start(j.pid, file, "-e", ("nativemem=0", "cpu,nativemem=4k", "nativemem")[turn % 3])
        q = t.stop(j.pid)
        failed += [r, q] if r.status or q.status else []
    t.check(f"{turns} recordings begin and end while threads, handlers, libraries and processes come and go",
            not failed and j.proc.poll() is None, f"{failed[:2]} {j.output()[-2000:]}")
    t.check("the program gets to its end", j.wait_for(r"(?m)^stressed", 240), j.output()[-2000:])
    left = got.differences(before, got.words(j.pid), NAMES)
    t.check("each word and each page's protection is as before", not left, "\n".join(left))
    t.check("and none leads into the agent", not got.into(got.words(j.pid), j.pid, t.AGENT))


def allocators():
    """Allocators that are preloaded."""
    for name in ("jemalloc", "tcmalloc_minimal"):
        found = glob.glob(f"/usr/lib/x86_64-linux-gnu/lib{name}.so.*")
        if not found:
            t.skip(f"{name}: it is recorded", f"lib{name} is not installed")
            continue
        j = program("now", name, {"LD_PRELOAD": found[0]})
        loaded = any(found[0] in m.path or os.path.realpath(found[0]) == m.path for m in got.mappings(j.pid))
        t.check(f"{name}: it is in force", loaded)
        sites(j, name, 600)
        j.kill()


lazy = program("lazy", "lazy")
sites(lazy, "lazy")
events(lazy)
thread_stacks(lazy)
nothing_left(lazy)
later(lazy)
allocators()
t.done()
