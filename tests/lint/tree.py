# SPDX-License-Identifier: Apache-2.0
"""The source tree as the rules see it: which files there are, their text, and what a finding is."""

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
            self._texts[path] = (self.root / path).read_bytes().decode(errors="replace")
        return self._texts[path]

    def lines(self, path):
        return self.text(path).splitlines()
