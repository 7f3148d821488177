# SPDX-License-Identifier: Apache-2.0
"""The source tree as the rules see it: which files there are, their text, and what a finding is."""

import hashlib
import re
import subprocess
from collections import namedtuple
from pathlib import Path

Finding = namedtuple("Finding", "path line message")


class Skip(Exception):
    """A rule cannot be applied here; the message says why."""


class Tree:
    """A checkout (or, for the rules' own tests, any folder) and a build folder, which may be None."""

    def __init__(self, root, build=None):
        self.root = Path(root).resolve()
        self.build = Path(build).resolve() if build else None
        self._texts = {}
        self._paths = self._list()
        self._known = set(self._paths)
        self._code = None

    def _list(self):
        command = ["git", "-C", str(self.root), "ls-files", "-co", "--exclude-standard", "-z"]
        is_checkout = (self.root / ".git").exists()
        done = subprocess.run(command, capture_output=True, check=False) if is_checkout else None
        if done and done.returncode == 0:
            names = [n for n in done.stdout.decode().split("\0") if n and (self.root / n).is_file()]
        else:
            names = [str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file()]
            names = [n for n in names if not n.startswith("build")]
        # Fixtures of the rules' own tests break the rules on purpose.
        return sorted(n for n in names if not n.startswith("tests/lint/fixtures/"))

    def paths(self, *suffixes, under=()):
        """Relative paths, as strings, that end with one of the suffixes and lie in one of the folders."""
        return [
            p
            for p in self._paths
            if (not suffixes or p.endswith(suffixes)) and (not under or p.startswith(tuple(under)))
        ]

    def text(self, path):
        if path not in self._texts:
            try:
                self._texts[path] = (self.root / path).read_bytes().decode(errors="replace")
            except FileNotFoundError:  # not tracked: another test had made it for a moment
                self._texts[path] = ""
        return self._texts[path]

    def lines(self, path):
        return self.text(path).splitlines()

    def included(self, path):
        """The paths that a C file includes, directly or not, itself first."""
        found, ahead = [], [path]
        while ahead:
            path = ahead.pop()
            if path in found:
                continue
            found.append(path)
            here = path.rsplit("/", 1)[0]
            for name in re.findall(r'^#include "([^"]+)"', self.text(path), re.MULTILINE):
                ahead += [p for p in (f"src/{name}", name, f"{here}/{name}") if p in self._known]
        return found

    def mark(self, rule, salt, paths):
        """A file whose existence says that a rule found nothing, by a digest of all that its answer depends on: the
        rules' code, a salt and the text of paths. None without a build folder."""
        if not self.build:
            return None
        if not self._code:
            self._code = b"".join(p.read_bytes() for p in sorted(Path(__file__).parent.glob("*.py")))
        digest = hashlib.sha256(self._code + repr(salt).encode())
        for path in paths:
            text = self.text(path)
            digest.update(f"{path}\0{len(text)}\0{text}".encode(errors="replace"))
        folder = self.build / "lint-good"
        folder.mkdir(exist_ok=True)
        return folder / f"{rule}-{digest.hexdigest()[:40]}"

    def unless_good(self, rule, salt, paths, find):
        """What find() finds; nothing if it was found to find nothing before, and nothing has changed."""
        mark = self.mark(rule, salt, paths)
        if mark and mark.exists():
            return []
        findings = [finding for finding in find() if finding]
        if mark and not findings:
            mark.touch()
        return findings
