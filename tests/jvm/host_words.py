#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# once
"""What `wick host` answers to words and options that make no sense, to a user without rights, and where files may not
grow: a status and a message that name what is wrong."""
import os
import shutil
import tempfile

import jvmtest as t

LIBC = next(line.split()[-1] for line in open("/proc/self/maps", encoding="utf-8") if line.rstrip().endswith("/libc.so.6"))
NOBODY = 65534
WRONG = {  # arguments: what the message names
    ("4711",): "'4711'",
    ("explain", "top"): "'top'",
    ("doctor", "4711"): "'4711'",
    ("doctor", "-d", "3"): "'3'",
    ("doctor", "-e", "sched"): "'sched'",
    ("doctor", "-f", "a.jfr"): "'a.jfr'",
    ("--by", "process"): "'process'",
    ("top", "--by", "colour"): "'colour'",
    ("top", "-f", "a.jfr"): "'a.jfr'",
    ("top", "-e", "alloc"): "'alloc'",
    ("explain", "-f", "a.html"): ".jfr",
    ("-d", "0"): "'0'",
    ("-d", "soon"): "'soon'",
    ("-i", "1us"): "'1us'",
    ("-i", "-1"): "'-1'",
    ("-e", "nonsense"): "'nonsense'",
    ("-e", "alloc=0"): "'alloc=0'",
    ("-f", "a.xyz"): "'a.xyz'",
    ("--json",): "--json",
    ("--period", "5"): "--period",
    ("--otlp", "ftp://collector"): "'ftp://collector'",
    ("--otlp", "http://127.0.0.1:1", "-f", "a.jfr"): "-f",
}
WRONG_NAMES = {  # they are sought on the machine
    f"uprobe:{LIBC}:mallok": "malloc",
    "usdt:nonsense:nothing": "nonsense:nothing",
}

for words, named in WRONG.items():
    r = t.wick("host", *words)
    t.check(f"wick host {' '.join(words)} is refused by name", r.status == 2 and named in r.err and not r.out, r)
if not os.geteuid() and shutil.which("setpriv"):
    folder = tempfile.mkdtemp(prefix="wick-host-words-")
    os.chmod(folder, 0o755)
    copy, none = os.path.join(folder, "wick"), os.path.join(tempfile.gettempdir(), os.path.basename(folder) + ".jfr")
    shutil.copy(t.WICK, copy)
    for words in (("-f", none), ("top",), ("explain", "-f", none)):
        r = t.run("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", copy, "host", "-d", "100ms", *words)
        t.check(f"without rights wick host {words[0]} names them and what works instead", r.status in (5, 6) and "wick record" in r.err, r)
        t.check("and makes no file", not os.path.exists(none))
    r = t.run("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", copy, "host", "doctor")
    t.check("wick host doctor says which are missing", r.status == 6 and "CAP_BPF" in r.out, r)
    shutil.rmtree(folder)
else:
    t.skip("wick host without rights", "it takes root to be someone else")
tried = t.wick("host", "-d", "100ms", "-f", t.path("try.jfr"))
if tried.status in (5, 6):
    t.skip("wick host on a full disk", tried.err.strip())
else:
    for event, named in WRONG_NAMES.items():
        r = t.wick("host", "-e", event, "-d", "100ms", "-f", t.path("no.jfr"))
        t.check(f"-e {event.rpartition('/')[2]} is refused, with what there is", r.status == 2 and named in r.err, r)
    for name in ("full.jfr", "full.html"):
        r = t.run("sh", "-c", f"ulimit -f 8 && exec {t.WICK} host -d 1 -i 1ms -e cpu,sched=1us -f {t.path(name)}")
        t.check(f"{name}: what had no room is said, and that the recording is not whole", r.status == 1 and "could not be written" in r.err, r)
t.done()
