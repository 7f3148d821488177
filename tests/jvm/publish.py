#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 11 21 25
# ci: 21 25
"""With -Dwick.publish=otel a reader that knows nothing of wick sees from outside what the scopes of wick.jar say.

The reader is otel_reader.py; it stops a thread for each read. Virtual threads compare for themselves, since only they know what
they are doing while they run."""
import json
import platform

import jvmtest as t
import otel_reader

JAR = t.os.path.join(t.BUILD, "java/wick.jar")
SEEN = t.os.path.join(t.BUILD, "tests/jvm/libwicktestseen.so")
PUBLISHER = t.os.path.join(t.BUILD, "tests/jvm/libwicktestpublisher.so")
ENV = {"OTEL_SERVICE_NAME": "till",
       "OTEL_RESOURCE_ATTRIBUTES": "service.name=other, service.version = 1.2 ,place=a%2Cb,nonsense"}
TRACE = ("4bf92f3577b34da6", "a3ce929d0e0e4736")
classes = t.compile_java("Publishes", "Published", classpath=JAR)


def program(name, *options, main="Publishes", env=None):
    j = t.Jvm([*options, "-Xmx128m", "-cp", f"{classes}:{JAR}", *main.split()], name, env=env)
    t.check(f"{name}: the program is up", j.wait_for("up"), j.output())
    return j


class Watched:
    """A JVM and what can be seen of it."""

    def __init__(self, j):
        self.j = j
        self.library = otel_reader.Library(j.pid, t.os.path.realpath(t.AGENT))

    def keys(self):
        return otel_reader.process_context(self.j.pid).attributes["threadlocal.attribute_key_map"]

    def look_after_work(self, thread):
        """Waits until the thread has had a processor again: where many wait for one it stands in one place for long."""
        tid = otel_reader.thread_ids(self.j.pid)[thread][0]

        def used():
            with open(f"/proc/{self.j.pid}/task/{tid}/schedstat") as f:
                return int(f.read().split()[0])
        before = used()
        t.until(lambda: used() != before, 60, 0.001)
        return self.look(thread)

    def look(self, thread):
        tid = otel_reader.thread_ids(self.j.pid)[thread][0]
        keys = self.keys()
        return otel_reader.thread_context(self.library, tid, keys)

    def expect(self, title, command, trace, span, **attributes):
        """After a command the driven thread publishes that; trace None: nothing."""
        said = self.j.ask(command, r"done (\d+)\n")
        is_now = self.look("driven")
        wanted = otel_reader.Thread(trace, span, attributes) if trace else None
        t.check(title, said is not None and is_now == wanted, f"said {said}: {is_now}\nwanted {wanted}\n{self.j.output()}")


def own(root, endpoint):
    return {"wick.local_root_span_id": root, "wick.endpoint": endpoint}


def check_process(j):
    c = otel_reader.process_context(j.pid)
    t.check("the resource is that of the environment", c and c.resource == {"service.name": "till",
            "service.version": "1.2", "place": "a,b"}, c)
    t.check("the process says how to read its threads", c and c.attributes == {
        "threadlocal.schema_version": "tlsdesc_v1_dev",
        "threadlocal.attribute_key_map": ["wick.local_root_span_id", "wick.endpoint"]}, c)


def check_scopes(w):
    trace, outer, inner = "".join(TRACE), "00f067aa0ba902b7", "00000000000000ab"
    empty, none = "0" * 32, "0" * 16
    w.expect("a span is seen", f"span GET-/cpu {TRACE[0]} {TRACE[1]} {outer}", trace, outer, **own(outer, "GET-/cpu"))
    before = otel_reader.process_context(w.j.pid)
    w.expect("a label is", "label customer big", trace, outer, **own(outer, "GET-/cpu"), customer="big")
    after = otel_reader.process_context(w.j.pid)
    t.check("its key was added behind the others, and the process context is a later one",
            after.published > before.published and w.keys() == ["wick.local_root_span_id", "wick.endpoint", "customer"],
            (before, after))
    w.expect("a span within is", f"span inner 0 0 {inner}", trace, inner, **own(outer, "GET-/cpu"), customer="big")
    w.expect("a second label", "label tier größ", trace, inner, **own(outer, "GET-/cpu"), customer="big", tier="größ")
    w.expect("one label instead of another", "label customer small", trace, inner, **own(outer, "GET-/cpu"),
             customer="small", tier="größ")
    t.check("a known key changes nothing", w.keys()[2:] == ["customer", "tier"], w.keys())
    w.expect("what is closed gives way to what was before", "close", trace, inner, **own(outer, "GET-/cpu"),
             customer="big", tier="größ")
    w.expect("and again", "close", trace, inner, **own(outer, "GET-/cpu"), customer="big")
    w.expect("also the outer span", "close", trace, outer, **own(outer, "GET-/cpu"), customer="big")
    w.expect("without its label", "close", trace, outer, **own(outer, "GET-/cpu"))
    w.expect("and nothing is left", "close", None, None)
    w.expect("a label without a span has no ids", "label alone x", empty, none,
             **{"wick.local_root_span_id": none}, alone="x")
    w.expect("a span in it has the label", f"span other 0 5 {inner}", "0" * 31 + "5", inner, **own(inner, "other"), alone="x")
    long = "ä" * 300  # a value is cut to 200 characters by wick, and to 255 bytes by the layout: 127 of these
    w.expect("a long value is cut between characters", f"label long {long}", "0" * 31 + "5", inner, **own(inner, "other"),
             alone="x", long="ä" * 127)
    for _ in range(3):
        w.j.ask("close", r"done (\d+)\n")
    t.check("nothing again", w.look("driven") is None, w.look("driven"))


def check_class_loaders(w):
    """Two copies of the library in one thread: what was opened last is seen, whole."""
    one, two, three = "0" * 15 + "1", "0" * 15 + "2", "0" * 15 + "3"
    w.expect("a span of one copy", f"span mine 0 7 {one}", "0" * 31 + "7", one, **own(one, "mine"))
    w.expect("a span of another copy", f"elsewhere theirs 0 8 {two}", "0" * 31 + "8", two, **own(two, "theirs"))
    w.expect("and of the first again", f"span inner 0 0 {three}", "0" * 31 + "7", three, **own(one, "mine"))
    for _ in range(3):
        w.j.ask("close", r"done (\d+)\n")


def whole(c):
    """Whether all parts of a context of the thread "free" belong together."""
    n = int(c.trace[:16], 16)
    root = f"{n << 8 | n % 3:016x}"
    outer = {"wick.local_root_span_id": root, "wick.endpoint": f"op{n % 3}"}
    inner = f"{n << 8 | 7:016x}"
    return c.trace[16:] == f"{~n & (1 << 64) - 1:016x}" and (c.span, c.attributes) in (
        (root, outer), (inner, outer), (inner, {**outer, "remainder": f"r{n % 3}"}))


def check_free(w):
    w.j.ask("free", "(done)")
    t.work_for(w.j, 0.5)
    looks = [w.look_after_work("free") for _ in range(300)]
    seen = [c for c in looks if c]
    mixed = [c for c in seen if not whole(c)]
    t.check("a thread that never rests is seen whole, wherever it is stopped", len(seen) > 100 and not mixed,
            f"{len(seen)} of {len(looks)}: {mixed[:3]}")
    t.check("and not always in the same place", len({c.trace for c in seen}) > 20 and len({c.attributes["wick.endpoint"]
            for c in seen}) == 3 and len({len(c.attributes) for c in seen}) == 2, seen[:10])
    print(f"# {len(seen)} of {len(looks)}, {len({c.trace for c in seen})} traces")


def check_recording(w):
    """A recording changes nothing for others, and its own contexts are those of the scopes."""
    file = t.path("own.jfr")
    r = t.start(w.j.pid, file, "-i", "4ms")
    t.check("a recording starts", r.status == 0, r)
    t.work_for(w.j, 1)
    seen = [c for c in (w.look_after_work("free") for _ in range(20)) if c]
    t.stop(w.j.pid)
    t.check("contexts are seen while it runs", seen and all(whole(c) for c in seen), seen[:3])
    seen = [c for c in (w.look_after_work("free") for _ in range(20)) if c]
    t.check("and after it", seen and all(whole(c) for c in seen), seen[:3])
    top = t.wick("top", "--json", "-n", "0", "--by", "endpoint", file)
    names = {row["name"] for row in json.loads(top.out)["rows"]} if not top.status else set()
    t.check("the recording has the endpoints", {"op0", "op1", "op2"} <= names, top)


def check_virtual(j):
    said = j.ask(f"virtual 200 {SEEN} {t.os.path.realpath(t.AGENT)}", r"done (\d+ looks, wrong \d+)", 120)
    t.check("what a virtual thread does is what its carrier publishes, at any mount", said and said.endswith("wrong 0")
            and int(said.split()[0]) == 200 * 36, f"{said}\n{j.output()[-1500:]}")


def check_default():
    j = program("default", f"-agentpath:{t.AGENT}", env=ENV)
    j.ask("span a 1 2 3", "(done)")
    t.check("without the property nothing is published", otel_reader.mappings(j.pid) == []
            and otel_reader.thread_context(otel_reader.Library(j.pid, t.os.path.realpath(t.AGENT)),
                                           otel_reader.thread_ids(j.pid)["driven"][0], []) is None, j.output())
    j.kill()


def check_attached():
    j = program("attached", "-Dwick.publish=otel", "-Dotel.service.name=by property", env=ENV)
    t.check("nothing without the agent", otel_reader.mappings(j.pid) == [])
    j.ask("span early 1 2 3", "(done)")
    t.start(j.pid, t.path("attached.jfr"))
    t.stop(j.pid)
    w = Watched(j)
    c = otel_reader.process_context(j.pid)
    t.check("an agent that comes later publishes", c and c.resource["service.name"] == "by property", c)
    w.expect("scopes that are opened from then on", "span late 1 2 3", "0" * 15 + "1" + "0" * 15 + "2", "0" * 15 + "3",
             **own("0" * 15 + "3", "late"))
    j.kill()


def check_other():
    """Another library publishes: what it says is not mixed with ours."""
    j = program("other", "-Dwick.publish=otel", main=f"Published {PUBLISHER}")
    j.say("load")
    t.check("the library is loaded", j.wait_for("loaded"), j.output())
    t.start(j.pid, t.path("other.jfr"))
    t.check("wick leaves the place to it", otel_reader.mappings(j.pid) == [])
    j.kill()


def main():
    if platform.machine() != "x86_64":
        t.skip("published contexts", "the reader knows x86-64 only")
        t.done()
    j = program("loaded", f"-agentpath:{t.AGENT}", "-Dwick.publish=otel", env=ENV)
    if not otel_reader.may_stop(j.pid):
        t.skip("published contexts", "ptrace is not permitted here")
        t.done()
    w = Watched(j)
    check_process(j)
    check_scopes(w)
    check_class_loaders(w)
    check_free(w)
    check_recording(w)
    if t.JDK >= 21:
        check_virtual(j)
    j.kill()
    check_default()
    check_attached()
    check_other()
    t.done()


main()
