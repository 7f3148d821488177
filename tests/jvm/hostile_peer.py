#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A process that only poses as a JVM with wick's agent in it must not choose what the user of wick writes.

The attack: a process of another user (`nobody` where the test runs as root) maps a file named libjvm.so, listens on the
socket's name and answers with paths and descriptors of its own choice. Another one is root in a mount namespace of its own, and
keeps the descriptors that it is handed.
"""
# once
import json
import mmap
import os
import re
import signal
import socket
import stat
import sys
import time

PEER = sys.argv[1] if sys.argv[1:2] in (["--peer"], ["--keeper"]) else None
if not PEER:
    import jvmtest as t

NOBODY = 65534


RECORDED = b"FLR\0recorded by the target\n"


def misuse(kept):
    """What root of a container can do with a file of the host's root that it has a descriptor of."""
    for f in kept:
        os.fchmod(f, 0o6777)
        os.pwrite(f, b"#!/bin/sh\n", 0)


def keeper(folder, build):
    """The other attacker: writes a recording, keeps the file, and misuses it when it is asked to."""
    lib = os.open(folder + "/libjvm.so", os.O_RDONLY)
    keep = mmap.mmap(lib, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.bind("\0wick/%d/0123456789abcdef" % os.getpid())
    s.listen()
    print("up", flush=True)
    kept, running = [], 0
    while keep:
        c, _ = s.accept()
        while True:
            data, fds, _, _ = socket.recv_fds(c, 65536, 8)
            if not data:
                break
            command = data.split(b"\n", 1)[1].decode(errors="replace").split(",")[0]
            files = [f for f in fds if stat.S_ISREG(os.fstat(f).st_mode)]
            for f in files:
                os.pwrite(f, RECORDED, 0)
            kept += files
            print("asked", command, flush=True)
            text, send = "", []
            if command == "version":
                text = "version=1\nbuild=%s\npid=1\nrunning=%d\n" % (build, running)
            elif command == "status":
                text = "running=%d\nfile=x\nthreads=0\nsamples=1\n" % running
            elif command == "start":
                running = 1
            elif command == "stop":
                running, send = 0, kept[-1:]
            elif command == "misuse":
                misuse(kept)
            socket.send_fds(c, [b"0\n" + text.encode()], send)
        c.close()


def peer(folder):
    """The attacker. What it is to answer is in answer.json; the requests and what came with them go to stdout."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    lib = os.open(folder + "/libjvm.so", os.O_RDONLY)
    keep = mmap.mmap(lib, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.bind("\0wick/%d/0123456789abcdef" % os.getpid())
    s.listen()
    print("up", flush=True)
    while keep:
        c, _ = s.accept()
        while True:
            data, fds, _, _ = socket.recv_fds(c, 65536, 8)
            if not data:
                break
            command = data.split(b"\n", 1)[1].decode(errors="replace")
            print("asked", command, [os.fstat(f).st_mode & 0o170000 == 0o040000 for f in fds], flush=True)
            for f in fds:
                os.close(f)
            with open(folder + "/answer.json") as f:
                answer = json.load(f)
            send = []
            if command == "version":
                text = "version=1\nbuild=00\npid=1\nrunning=1\n"
            elif command == "status":
                time.sleep(answer.get("late", 0))
                text = "running=1\nfile=%s\nthreads=0\nsamples=1\n" % answer["file"]
            else:
                text = ""
                if answer.get("fd"):
                    flags = os.O_RDONLY | (os.O_PATH if answer.get("path_only") else 0)
                    send = [os.open(answer["fd"], flags)]
                    if answer.get("unlink"):
                        os.unlink(answer["fd"])
            socket.send_fds(c, [b"0\n" + text.encode()], send)
            for f in send:
                os.close(f)
        c.close()


def tree(folder):
    """Every file below with its content."""
    out = {}
    for top, dirs, files in os.walk(folder):
        for name in files + dirs:
            p = os.path.join(top, name)
            out[p] = open(p, "rb").read() if os.path.isfile(p) and not os.path.islink(p) else "-"
    return out


def stop(attacker, answer, *options, cwd):
    with open(t.path("peer/answer.json"), "w") as f:
        json.dump(answer, f)
    os.chmod(t.path("peer/answer.json"), 0o644)
    here = os.getcwd()
    os.chdir(cwd)
    try:
        return t.wick("stop", *([] if "--attach-timeout" in options else t.PATIENT), *options, attacker.pid)
    finally:
        os.chdir(here)


def kept_files(folder):
    """Files that a target with other mounts keeps are not those that stay."""
    if os.geteuid() != 0 or t.run("unshare", "-m", "true").status:
        t.skip("a target that keeps the files", "needs root")
        return
    build = re.search(r"\(build (\w+)\)", t.wick("version").out).group(1)
    attacker = t.Jvm([os.path.abspath(__file__), "--keeper", folder, build], name="keeper", java=sys.executable, prefix=("unshare", "-m"))
    if not attacker.wait_for("up"):
        t.check("the attacker that keeps files is up", False, attacker.output())
        return
    private = t.path("kept")
    os.mkdir(private, 0o700)
    here = t.PATIENT

    def old_file(name):
        """A recording that is there already, of a mode that lets others at it, with another name."""
        with open(f"{private}/{name}", "wb") as f:
            f.write(RECORDED * 2)
        os.chmod(f"{private}/{name}", 0o666)
        os.link(f"{private}/{name}", f"{private}/{name}.old")

    def stays(title, name, ways, status=(0,)):
        for words in ways:
            r = t.wick(*words, attacker.pid)
            if not t.check(f"{title}: {words[0]}", r.status in status, r):
                return
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.connect("\0wick/%d/0123456789abcdef" % attacker.pid)
            s.send(b"\nmisuse")
            s.recv(100)
        with open(f"{private}/{name}", "rb") as f:
            content = f.read()
        mode = stat.S_IMODE(os.stat(f"{private}/{name}").st_mode)
        t.check(f"{title}: the file stays as the command wrote it", (content, mode) == (RECORDED, 0o600), (content, oct(mode)))
    old_file("d.jfr")
    stays("dump", "d.jfr", [("dump", *here, "-f", private + "/d.jfr")])
    with open(private + "/d.jfr.old", "rb") as f:
        t.check("what had the name before stays under its other name", f.read() == RECORDED * 2)
    t.check("nothing else is left there", sorted(os.listdir(private)) == ["d.jfr", "d.jfr.old"], os.listdir(private))
    stays("a picture that cannot be drawn", "p.html.jfr", [("dump", *here, "-f", private + "/p.html")], status=range(1, 20))
    record = ("record", *here, "--lib", t.AGENT, "-d", "1")
    stays("record --keep-running", "k.jfr", [(*record, "--keep-running", "-f", private + "/k.jfr")])
    stays("start and stop", "s.jfr", [("start", *here, "--lib", t.AGENT, "-f", private + "/s.jfr"), ("stop", *here)])
    attacker.kill()


def main():
    os.chmod(t.WORK, 0o755)
    folder, private = t.path("peer"), t.path("private")
    os.mkdir(folder)
    os.mkdir(private, 0o700)  # the user's own: nobody cannot write here
    os.chmod(folder, 0o777)
    with open(folder + "/libjvm.so", "wb") as f:
        f.write(b"\0" * 8192)
    os.chmod(folder + "/libjvm.so", 0o755)
    forged = folder + "/forged.jfr"

    def forge(content=b"forged by the target\n"):
        with open(forged, "wb") as f:
            f.write(content)
        os.chmod(forged, 0o666)
    forge()
    attacker = t.Jvm([os.path.abspath(__file__), "--peer", folder], name="peer", java=sys.executable)
    if not attacker.wait_for("up"):
        t.check("the attacker is up", False, attacker.output())
        t.done()

    before = tree(private)
    for name in ("new.jfr", "new.html", "new.collapsed", "new-%n.jfr"):
        r = stop(attacker, {"file": f"{private}/{name}", "fd": forged}, cwd=private)
        t.check(f"the peer names {name} in a private directory: nothing is written", tree(private) == before,
                (r, tree(private)))
        t.check(f"but its name is shown ({name})", r.status == 0 and name in r.err, r)
    with open(private + "/precious.jfr", "w") as f:
        f.write("precious")
    before = tree(private)
    r = stop(attacker, {"file": f"{private}/precious.jfr", "fd": forged}, cwd=private)
    t.check("a file that is there is not replaced", tree(private) == before, (r, tree(private)))
    r = stop(attacker, {"file": f"{private}/new\x1b]0;x\x07.jfr", "fd": forged}, cwd=private)
    t.check("its name reaches the terminal without control characters", not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", r.err), r)
    r = stop(attacker, {"file": f"{private}/other.jfr", "fd": forged}, "-f", private + "/mine.jfr", cwd=private)
    t.check("with -f: what is no recording is not copied, and the refusal says so",
            r.status > 0 and "not a JFR recording" in r.err and tree(private) == before, (r, tree(private)))
    magic = b"FLR\0forged by the target\n"
    forge(magic)
    r = stop(attacker, {"file": f"{private}/other.jfr", "fd": forged}, "-f", private + "/mine.jfr", cwd=private)
    t.check("with -f the recording goes where the user says, and only there",
            set(tree(private)) - set(before) == {private + "/mine.jfr"}
            and tree(private)[private + "/mine.jfr"] == magic, (r, tree(private)))
    os.unlink(private + "/mine.jfr")
    forge()
    # A descriptor without the right to read: opened anew by root it would show what nobody may not see.
    if os.geteuid() == 0:
        with open(t.path("secret"), "w") as f:
            f.write("root's secret")
        os.chmod(t.path("secret"), 0o600)
        r = stop(attacker, {"file": "x", "fd": t.path("secret"), "path_only": True}, "-f", private + "/leak.html",
                 cwd=private)
        t.check("a descriptor that its sender cannot read is refused", r.status != 0 and tree(private) == before,
                (r, tree(private)))
    else:
        t.skip("a descriptor that its sender cannot read is refused", "needs root")
    r = stop(attacker, {"file": "x", "fd": "/dev/null"}, "-f", private + "/null.jfr", cwd=private)
    t.check("a device instead of a recording is refused", r.status != 0 and tree(private) == before, (r, tree(private)))
    # A length that nothing stands behind costs the peer nothing; its copy would fill the disk.
    with open(folder + "/holes.jfr", "wb") as f:
        f.write(b"FLR\0" + b"x" * 8000)
        f.truncate(1 << 40)
    os.chmod(folder + "/holes.jfr", 0o666)
    for name in ("holes.jfr", "holes.html"):
        r = stop(attacker, {"file": "x", "fd": folder + "/holes.jfr"}, "-f", f"{private}/{name}", cwd=private)
        t.check(f"a file of holes is not copied ({name})", r.status > 0 and tree(private) == before, r)
    # An unnamed file and no note of ours: the default name, made by the command, is all that may appear.
    r = stop(attacker, {"file": f"{private}/new.html", "fd": forged, "unlink": True}, cwd=private)
    forge()
    names = [os.path.basename(p) for p in set(tree(private)) - set(before)]
    t.check("an unnamed recording goes to wick's own name, never the peer's",
            "new.html" not in names and all(re.match(r"wick-[\w.-]+$", n) for n in names), (r, names))
    r = stop(attacker, {"file": f"{private}/late.jfr", "fd": forged, "late": 15}, "--attach-timeout", "10", cwd=private)
    t.check("a delayed status: `wick stop` waits for it and stops",
            r.status == 0 and "late.jfr" in r.err and "asked stop" in attacker.output().rpartition("asked status")[2],
            (r, attacker.output()[-300:]))
    attacker.kill()
    kept_files(folder)
    t.done()


if PEER:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.close(0)
    try:
        (peer if PEER == "--peer" else keeper)(*sys.argv[2:])
    except KeyboardInterrupt:
        pass
    os._exit(0)
main()
