#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ci: 11 25
"""A program whose threads and stacks are known, on every collector, with the agent there from the start and attached.

The frames must be there, in order and of the right kind; the JDK's own tools must accept each recording. What share of a
thread's samples has them is judged by their number, at t.FALSE_ALARM for each check."""
import time

import jvmtest as t

classes = t.compile_java("Busy")
WORKERS = ["chain", "interp", "lambda", "zip", "kernel", "alloc", "deep=60"]
OPTIONS = ["-Xmx256m", "-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,Busy.interp*",
           "-XX:CompileCommand=dontinline,Busy.alpha", "-cp", classes, "Busy"]
if t.JDK >= 21:  # or the JVM warns of every agent that is attached
    OPTIONS.insert(0, "-XX:+EnableDynamicAgentLoading")
BURST = 4  # broken walks that may have one cause: a place that cannot be walked from, in which a thread is for 8 ms at most
# thread -> frames in order from the root, without kinds; each must be in most of the thread's samples
CHAINS = {
    "chain": ["Busy.chain", "Busy.alpha", "Busy.beta", "Busy.gamma", "Busy.mix"],
    "interp": ["Busy.interp", "Busy.interpMiddle", "Busy.interpLeaf"],
    "zip": ["java/lang/Thread.run", "Busy.zip", "java/util/zip/Deflater.deflate"],
    "kernel": ["Busy.kernel", "java/io/FileInputStream.read"],
    "deep": ["Busy.deep"] * 20,
}


def bare(frame):
    return frame[:-4] if frame.endswith("]") and frame[-4:-2] == "_[" else frame


def has_chain(frames, chain):
    it = iter(frames)
    return all(any(f.replace(".", "/") == c.replace(".", "/") for f in it) for c in chain)


def mostly(rows, p, good):
    """Whether as many samples are good as is credible where p of the CPU time is. None at all is not credible."""
    return bool(rows) and t.weight_of([r for r in rows if good(r[0])]) >= max(1, t.least_of(t.weight_of(rows), p))


def examine(title, file, s, kernel, attached):
    rows = t.stacks(file, samples=True)
    by_thread = {}
    for frames, w in rows:
        by_thread.setdefault(frames[0][1:].split(" tid=")[0], []).append(([bare(f) for f in frames], w, frames))
    for thread, chain in CHAINS.items():
        mine = [(f, w) for f, w, _ in by_thread.get(thread, [])]
        # the rest: start of the thread, the JVM's own work in it, outer frames between two calls
        good = mostly(mine, 0.80 if thread != "deep" else 0.5, lambda f, c=chain: has_chain(f, c))
        others = sorted(((w, f) for f, w in mine if not has_chain(f, chain)), reverse=True)
        t.check(f"{title}: {thread} shows {' > '.join(dict.fromkeys(chain))}", good,
                f"{t.weight_of(mine)} samples, of which others:\n" +
                "\n".join(f"{w} {';'.join(f)[-300:]}" for w, f in others[:12]))
    interp = [(k, w) for _, w, k in by_thread.get("interp", [])]
    t.check(title + ": what is not compiled shows as interpreted",
            mostly(interp, 0.7, lambda f: "Busy.interpLeaf_[i]" not in f and "Busy.interpMiddle_[0]" in f)
            or mostly(interp, 0.7, lambda f: any(x.startswith("Busy.interpMiddle_[") for x in f)),
            [k[-3:] for k, _ in interp[:5]])
    lam = [(f, w) for f, w, _ in by_thread.get("lambda", [])]
    t.check(title + ": the lambda's body is named", mostly(lam, 0.8, lambda f: any("lambda$lambda$" in x for x in f)),
            [f[-5:] for f, _ in lam[:5]])
    z = [(f, w) for f, w, _ in by_thread.get("zip", [])]
    t.check(title + ": native code of zlib stands on its Java caller",
            mostly(z, 0.8, lambda f: "Busy.zip" in f and any("deflate" in x.lower() for x in f[f.index("Busy.zip"):])),
            [f[-6:] for f, _ in z[:5]])
    if kernel:
        # all samples that have kernel frames, but those of page faults, interrupts and the start of the thread
        k = [(f, w) for f, w, kinds in by_thread.get("kernel", []) if kinds[-1].endswith("_[k]")]
        t.check(title + ": the kernel's frames stand on the Java caller",
                mostly(k, 0.8, lambda f: "Busy.kernel" in f and any("read" in x and x.islower() for x in f)),
                [f[-6:] for f, _ in k[:5]])
    vm = [n for n in by_thread if n.startswith(("C1 ", "C2 ", "GC ", "VM Thread", "G1 ", "ZWorker", "ZDriver", "Gang",
                                                "Shenandoah", "Concurrent", "XWorker", "ParGC", "CMS", "Epsilon"))]
    t.check(title + ": threads of the VM itself are named", bool(vm), sorted(by_thread))
    t.check(title + ": no more than 0.5 % broken walks", s["broken"] <= t.most_of(s["samples"], 0.005, BURST), s)
    unknown = [r for r in rows if any(bare(f) in ("[unknown]", "?") for f in r[0][1:])]
    t.check(title + ": no unknown frame", t.weight_of(unknown) <= t.most_of(t.weight_of(rows), 0.001),
            "\n".join(";".join(f)[-300:] for f, _ in unknown[:5]))
    t.check(title + ": counts balance", s["fired"] == s["samples"] + s["dropped"], s)
    complaints = t.jfr_complaints(file)
    t.check(title + ": jfr of JDK 17 and 21 accept the recording", not complaints, complaints)


def record(name, gc, attached):
    title = f"{name} {'attached' if attached else 'from the start'}"
    file = t.path(f"{name}.{attached}.jfr")
    load = [] if attached else [f"-agentpath:{t.AGENT}=start,interval=2ms,file={file}"]
    # Methods compiled before the attach keep their coarse debug information, so the work begins after it.
    j = t.Jvm([*load, *gc, *OPTIONS, *([] if attached else WORKERS)], name)
    if not t.check(title + ": the JVM runs", j.wait_for(r"(?m)^up"), j.output()):
        return
    if attached:
        r = t.start(j.pid, file, "-i", "2ms")
        t.check(title + ": starts", r.status == 0, r)
        for w in WORKERS:
            j.ask("work " + w, "(work)")
    t.work_for(j, 3.5)
    kernel = t.status(j.pid).get("kernel_frames") == 1
    r = t.stop(j.pid)
    s = t.status(j.pid)
    t.check(title + ": stops", r.status == 0, r)
    said = j.output()
    t.check(title + ": the JVM has nothing to say", "WARNING" not in said and "wick" not in said, said)
    j.kill()
    settings = {e["name"]: e["value"] for e in t.events(file, "jdk.ActiveSetting")}
    t.check(title + ": frames are exact (DebugNonSafepoints)", settings.get("exactDebugInfo", "").startswith("true"),
            settings)
    examine(title, file, s, kernel, attached)


def checked_jni():
    """-Xcheck:jni says the same with and without the agent."""
    said = []
    for load in ([], [f"-agentpath:{t.AGENT}=start,interval=1ms,file={t.path('x.jfr')}"]):
        j = t.Jvm(["-Xcheck:jni", *load, "-Xmx256m", "-cp", classes, "Busy", "chain", "zip"], "jni")
        j.wait_for(r"(?m)^up")
        j.ask("short 20 1", r"short (\d+)")
        time.sleep(1)
        j.say("exit")
        j.wait()
        said.append(sorted(set(l for l in j.output().splitlines() if not l.startswith("short "))))
    t.check("-Xcheck:jni has nothing more to say with the agent", said[0] == said[1], said)


for collector, options in t.collectors():
    if collector == "Epsilon":
        options = [*options, "-Xmx4g"]
        OPTIONS_SAVED, OPTIONS[:] = list(OPTIONS), [o for o in OPTIONS if o != "-Xmx256m"]
    for how in (False, True):
        record(collector, options, how)
    if collector == "Epsilon":
        OPTIONS[:] = OPTIONS_SAVED
checked_jni()
t.done()
