#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every format that `wick convert` writes: the same total to the last digit, and accepted by programs that are not ours.
Prints TAP."""

import collections
import csv
import decimal
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WICK = os.environ.get("WICK", str(ROOT / "build" / "wick"))
GOLDEN = ROOT / "tests" / "golden" / "jfr"
NODE = ROOT / "tests" / "web" / "node_modules"
DATA = "opentelemetry.proto.profiles.v1development.ProfilesData"
work = Path(tempfile.mkdtemp(prefix="wick-formats-"))

PERF = """java 4711/4733 [001] 1.000000001:   9007199254740993 cpu-clock:pppH:
\t    7f12345678ab java.lang.Foo.bar+0x1b (/tmp/perf-4711.map)
\t         5580123 JavaCalls::call(void*)+0x23 (/usr/lib/jvm/libjvm.so)

java 4711/4734 [001] 1.010000001:   10101010 cpu-clock:pppH:
\tffffffff81234567 do_"syscall"<64>+0x57 ([kernel.kallsyms])
\t    7f12345678ab java.lang.Foo.bar+0x1b (/tmp/perf-4711.map)

java 4711/4734 [001] 1.020202021:   10101011 cpu-clock:pppH:
\t    7f12345678ac java.lang.Foo.baz+0x1b (/tmp/perf-4711.map)
\t    7f12345678ab java.lang.Foo.bar+0x1b (/tmp/perf-4711.map)

"""


def run(*args, **kw):
    return subprocess.run([str(a) for a in args], capture_output=True, timeout=300, **kw)


def convert(source, name, *options):
    """The path of what `source` becomes in the format of that name."""
    out = work / name
    r = run(WICK, "convert", *options, source, out)
    if r.returncode:
        raise AssertionError(f"wick convert {source} {name}: {r.stderr.decode()}")
    return out


def load_json(path):
    return json.loads(path.read_text(), parse_float=decimal.Decimal)


def collapsed_total(path):
    return sum(int(line.rsplit(" ", 1)[1]) for line in path.read_text().splitlines())


def oracle(name):
    r = run(ROOT / "tools" / "get-oracle", name)
    if r.returncode:
        raise unittest.SkipTest(f"cannot be downloaded: {r.stderr.decode().strip()}")
    return r.stdout.decode().strip()


def need(program, package):
    if not shutil.which(program):
        raise unittest.SkipTest(f"there is no {program} (Debian's package {package}; tools/setup test installs it)")


def node_package(name):
    if not (NODE / name).exists():
        raise unittest.SkipTest(f"there is no node package {name} (tools/setup test installs it)")


def inputs():
    """Name -> file: recordings of three JDKs and of wick, and a text of perf."""
    found = {p.name.split(".")[0]: p for p in GOLDEN.glob("*.jfr.gz")}
    found["perf"] = work / "perf.txt"
    found["perf"].write_text(PERF)
    return found


class Totals(unittest.TestCase):
    """All formats against the JSON table, whose figures are integers from the model."""

    def table(self, name, source):
        return load_json(convert(source, f"{name}.json"))

    def test_the_table_is_the_sum_of_its_rows(self):
        for name, source in inputs().items():
            t = self.table(name, source)
            self.assertGreater(t["weight"], 0, name)
            self.assertEqual(sum(s["weight"] for s in t["stacks"]), t["weight"], name)
            self.assertEqual(sum(s["samples"] for s in t["stacks"]), t["samples"], name)

    def test_perf_periods_are_added_exactly(self):
        self.assertEqual(self.table("perf", inputs()["perf"])["weight"], 9007199254740993 + 10101010 + 10101011)

    def test_collapsed(self):
        for name, source in inputs().items():
            t = self.table(name, source)
            self.assertEqual(collapsed_total(convert(source, f"{name}.collapsed")), t["weight"], name)
            self.assertEqual(collapsed_total(convert(source, f"{name}.n.collapsed", "--samples")), t["samples"], name)

    def test_csv(self):
        for name, source in inputs().items():
            with open(convert(source, f"{name}.csv"), newline="", encoding="utf-8") as f:
                rows = list(csv.DictReader(f))
            t = self.table(name, source)
            self.assertEqual(sum(int(r["weight_ns"]) for r in rows), t["weight"], name)
            self.assertEqual(sum(int(r["samples"]) for r in rows), t["samples"], name)

    def test_speedscope(self):
        for name, source in inputs().items():
            for options in ([], ["-t"]):
                s = load_json(convert(source, f"{name}.speedscope.json", *options))
                t = self.table(name, source)
                self.assertEqual(sum(sum(p["weights"]) for p in s["profiles"]), t["weight"], name)
                self.assertEqual(sum(p["endValue"] for p in s["profiles"]), t["weight"], name)
                self.assertEqual(len(s["profiles"]) > 1, bool(options) and len({r["tid"] for r in t["stacks"]}) > 1)

    def test_firefox(self):
        for name, source in inputs().items():
            f = load_json(convert(source, f"{name}.firefox.json"))
            total = sum(sum(t["samples"]["weight"]) for t in f["threads"])
            self.assertEqual(total * 1000000, self.table(name, source)["weight"], name)
            for t in f["threads"]:
                self.assertEqual(t["samples"]["time"], sorted(t["samples"]["time"]), name)
                for i, prefix in enumerate(t["stackTable"]["prefix"]):
                    self.assertTrue(prefix is None or prefix < i)

    def test_what_is_written_and_read_again_is_the_same(self):
        """The collapsed text of what was read back, kinds, lines and threads included, is that of the source."""
        for name, source in inputs().items():
            pprof = convert(source, f"{name}.pb.gz")
            collapsed = convert(source, f"{name}.folded", "--annotate", "--lines")
            for options in ([], ["--samples"], ["--annotate", "--lines", "-t", "--signatures"]):
                direct = convert(source, "direct.folded", *options).read_bytes()
                again = convert(pprof, "again.folded", *options).read_bytes()
                # in a library pprof distinguishes C++ from C by `::` only, which a function such as thread_native_entry lacks
                self.assertEqual(direct.replace(b"_[p]", b"_[n]"), again.replace(b"_[p]", b"_[n]"), f"{name} {options}")
            again = convert(collapsed, "again.folded", "--annotate", "--lines")
            self.assertEqual(collapsed.read_bytes(), again.read_bytes(), name)

    def test_several_inputs_of_different_formats_add_up(self):
        source = inputs()["perf"]
        pprof, out = convert(source, "p.pb.gz"), work / "both.json"
        r = run(WICK, "convert", pprof, pprof, "-o", out)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(load_json(out)["weight"], 2 * self.table("perf", source)["weight"])

    def test_standard_input_packed_and_unpacked(self):
        source = inputs()["perf"]
        want = convert(source, "direct.folded").read_bytes()
        for data in (source.read_bytes(), gzip.compress(source.read_bytes()), convert(source, "p.pb.gz").read_bytes()):
            r = run(WICK, "convert", "-", "-o", "-", input=data)
            self.assertEqual(r.stdout, want, r.stderr)


    def test_halves_of_the_time_add_up_in_every_format_that_has_times(self):
        for name, source in inputs().items():
            whole = self.table(name, source)["samples"]
            first = load_json(convert(source, f"{name}.1.json", "--to", "50%"))["samples"]
            second = load_json(convert(source, f"{name}.2.json", "--from", "50%"))["samples"]
            self.assertTrue(0 < first < whole, name)
            self.assertEqual(first + second, whole, name)
            plain = source.read_bytes() if source.suffix != ".gz" else gzip.decompress(source.read_bytes())
            for data in (plain, gzip.compress(plain)):
                r = run(WICK, "convert", "--from", "50%", "--to", "json", "-", "-o", "-", input=data)
                self.assertIn(b"samples", r.stdout, f"{name}: {r.stderr}")
                self.assertEqual(json.loads(r.stdout)["samples"], second, name)
        text = work / "timeless.collapsed"
        text.write_text("a;b 3\n")
        r = run(WICK, "top", "--from", "1s", text)
        self.assertNotEqual(r.returncode, 0)
        self.assertIn(b"does not say when its samples were taken", r.stderr)

    def test_a_sum_that_is_too_large_is_the_largest_number_and_said_everywhere(self):
        most = 2**63 - 1
        source = work / "large.txt"
        source.write_text(f"a;b {most}\na;b 5\na;c {most - 807}\na;d {most}\n")  # stacks beyond 63 bits, the sum beyond 64
        outputs = [["convert", source, work / f"large.{x}"] for x in
                   ("json", "csv", "collapsed", "pprof", "speedscope.json", "firefox.json", "otlp", "html", "svg")]
        outputs += [["top", source], ["top", "--json", source], ["diff", source, source], ["diff", "--json", source, source],
                    ["flame", source, "-o", work / "large.flame.html"]]
        for command in outputs:
            r = run(WICK, *command)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertIn(b"a sum is too large", r.stderr, command)
        table = load_json(work / "large.json")
        self.assertEqual([s["weight"] for s in table["stacks"]], [most, most - 807, most])
        self.assertEqual((work / "large.collapsed").read_text(), f"a;b {most}\na;c {most - 807}\na;d {most}\n")


class Trace(unittest.TestCase):
    def test_slices_of_a_thread_nest(self):
        for name, source in inputs().items():
            events = load_json(convert(source, f"{name}.trace.json"))["traceEvents"]
            threads = collections.defaultdict(list)
            for e in events:
                if e["ph"] == "X":
                    threads[e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
            self.assertTrue(threads, name)
            for slices in threads.values():
                open_ends = []
                for start, end in sorted(slices, key=lambda s: (s[0], -s[1])):
                    while open_ends and open_ends[-1] <= start:
                        open_ends.pop()
                    self.assertTrue(not open_ends or end <= open_ends[-1], (name, start, end))
                    open_ends.append(end)


class Oracles(unittest.TestCase):
    """Programs that are not ours."""

    def test_go_pprof_reads_the_same_total_and_labels(self):
        pprof = oracle("pprof")
        for name, source in inputs().items():
            t = load_json(convert(source, f"{name}.json"))
            r = run(pprof, "-raw", convert(source, f"{name}.pb.gz"))
            self.assertEqual(r.returncode, 0, r.stderr)
            samples = re.search(rb"Samples:\n(.*?)Locations\n", r.stdout, re.S).group(1)
            rows = re.findall(rb"^ +(\d+) +(\d+): ", samples, re.M)
            self.assertEqual(sum(int(b) for _, b in rows), t["weight"], name)
            self.assertEqual(sum(int(a) for a, _ in rows), t["samples"], name)
            threads = {x.get("thread") for x in t["stacks"]} - {None, ""}
            self.assertEqual({x.decode() for x in re.findall(rb"thread:\[([^\]]*)\]", samples)}, threads, name)

    def processes(self, source):
        """The values of the label `process`, by another command."""
        r = run(WICK, "top", "--json", "-n", "0", "--by", "process", source)
        self.assertEqual(r.returncode, 0, r.stderr)
        return {row["name"] for row in json.loads(r.stdout)["rows"]}

    def test_pprof_and_otlp_have_the_labels_of_samples(self):
        source = inputs()["perf"]
        there = self.processes(source)
        self.assertTrue(there)
        r = run(oracle("pprof"), "-raw", convert(source, "labels.pb.gz"))
        self.assertEqual({x.decode() for x in re.findall(rb"process:\[([^\]]*)\]", r.stdout)}, there)
        r = run("protoc", "--decode_raw", input=convert(source, "labels.otlp").read_bytes())
        self.assertEqual(r.returncode, 0, r.stderr)
        strings = set(re.findall(r'"((?:[^"\\]|\\.)*)"', r.stdout.decode()))
        self.assertTrue({"process.executable.name", "process.pid"} <= strings, strings)
        self.assertTrue({x.rsplit("-", 1)[0] for x in there} <= strings, (there, strings))

    def test_protoc_decodes_otlp_without_a_field_that_it_does_not_know(self):
        need("protoc", "protobuf-compiler")
        proto = oracle("otlp-proto")
        for name, source in inputs().items():
            data = convert(source, f"{name}.otlp", "--title", "a service").read_bytes()
            r = run("protoc", f"--decode={DATA}", f"-I{proto}",
                    "opentelemetry/proto/profiles/v1development/profiles.proto", input=data, cwd=proto)
            self.assertEqual(r.returncode, 0, r.stderr)
            text = r.stdout.decode()
            self.assertIsNone(re.search(r"^\s*\d+[:{ ]", text, re.M), name)
            self.check_otlp(name, text, load_json(convert(source, f"{name}.json")))

    def check_otlp(self, name, text, table):
        profiles, dictionary = text.split("\ndictionary {", 1)
        weights, counts = profiles.split("    profiles {")[1:]
        values = [sum(map(int, re.findall(r"values: (\d+)", p))) for p in (weights, counts)]
        self.assertEqual(values, [table["weight"], table["samples"]], name)
        for kind in ("mapping", "location", "function", "link", "attribute", "stack"):
            elements = re.findall(rf"^  {kind}_table {{\n(.*?)^  }}", dictionary, re.M | re.S)
            self.assertEqual(elements[0], "", f"{name}: element 0 of {kind}_table is not the zero value")
            self.assertEqual(len(elements), len(set(elements)), f"{name}: {kind}_table has duplicates")
            used = re.findall(rf"{kind}_(?:index|indices): (\d+)", text)
            self.assertTrue(all(int(i) < len(elements) for i in used), f"{name}: {kind}")
        strings = re.findall(r'^  string_table: (".*")$', dictionary, re.M)
        self.assertEqual(strings[0], '""')
        self.assertEqual(len(strings), len(set(strings)))
        self.assertTrue(all(int(i) < len(strings) for i in re.findall(r"_strindex: (\d+)", text)))

    def test_speedscope_files_keep_to_its_schema(self):
        need("node", "nodejs")
        node_package("ajv")
        node_package("speedscope")
        files = [convert(s, f"{n}.schema.speedscope.json", "-t", "--lines") for n, s in inputs().items()]
        broken = work / "broken.json"
        broken.write_text(files[0].read_text().replace('"sampled"', '"simpled"'))
        script = work / "schema.cjs"
        script.write_text(f"""
            const {{default: Ajv}} = require({json.dumps(str(NODE / "ajv"))});
            const {{readFileSync}} = require('fs');
            const schema = {json.dumps(str(NODE / "speedscope/dist/release/file-format-schema.json"))};
            const check = new Ajv({{strict: false}}).compile(JSON.parse(readFileSync(schema)));
            for (const file of process.argv.slice(2))
                console.log(check(JSON.parse(readFileSync(file))), JSON.stringify(check.errors));
        """)
        r = run("node", script, *files, broken)
        lines = r.stdout.decode().splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["true"] * len(files) + ["false"], r)

    def firefox(self, *args):
        """The tool keeps the profile in a process of its own, which may be slow to begin or to answer, and is asked again
        then. `load` has given up too early if the second one gets the answer that the session is running already."""
        env = {**os.environ, "HOME": str(work), "PROFILER_CLI_SESSION_DIR": str(work / "sessions"),
               "PROFILER_CLI_LOAD_TIMEOUT_MS": "120000", "PROFILER_CLI_NO_SYMBOLICATE": "1"}
        for _ in range(20):
            r = run(NODE / ".bin" / "profiler-cli", *args, env=env)
            if r.returncode == 0 or b"already running" in r.stderr:
                return r
            time.sleep(1)
        self.fail(r)

    def ask_firefox(self, session, *args):
        return self.firefox(*args, "--session", session).stdout.decode()

    def test_the_firefox_profiler_loads_what_is_written_for_it(self):
        need("node", "nodejs")
        node_package("@firefox-devtools/profiler-cli")
        source = inputs()["perf"]
        for name in ("perf.firefox.json", "perf.trace.json"):
            file = convert(source, name)
            self.firefox("load", file, "--session", file.stem)
            try:
                info = self.ask_firefox(file.stem, "profile", "info")
                self.assertIn("2 threads", info)
                if name == "perf.firefox.json":
                    found = [self.ask_firefox(file.stem, "thread", "functions", "--thread", t)
                             for t in ("t-0", "t-1")]
                    self.assertIn("java.lang.Foo.bar", found[0])
                    self.assertIn("java.lang.Foo.baz", found[1])
                    self.assertIn("do_\"syscall\"<64>", found[1])
            finally:
                self.firefox("stop", file.stem)


class Tap(unittest.TextTestResult):
    """Prints one TAP line a test instead of unittest's dots."""

    def addSuccess(self, test):
        print(f"ok - {test.id().split('.', 1)[1]}", flush=True)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"ok - {test.id().split('.', 1)[1]} # SKIP {reason.splitlines()[-1]}", flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print(f"not ok - {test.id().split('.', 1)[1]}", flush=True)

    addError = addFailure


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}", flush=True)
    try:
        outcome = unittest.TextTestRunner(stream=sys.stderr, verbosity=0, resultclass=Tap).run(suite)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    sys.exit(0 if outcome.wasSuccessful() else 1)
