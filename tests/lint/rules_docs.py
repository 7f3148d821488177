# SPDX-License-Identifier: Apache-2.0
"""What CONTRIBUTING.md shows of the code is the code."""

import re

from tree import Finding

GUIDE = "CONTRIBUTING.md"
BLOCK = re.compile(r"^<!-- (\S+) -->\n+```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(text):
    """What the guide shows of an example: what stands between its includes and its main()."""
    body = re.split(r"^#include .*\n", text, flags=re.MULTILINE)[-1]
    return re.split(r"^int main\(", body, flags=re.MULTILINE)[0].strip("\n") + "\n"


def check_examples(tree):
    """every example of CONTRIBUTING.md is compiled, and shown as it is compiled"""
    guide = tree.text(GUIDE) if GUIDE in tree.paths() else ""
    seen = set()
    for match in BLOCK.finditer(guide):
        path, block = match.groups()
        seen.add(path)
        line = guide.count("\n", 0, match.start(2)) + 1
        if path not in tree.paths():
            yield Finding(GUIDE, line, f"shows {path}, which does not exist")
            continue
        if path.endswith(".def"):
            if block not in tree.text(path):
                yield Finding(GUIDE, line, f"shows rows that {path} does not have so")
            continue
        want = shown(tree.text(path))
        pairs = zip(block.splitlines() + [""], want.splitlines() + [""])
        if block != want:
            at = next((i for i, (a, b) in enumerate(pairs) if a != b), 0)
            yield Finding(GUIDE, line + at, f"differs from {path} from here on; show what stands between its includes and main()")
    for path in tree.paths(".c", under=("tests/unit/example_",)):
        if path not in seen:
            yield Finding(path, 1, f"{GUIDE} does not show it")
