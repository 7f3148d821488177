#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a JVM in a mount namespace of its own is handed: one file, never a directory of the host's.

Through a directory's descriptor Java code could read and replace whatever lies below and beside it on the host.
"""
# once
import json
import os
import subprocess
import time

import jvmtest as t

# A busy machine may keep the agent from answering for long. A stop that gives up leaves the recording running, and every
# check after it fails.
PATIENT = t.PATIENT


def host_directories(jvm, folder):
    """Descriptors of the JVM that lead to the folder."""
    want, out = os.stat(folder), []
    for n in os.listdir(f"/proc/{jvm.pid}/fd"):
        try:
            st = os.stat(f"/proc/{jvm.pid}/fd/{n}")
        except OSError:
            continue
        if (st.st_dev, st.st_ino) == (want.st_dev, want.st_ino):
            out.append(n)
    return out


def start_java(classes, prefix=()):
    j = t.Jvm(["-Xmx64m", "-cp", classes, "Waits"], prefix=prefix)
    if not j.wait_for("up"):
        t.check("the JVM is up", False, j.output())
        t.done()
    return j


def rotates(j, folder):
    """A recording with limits, started and stopped; the descriptors of its directory that the JVM held during it."""
    r = t.wick("start", *PATIENT, "--lib", t.AGENT, "-i", "1ms", "--max-size", "4m", "-f", folder + "/x.jfr", j.pid)
    held = host_directories(j, folder)
    return r, held


def start_wick(*args):
    return subprocess.Popen([t.WICK, *map(str, args)], stderr=subprocess.DEVNULL)


def holds_only_nameless(j):
    """Whether no file of the test's folder that is open in the JVM has a name, or can be given one."""
    names, given = [], t.WORK + "/given-a-name"
    for n in os.listdir(f"/proc/{j.pid}/fd"):
        try:
            link = os.readlink(f"/proc/{j.pid}/fd/{n}")
        except OSError:
            continue
        if link.startswith(t.WORK) and link.endswith(".jfr"):
            names.append(link)
        elif link.startswith(t.WORK) and link.endswith(" (deleted)"):
            try:
                os.link(f"/proc/{j.pid}/fd/{n}", given, follow_symlinks=True)
            except OSError:
                continue
            names.append(f"{link}, linked")
            os.unlink(given)
    return not names, names


def taken(j, name, folder):
    """Recordings in several files of a JVM that may not write into our directories: made by `wick record`."""
    record = ("record", *PATIENT, "--lib", t.AGENT, "-e", "cpu,wall", "-i", "1ms", "--wall", "1ms")
    held = []
    p = start_wick(*record, "-d", "5", "--max-age", "4", "-f", folder + "/y.jfr", j.pid)
    while p.poll() is None:
        held += host_directories(j, folder)
        good, names = holds_only_nameless(j)
        held += [] if good else names
        time.sleep(0.1)
    files = sorted(os.listdir(folder))
    t.check(f"{name}: --max-age: the command makes the files", p.returncode == 0 and len(files) > 1
            and all(f.startswith("y-0000") for f in files), (p.returncode, files))
    t.check(f"{name}: neither the directory nor a file with a name is handed to the JVM", not held, held)
    modes = {f: (os.stat(f"{folder}/{f}").st_uid, oct(os.stat(f"{folder}/{f}").st_mode & 0o7777)) for f in files}
    t.check(f"{name}: they are the user's own", set(modes.values()) == {(os.geteuid(), "0o600")}, modes)
    said = [t.jfr_complaints(f"{folder}/{f}", versions=(21,)) for f in files[-2:]]
    t.check(f"{name}: each is a whole recording", not any(said), said)
    unfinished = [json.loads(t.wick("top", "--json", "-e", "wall", f"{folder}/{f}").out)["unfinished"] for f in files[-2:]]
    t.check(f"{name}: with its end", not any(unfinished), unfinished)
    for f in files:
        os.unlink(f"{folder}/{f}")
    r = t.wick(*record, "-d", "4", "--max-size", "1m", "-f", folder + "/z-%n.jfr", j.pid)
    sizes = {f: os.path.getsize(f"{folder}/{f}") for f in os.listdir(folder)}
    t.check(f"{name}: --max-size, %n: the sizes add up to no more", r.status == 0 and 0 < sum(sizes.values()) <= 1 << 20, (r, sizes))
    for f in sizes:
        os.unlink(f"{folder}/{f}")
    p, held = start_wick(*record, "-d", "3", "-f", folder + "/q-%n.jfr", j.pid), []
    while p.poll() is None:
        held += host_directories(j, folder)
        time.sleep(0.05)
    files = os.listdir(folder)
    t.check(f"{name}: %n alone: the command makes the file", p.returncode == 0 and len(files) == 1 and files[0].startswith("q-"),
            (p.returncode, files))
    t.check(f"{name}: nor is the directory handed to the JVM then", not held, held)
    for f in files:
        os.unlink(f"{folder}/{f}")
    r = t.wick(*record, "--keep-running", "-d", "1", "--max-size", "4m", "-f", folder + "/y.jfr", j.pid)
    t.check(f"{name}: not without the command: the refusal says what to do",
            r.status != 0 and "wick record" in r.err and not os.listdir(folder), (r, os.listdir(folder)))


def other_mounts(classes, foreign):
    j = start_java(classes, prefix=("unshare", "-m"))
    r, held = rotates(j, foreign)
    t.check("--max-size: no descriptor of the directory reaches a JVM with other mounts", not held, (r, held))
    t.check("the refusal says what to do", r.status != 0 and "-f NAME.jfr" in r.err, r)
    taken(j, "other mounts", foreign)
    # Its root could make the file that it holds a program that runs as the host's root.
    p = start_wick("record", *PATIENT, "--lib", t.AGENT, "-e", "cpu,wall", "-d", "2", "-f", foreign + "/z.jfr", j.pid)
    named = []
    while p.poll() is None:
        named += holds_only_nameless(j)[1]
        for n in os.listdir(f"/proc/{j.pid}/fd"):
            try:
                if foreign in os.readlink(f"/proc/{j.pid}/fd/{n}"):
                    os.chmod(f"/proc/{j.pid}/fd/{n}", 0o6777)
            except OSError:
                pass
        time.sleep(0.1)
    mode = os.stat(foreign + "/z.jfr").st_mode & 0o7777
    t.check("one file: the JVM never holds the one that stays", p.returncode == 0 and not named, (p.returncode, named))
    t.check("one file: nor does its mode matter", mode == 0o600 and not t.jfr_complaints(foreign + "/z.jfr", versions=(21,)), oct(mode))
    r = t.wick("start", *PATIENT, "--lib", t.AGENT, "-e", "cpu,wall", "-f", foreign + "/s.jfr", j.pid)
    time.sleep(1)
    good, named = holds_only_nameless(j)
    t.check("start: the JVM does not hold the file that stays", r.status == 0 and good, (r, named))
    d = t.wick("dump", *PATIENT, "-f", foreign + "/d.jfr", j.pid)
    s = t.wick("stop", *PATIENT, j.pid)
    for f, made in (("d.jfr", d), ("s.jfr", s)):
        mode = os.stat(f"{foreign}/{f}").st_mode & 0o7777 if made.status == 0 else 0
        t.check(f"start, dump and stop: {f} is a whole recording, the user's own",
                mode == 0o600 and not t.jfr_complaints(f"{foreign}/{f}", versions=(21,)), (made, oct(mode)))
    j.kill()


def other_user(classes):
    os.chmod(t.WORK, 0o711)
    folder = t.path("private")
    os.mkdir(folder, 0o700)
    # the right to read lets it run a JDK that lies in a directory of root's
    prefix = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+dac_read_search",
              "--ambient-caps=+dac_read_search")
    if t.run(*prefix, t.JAVA, "-version").status:
        t.skip("another user", "it cannot run this JDK")
        return
    j = start_java(classes, prefix=prefix)
    taken(j, "another user", folder)
    j.kill()


def main():
    classes = t.compile_java("Waits")
    own, foreign = t.path("own"), t.path("foreign")
    os.mkdir(own)
    os.mkdir(foreign)

    j = start_java(classes)
    r, _ = rotates(j, own)
    t.check("--max-size: a JVM of this user writes the files itself", r.status == 0, r)
    time.sleep(0.3)
    r = t.wick("stop", *PATIENT, j.pid)
    files = sorted(os.listdir(own))
    t.check("the files are there", r.status == 0 and files and all(f.startswith("x-0000") for f in files), (r, files))
    r = t.wick("start", *PATIENT, "--lib", t.AGENT, "-i", "1ms", "-f", t.path("seq-%n.jfr"), j.pid)
    s = t.wick("stop", *PATIENT, j.pid)
    made = [f for f in os.listdir(t.WORK) if f.startswith("seq-")]
    t.check("%n: so are those of a sequence", r.status == 0 and s.status == 0 and made, (r, s, made))
    r = t.wick("start", *PATIENT, "--lib", t.AGENT, "-i", "1ms", "-e", "cpu,wall", "-f", t.path("x.html"), j.pid)
    time.sleep(1)
    s = t.wick("stop", *PATIENT, j.pid)
    t.check("a picture named at start is drawn at stop", s.status == 0 and os.path.exists(t.path("x.html")), (r, s))
    j.kill()

    if os.geteuid() != 0 or t.run("unshare", "-m", "true").status:
        t.skip("a JVM in a mount namespace of its own", "needs root")
        t.done()
    other_mounts(classes, foreign)
    other_user(classes)
    t.done()


main()
