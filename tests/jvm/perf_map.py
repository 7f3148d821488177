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
import tempfile

import jvmtest as t

classes = t.compile_java("Busy")
data, text, folded = t.path("perf.data"), t.path("perf.txt"), t.path("perf.collapsed")


def why_not():
    """Why perf cannot be used here; None if it can."""
    if not shutil.which("perf"):
        return "there is no perf (Debian's package linux-perf; tools/setup test installs it)"
    r = t.run("perf", "record", "-a", "-g", "-e", "cpu-clock", "-o", data, "--", "sleep", "0.1")
    return None if r.status == 0 else "perf may not record: " + r.err.strip().splitlines()[-1]


def works(jvm, seconds):
    """A command that ends once the JVM has used so much CPU time from its start on."""
    script = "at() { cut -d')' -f2 /proc/$0/stat | awk '{ print $12 + $13 }'; }; end=$(($(at) + $1)); while [ $(at) -lt $end ]; do sleep 0.1; done"
    return ["sh", "-c", script, str(jvm.pid), str(int(seconds * t.HZ))]


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


def check_compare(name):
    """What an older map says of free places is kept, what it says of others is marked. (It is made by hand: a JVM throws
    code away when it likes to.)"""
    t.check("map while the JVM runs", t.wick("map", jvm.pid).status == 0)
    with open(name) as f:
        symbols = [line.split(" ", 2) for line in f]
    symbols.sort(key=lambda s: int(s[0], 16))
    start, size, _ = next(s for s in symbols if s[2] == "Interpreter\n")
    end = max(int(s[0], 16) + int(s[1], 16) for s in symbols)
    with open(name, "w") as f:
        f.write(f"{start} {size} Foo.bar\n{end + (1 << 40):x} 40 Gone.by\n")
    r = t.wick("map", "--compare", jvm.pid)
    t.check("map --compare", r.status == 0 and "1 stale, 1 changed" in r.out, r)
    with open(name) as f:
        text = f.read()
    t.check("code at a place that held other code is marked", f"{start} {size} Interpreter [changed]\n" in text, text[:2000])
    t.check("code that has gone is kept and marked", f"{end + (1 << 40):x} 40 Gone.by [stale]\n" in text, text[-2000:])


def check_foreign(name):
    """A map that somebody else has put there is not believed."""
    if os.geteuid() != 0:
        t.skip("another user's map is not compared with", "only root can make one")
        return
    with open(name, "w") as f:
        f.write("1000 10 Foo.bar\n")
    os.chown(name, 65534, 65534)
    r = t.wick("map", "--compare", jvm.pid)
    t.check("another user's map is not compared with", r.status == 0 and "0 stale, 0 changed" in r.out, r)
    t.check("and replaced by one of ours", os.stat(name).st_uid == os.geteuid())


def check_jitdump():
    """perf itself takes the dump, and then names methods without a map."""
    folder, joined = t.path("jit"), t.path("jit.data")
    os.mkdir(folder)
    if os.path.exists(map_file):
        os.unlink(map_file)
    r = t.wick("map", "--jitdump", folder, jvm.pid, "--", "perf", "record", "-q", "-k", "mono", "-F", "199", "-a", "-g",
               "-e", "cpu-clock", "-o", data, "--", *works(jvm, 0.6))
    t.check("map --jitdump", r.status == 0 and re.search(r"\d+ symbols in ", r.out), r)
    r = t.run("perf", "inject", "--jit", "-i", data, "-o", joined)
    t.check("perf inject --jit accepts it", r.status == 0 and os.path.exists(joined), r)
    made = [n for n in os.listdir(folder) if n.endswith(".so")]
    t.check("perf has made a file of each piece of code", made, os.listdir(folder)[:10])
    with open(text, "w") as f:
        subprocess.run(["perf", "script", "-i", joined], stdout=f, stderr=subprocess.DEVNULL)
    with open(text, errors="replace") as f:  # it also has the names of other programs
        t.check("perf script names methods by it", "Busy.chain" in f.read())
    for source in (joined, text):
        r = t.wick("convert", "--annotate", source, folded)
        with open(folded, errors="replace") as f:
            t.check(f"wick reads them as Java from {os.path.basename(source)}",
                    r.status == 0 and "Interpreter_[s];Busy.chain_[j]" in f.read(), r)


def check_container():
    """A JVM with a /tmp of its own: the map goes there, perf.data is read with it, and the /tmp of all stays as it is."""
    # the classes may lie below /tmp themselves
    private = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" /mnt && mount -t tmpfs tmpfs /tmp && exec "$@"', classes)
    if t.run(*private, "true").status:
        t.skip("a JVM with a /tmp of its own", "mount namespaces are not allowed here")
        return
    other = t.Jvm(["-XX:+PreserveFramePointer", "-cp", "/mnt", "Busy", "chain"], "boxed", prefix=private)
    t.check("a JVM with a /tmp of its own starts", other.wait_for("up"), other.output())
    t.work_for(other, 1)
    name = f"tmp/perf-{other.pid}.map"
    r = t.wick("map", other.pid)
    t.check("map of a JVM with a /tmp of its own", r.status == 0 and "of its container" in r.out, r)
    t.check("it lies in there and nowhere else",
            os.path.exists(f"/proc/{other.pid}/root/{name}") and not os.path.exists("/" + name))
    r = t.wick("record", "--perf", "-e", "cpu-clock", "-d", "5", "-f", t.path("boxed.data"), other.pid)
    t.check("record --perf of that JVM", r.status == 0, r)
    r = t.wick("convert", "--annotate", "--to", "collapsed", t.path("boxed.data"))
    t.check("its methods are named", "Busy.chain_[j]" in r.out, r.out[:2000] + r.err)
    other.kill()


def hidden():
    return [f for f in os.listdir("/tmp") if f.startswith(".wick-")]


def check_removed():
    """record --perf takes its maps away at the end, and nothing else: here of a JVM that is killed during the recording."""
    for name, is_replaced in (("its own map", False), ("another file", True)):
        other = t.Jvm(["-cp", classes, "Busy", "chain"], "killed")
        other.wait_for("up")
        at = f"/tmp/perf-{other.pid}.map"
        record = subprocess.Popen([t.WICK, "record", "--perf", "-a", "-e", "cpu-clock", "-d", "15", "-f", t.path("killed.collapsed")],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        t.check(f"{name}: the JVM is mapped", t.until(lambda: os.path.exists(at)))
        other.kill()
        if is_replaced:
            begun = set(hidden())
            t.until(lambda: not begun & set(hidden()))  # a map that was just being written
            with tempfile.NamedTemporaryFile("w", dir="/tmp", delete=False) as f:
                f.write("mine")
            os.rename(f.name, at)
        t.check(f"{name}: record --perf", record.wait() == 0)
        t.check(f"{name}: it is {'kept' if is_replaced else 'removed'}", os.path.exists(at) == is_replaced)
        if os.path.exists(at):
            os.unlink(at)


def check_stacks():
    with open(folded, errors="replace") as f:
        stacks = [line.rsplit(" ", 1) for line in f]
    java = [s for s, _ in stacks if "Busy.chain_[j]" in s]
    t.check("compiled Java methods have their names", java, "".join(s + "\n" for s, _ in stacks[:20]))
    whole = [s for s in java if re.search(r"_\[p\];.*Interpreter_\[s\];.*Busy\.chain_\[j\]", s)]
    t.check("below them are the interpreter and the JVM's C++", whole, "\n".join(java[:10]))
    native = [s for s, _ in stacks if s.startswith("dd_[x]")]
    t.check("a native program is in the same picture, down to the kernel",
            any("_[k]" in s for s in native), "\n".join(native[:10]))
    samples = sum(int(n) for _, n in stacks)
    with open(text, errors="replace") as f:  # it also has the names of other programs
        heads = sum(1 for line in f if line[0] not in "\t\n#")
    t.check("every sample of perf is there", samples == heads, f"{samples}, perf script has {heads}")


reason = why_not()
jvm = t.Jvm(["-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-cp", classes, "Busy", "chain"], "busy")
jvm.wait_for("up")
t.work_for(jvm, 3)  # it is compiled by then
map_file = check_file(jvm.pid)
if reason:
    t.skip("perf record, map and flame graph", reason)
else:
    load = subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/null", "bs=64k"], stderr=subprocess.DEVNULL)
    r = t.run("perf", "record", "-F", "199", "-a", "-g", "-e", "cpu-clock", "-o", data, "--", *works(jvm, 0.6))
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
    with open(folded, errors="replace") as f:
        stacks = f.read()
    t.check("then methods inlined into it are frames of their own",
            re.search(r"Busy\.chain_\[j\];(Busy\.\w+_\[i\];)*Busy\.mix_\[i\]", stacks), stacks[:4000])
    page = t.path("perf.html")
    r = t.wick("flame", text, "-o", page)
    t.check("and drawn", r.status == 0 and os.path.getsize(page) > 10000, r)
    check_jitdump()
    check_container()
    check_removed()
check_compare(map_file)
check_foreign(map_file)
jvm.kill()
r = t.wick("map", jvm.pid)
t.check("of a process that has ended there is no map", r.status == 4, r)
if os.path.exists(map_file):
    os.unlink(map_file)
t.done()
