#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One libwick.so for older C libraries: a JVM in a root file system with Debian 11's glibc 2.31, attached from outside and
started with -agentpath; and a program linked with musl. No JVM built for musl is in Debian, so with musl only what needs no
Java is run: loading with every symbol bound, set-up (refused, as that program offers no JVMTI), the socket, and the end.
"""
# once
import os
import re
import shutil

import jvmtest as t

SUITE = "bullseye"
GLIBC = "2.31"
JAVA = "/usr/lib/jvm/java-11-openjdk-amd64/bin/java"


def in_root(root, mounts):
    """What a process in `root` is started with: mounts of its own, and no fork, so that the pid stays."""
    script = "mount -t proc none $0/proc && mount --rbind /dev $0/dev"
    script += "".join(f" && mount --bind {source} $0/{target}" for source, target in mounts)
    return ["unshare", "-m", "sh", "-c", script + ' && exec chroot $0 "$@"', root]


def make_root():
    """(the C libraries in a folder of this test's, with places for what is mounted; the tree of that suite's JDK), or
    (None, why they cannot be had)."""
    got = t.run(t.ROOT + "/tools/get-root", SUITE, seconds=600)
    jdk = t.run(t.ROOT + "/tools/get-jdk", "11", seconds=600)
    if got.status or jdk.status:
        return None, got.err + jdk.err
    root = t.path("root")
    t.run("cp", "-a", got.out.strip(), root)
    for name in ("proc", "dev", "tmp", "classes", "agent", "usr/lib/jvm"):
        os.makedirs(f"{root}/{name}", exist_ok=True)
    shutil.copy(t.AGENT, root + "/agent/libwick.so")
    return root, os.path.realpath(jdk.out.strip()).removesuffix(os.path.dirname(os.path.dirname(JAVA)))


def libc_of(pid):
    """The C libraries that a process has mapped."""
    with open(f"/proc/{pid}/maps") as f:
        return set(re.findall(r"/(libc-[\d.]+\.so|libc\.so\S*|ld-musl\S*)$", f.read(), re.M))


def check_recording(title, file):
    """Both kinds of samples, with Java frames down to the work. Busy computes all the time, so a second has hundreds; a machine
    that runs it at a hundredth of a processor still gives some."""
    for event in ("cpu", "wall"):
        r = t.wick("convert", "--samples", "-e", event, "--to", "collapsed", "-o", "-", file)
        counts = [line.rpartition(" ") for line in r.out.splitlines()]
        java = sum(int(n) for stack, _, n in counts if "java.lang.Thread.run;Busy" in stack and ";Busy.chain" in stack)
        t.check(f"{title}: {event} samples lead from Thread.run to the work", java >= 3, (r.err, [(s[-60:], n) for s, _, n in counts[:20]]))
    t.check(f"{title}: the file is whole", not (said := t.jfr_complaints(file, versions=(17,))), said)


def test_jvm(root, tree):
    mounts = [(tree + "/usr/lib/jvm", "usr/lib/jvm"), (tree + "/etc", "etc"), (t.compile_java("Busy"), "classes")]
    busy = ["-Xmx128m", "-cp", "/classes", "Busy", "chain"]

    j = t.Jvm(busy, java=JAVA, prefix=in_root(root, mounts))
    if not t.check("a JVM runs there", j.wait_for("up"), j.output()):
        return
    t.check(f"on glibc {GLIBC}", libc_of(j.pid) == {f"libc-{GLIBC}.so"}, libc_of(j.pid))
    file = t.path("outside.jfr")
    r = t.wick("start", "--attach-timeout", "60", "--lib", t.AGENT, "-q", "-e", "cpu,wall", "-i", "5ms", "-f", file, j.pid)
    t.check("attached from outside", r.status == 0, r)
    t.work_for(j, 1)
    r = t.wick("stop", "-q", "--attach-timeout", "60", j.pid)
    t.check("and stopped", r.status == 0, r)
    check_recording("attached", file)
    j.kill()

    agent = "-agentpath:/agent/libwick.so=start,event=cpu,interval=5ms,wall=5ms,file=/tmp/inside.jfr"
    j = t.Jvm([agent, *busy], java=JAVA, prefix=in_root(root, mounts))
    t.check("a JVM starts with -agentpath", j.wait_for("up"), j.output())
    t.work_for(j, 1)
    j.say("exit")
    t.check("and ends", j.wait() == 0, j.output())
    check_recording("-agentpath", root + "/tmp/inside.jfr")


def test_musl(root):
    """A program linked with musl. Its compiler is this machine's, with musl's headers and start files."""
    libs = root + "/usr/lib/x86_64-linux-musl"
    headers = t.run("gcc", "-print-file-name=include").out.strip()
    r = t.run("gcc", "-O1", "-nostdinc", "-isystem", root + "/usr/include/x86_64-linux-musl", "-isystem", headers, "-nostdlib",
              "-fPIE", "-pie", "-o", root + "/agent/load", libs + "/Scrt1.o", libs + "/crti.o", t.HERE + "/musl_load.c",
              "-L", root + "/lib/x86_64-linux-musl", "-lc", libs + "/crtn.o", "-Wl,-dynamic-linker,/lib/ld-musl-x86_64.so.1")
    if not t.check("a program is linked with musl", r.status == 0, r):
        return
    p = t.Jvm(["/agent/libwick.so"], java="/agent/load", prefix=in_root(root, []))
    t.check("musl loads the agent", p.wait_for(r"loaded; Agent_OnLoad -1, Agent_OnAttach 0\n"), p.output())
    t.check("its set-up runs until JVMTI is wanted", "wick: this JVM offers no JVMTI\n" in p.output(), p.output())
    t.check("no C library but musl is there", libc_of(p.pid) == {"libc.so"}, libc_of(p.pid))
    t.check("the agent's thread runs", any(n.startswith("wick") for n in p.threads()), p.threads())
    p.proc.stdin.close()
    t.check("the agent ends", p.wait() == 0 and p.output().endswith("ended\n"), p.output())


def main():
    if os.geteuid() != 0 or t.run("unshare", "-m", "true").status:
        t.skip("older C libraries", "needs root")
        t.done()
    root, tree = make_root()
    if not root:
        t.skip("older C libraries", f"Debian's {SUITE} could not be had: {' '.join(tree.split())[-200:]}")
        t.done()
    test_jvm(root, tree)
    test_musl(root)
    t.done()


main()
