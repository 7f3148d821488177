#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
"""No command prints a name as it is: a program whose names hold escape sequences, C1 controls, bidirectional and zero-width
characters goes through every command that prints text, and what they print is searched for such bytes."""
import json
import os
import struct
import subprocess
import zipfile

import jvmtest as t
from heapcheck import jcmd

API = os.path.join(t.BUILD, "java/wick.jar")
EVIL = "evil\x1b]0_owned\x07\x9b2J\u202e\u200b\u3164\ufe0f"
HIDDEN = {0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xfeff, 0xffa0, *range(0x180b, 0x1810), *range(0x200b, 0x2010),
          *range(0x2028, 0x202f), *range(0x2060, 0x2070), *range(0xfdd0, 0xfdf0), *range(0xfe00, 0xfe10), *range(0xfff0, 0xfffc),
          *range(0x1bca0, 0x1bca4), *range(0x1d173, 0x1d17b), *range(0xe0000, 0xe1000), *range(0x7f, 0xa0), *range(0x20)}


def complaints(data, allowed=b"\n"):
    """What stands in the bytes that a terminal must not get, '' if nothing."""
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        return f"no UTF-8: {data[max(0, e.start - 30):e.start + 30]!r}"
    for i, c in enumerate(text):
        if ord(c) in HIDDEN and c.encode() not in allowed:
            return f"U+{ord(c):04X} in {text[max(0, i - 30):i + 30]!r}"
    return ""


def said(*args, status=(0,), allowed=b"\n", input=None, names=True):
    """One command's output; checks it."""
    r = subprocess.run([t.WICK, *map(str, args)], capture_output=True, timeout=600, input=input)
    title = "wick " + " ".join(os.path.basename(str(a)) if "/" in str(a) else str(a) for a in args)
    title = title.encode("ascii", "backslashreplace").decode().replace("\x1b", "ESC").replace("\x07", "BEL")
    bad = complaints(r.stdout, allowed) or complaints(r.stderr)
    t.check(f"{title}: no byte that acts", r.returncode in status and not bad,
            f"status {r.returncode}; {bad}; {r.stderr[-300:]!r}")
    if names:
        t.check(f"{title}: the names are there", b"\\xe2\\x80\\xae" in r.stdout or b"\\u202e" in r.stdout,
                r.stdout[:600])
    return r.stdout


def renamed(data):
    """A class file with EVIL in place of EVIL__ in all names."""
    out, at, left = bytearray(data[:10]), 10, struct.unpack(">H", data[8:10])[0] - 1
    size = {3: 5, 4: 5, 5: 9, 6: 9, 7: 3, 8: 3, 9: 5, 10: 5, 11: 5, 12: 5, 15: 4, 16: 3, 17: 5, 18: 5, 19: 3, 20: 3}
    while left > 0:
        tag = data[at]
        if tag == 1:
            n = struct.unpack(">H", data[at + 1:at + 3])[0]
            text = data[at + 3:at + 3 + n].replace(b"EVIL__", EVIL.encode())
            out += struct.pack(">BH", 1, len(text)) + text
            at += 3 + n
        else:
            out += data[at:at + size[tag]]
            at += size[tag]
        left -= 2 if tag in (5, 6) else 1
    return bytes(out) + data[at:]


def jar():
    """The program, in a file with a hostile name: it is the JVM's main."""
    classes = t.compile_java("HostileNames", classpath=API)
    file = t.path(EVIL + ".jar")
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: HostileNames\n"
                                           f"Class-Path: file:{API}\n")
        for name in os.listdir(classes):
            if name.startswith("HostileNames"):
                with open(os.path.join(classes, name), "rb") as f:
                    z.writestr(name.replace("EVIL__", EVIL), renamed(f.read()))
    return file


def content(file):
    with open(file, "rb") as f:
        return f.read()


def live(j):
    said("ps")
    json.loads(said("ps", "--json"))
    said("stack", j.pid)
    said("status", j.pid)
    json.loads(said("status", "--json", j.pid, names=False))
    said("stack", "--virtual", j.pid)
    json.loads(said("stack", "--virtual", "--json", j.pid))
    said("doctor", j.pid, status=(0, 1, 3, 4, 5), names=False)
    said("map", j.pid, names=False)
    # as soon as the JIT has compiled that method
    t.until(lambda: t.wick("map", j.pid).status or b"spinevil" in content(f"/tmp/perf-{j.pid}.map"), 240)
    text = content(f"/tmp/perf-{j.pid}.map")
    os.unlink(f"/tmp/perf-{j.pid}.map")
    t.check("perf's map: no byte that acts", not complaints(text), complaints(text))
    t.check("perf's map: the names are there", b"spinevil\\x1b]" in text)
    said("memory", j.pid, names=False)
    json.loads(said("memory", "--json", j.pid, names=False))
    heap(j)


def heap(j):
    """A live JVM's heap, and two dumps whose names are hostile as well as what they hold."""
    for options in (["--histogram"], []):
        said("heap", *options, "--class", "HostileNames", "-n", "0", j.pid)
        json.loads(said("heap", *options, "--class", "HostileNames", "-n", "0", "--json", j.pid))
    dump = t.path(EVIL + ".hprof")
    r = jcmd(j, "GC.heap_dump", dump)
    t.check("the JVM dumps its heap", os.path.exists(dump), r)
    said("heap", "-n", "0", dump)
    said("heap", "-n", "0", dump, dump)
    json.loads(said("heap", "-n", "0", "--json", dump))
    said("heap", "--path", "LockEVIL__".replace("EVIL__", EVIL), dump)
    with open(dump, "rb+") as f:
        f.truncate(os.path.getsize(dump) // 2)
    said("heap", dump, status=range(1, 20), names=False)


def recorded(file):
    for command in ("top", "locks", "explain", "endpoints", "ttsp"):
        has = command != "ttsp"
        said(command, file, names=has)
        json.loads(said(command, "--json", file, names=has))
    said("top", "--by", "thread", file)
    said("memory", file, status=(0, 4), names=False)
    said("locks", "--stacks", file)
    text = said("trace", file).decode()
    json.loads(said("trace", "--json", file))
    ids = [w for line in text.splitlines() for w in line.split() if len(w) == 32 and not w.strip("0123456789abcdef")]
    if ids:
        said("trace", file, ids[0])
        json.loads(said("trace", "--json", file, ids[0]))
    said("diff", "-n", "0", file, file)
    json.loads(said("diff", "--json", "-n", "0", file, file))
    for form in ("collapsed", "csv", "json", "speedscope", "firefox", "chrome"):
        said("convert", "--to", form, file, "-", allowed=b"\r\n" if form == "csv" else b"\n", status=(0, 2),
             names=False)
    collapsed = said("convert", "--to", "collapsed", "-t", file, "-")
    csv = said("convert", "--to", "csv", file, "-", allowed=b"\r\n")
    t.check("the stacks are whole", b"spinevil\\x1b]" in collapsed and b"spinevil\\x1b]" in csv)
    said("flame", file, "-o", t.path("drawn.collapsed"), names=False)
    with open(t.path("drawn.collapsed"), "rb") as f:
        drawn = f.read()
    t.check("wick flame writes collapsed stacks without a byte that acts", drawn and not complaints(drawn), complaints(drawn))
    plain = said("convert", "--to", "collapsed", file, "-")
    back = t.path("back.collapsed")
    with open(back, "wb") as f:
        f.write(plain)
    t.check("collapsed stacks are read back as they were", said("convert", "--to", "collapsed", back, "-") == plain)


def complained(j, file):
    """Messages quote names of files, and operands."""
    hostile = t.path(EVIL + ".jfr")
    with open(file, "rb") as f, open(hostile, "wb") as g:
        g.write(f.read()[:-1000])
    said("top", hostile, status=range(10))
    said("top", t.path(EVIL + ".none"), status=range(1, 20), names=False)
    said("convert", "--to", EVIL, file, "-", status=range(1, 20), names=False)
    said("flame", "--min-width", EVIL, file, status=range(1, 20), names=False)
    said("record", "-f", t.path("none.html"), "--", t.path(EVIL), status=(127,), names=False)
    said("explain", "-d", "1", "-f", t.path(EVIL + ".kept.jfr"), j.pid)


j = t.Jvm(["-Xmx128m", "-XX:+EnableDynamicAgentLoading", "-jar", jar()], "hostile", env={"LC_ALL": "C.UTF-8"})
if t.check("the program runs", j.wait_for("up"), j.output()):
    recording = t.path("hostile.jfr")
    t.check("a recording starts", t.start(j.pid, recording, "-e", "cpu,wall,lock,ttsp", "-i", "5ms").status == 0)
    t.work_for(j, 2)
    live(j)
    t.check("the recording ends", t.stop(j.pid).status == 0)
    recorded(recording)
    complained(j, recording)
j.kill()
t.done()
