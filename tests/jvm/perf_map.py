#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 17 25
"""`perf record -a -g`, `wick map` and `wick convert` together: stacks from the kernel to Java, of a JVM and of a native
program at once."""
import os
import re
import shutil
import stat
import subprocess

import jvmtest as t

classes = t.compile_java("Busy")
data, text, folded = t.path("perf.data"), t.path("perf.txt"), t.path("perf.collapsed")


def why_not():
    """Why perf cannot be used here; None if it can."""
    if not shutil.which("perf"):
        return "there is no perf (Debian's package linux-perf; tools/setup test installs it)"
    r = t.run("perf", "record", "-a", "-g", "-e", "cpu-clock", "-o", data, "--", "sleep", "0.1")
    return None if r.status == 0 else "perf may not record: " + r.err.strip().splitlines()[-1]


def check_file(pid):
    """The file is a plain one of our own, not even readable for others, and a link in its place was not followed."""
    name, precious = f"/tmp/perf-{pid}.map", t.path("precious")
    with open(precious, "w") as f:
        f.write("precious")
    if os.path.lexists(name):
        os.unlink(name)
    os.symlink(precious, name)
    r = t.wick("map", pid)
    t.check("map succeeds", r.status == 0 and re.search(rf"{pid}: \d+ symbols", r.out), r)
    st = os.lstat(name)
    t.check("the map is a plain file that belongs to us", stat.S_ISREG(st.st_mode) and st.st_uid == os.geteuid())
    t.check("others cannot read it", stat.S_IMODE(st.st_mode) == 0o600, oct(st.st_mode))
    with open(precious) as f:
        t.check("a link that lay there was replaced, not followed", f.read() == "precious")
    with open(name) as f:
        bad = [line for line in f if not re.fullmatch(r"[0-9a-f]+ [0-9a-f]+ .+\n", line)]
    t.check("every line is an address, a size and a name", not bad, "".join(bad))
    return name


def check_stacks():
    with open(folded) as f:
        stacks = [line.rsplit(" ", 1) for line in f]
    java = [s for s, _ in stacks if "Busy.chain_[j]" in s]
    t.check("compiled Java methods have their names", java, "".join(s + "\n" for s, _ in stacks[:20]))
    whole = [s for s in java if re.search(r"_\[p\];.*Interpreter_\[s\];.*Busy\.chain_\[j\]", s)]
    t.check("below them are the interpreter and the JVM's C++", whole, "\n".join(java[:10]))
    native = [s for s, _ in stacks if s.startswith("dd_[x]")]
    t.check("a native program is in the same picture, down to the kernel",
            any("_[k]" in s for s in native), "\n".join(native[:10]))
    samples = sum(int(n) for _, n in stacks)
    with open(text) as f:
        heads = sum(1 for line in f if line[0] not in "\t\n#")
    t.check("every sample of perf is there", samples == heads, f"{samples}, perf script has {heads}")


reason = why_not()
jvm = t.Jvm(["-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-cp", classes, "Busy", "chain"], "busy")
jvm.wait_for("up")
map_file = check_file(jvm.pid)
if reason:
    t.skip("perf record, map and flame graph", reason)
else:
    load = subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/null", "bs=64k"], stderr=subprocess.DEVNULL)
    r = t.run("perf", "record", "-F", "199", "-a", "-g", "-e", "cpu-clock", "-o", data, "--", "sleep", "4")
    load.kill()
    load.wait()
    t.check("perf records", r.status == 0, r)
    t.check("map while the JVM runs", t.wick("map", jvm.pid).status == 0)
    with open(text, "w") as f:
        subprocess.run(["perf", "script", "-i", data], stdout=f, stderr=subprocess.DEVNULL)
    r = t.wick("convert", "--samples", "--annotate", text, folded)
    if t.check("the text of perf script is converted", r.status == 0, r):
        check_stacks()
    t.check("map --inlined", t.wick("map", "--inlined", jvm.pid).status == 0)
    with open(text, "w") as f:
        subprocess.run(["perf", "script", "-i", data], stdout=f, stderr=subprocess.DEVNULL)
    t.wick("convert", "--samples", "--annotate", text, folded)
    with open(folded) as f:
        stacks = f.read()
    t.check("then methods inlined into it are frames of their own",
            re.search(r"Busy\.chain_\[j\];(Busy\.\w+_\[i\];)*Busy\.mix_\[i\]", stacks), stacks[:4000])
    page = t.path("perf.html")
    r = t.wick("flame", text, "-o", page)
    t.check("and drawn", r.status == 0 and os.path.getsize(page) > 10000, r)
jvm.kill()
r = t.wick("map", jvm.pid)
t.check("of a process that has ended there is no map", r.status == 4, r)
if os.path.exists(map_file):
    os.unlink(map_file)
t.done()
