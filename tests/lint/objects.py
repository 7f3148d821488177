# SPDX-License-Identifier: Apache-2.0
"""The call graph, read from the object files of a build.

`objdump -dr` shows, inside each function, both the relocations (references to other files and sections) and the targets
of direct jumps (static functions of the same section need no relocation). Both are references. A reference to a section
(`.text+0x30`) is turned into the symbol that lies there. A data object also counts as a node, with its own relocations as
references: a table of function pointers passes the calls on to its functions. (In position-independent code such tables
are in .data*; what .rodata has relocations for are the jumps of a switch.)
"""

import bisect
import re
import subprocess
from collections import namedtuple
from pathlib import Path

Symbol = namedtuple("Symbol", "name section start size")

_SYMBOL = re.compile(r"^([0-9a-f]+) (.{7}) (\S+)\t([0-9a-f]+)\s+(?:\.hidden |\.protected |\.internal )?(\S+)$")
_FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
_RELOCATION = re.compile(r"^\s*[0-9a-f]+: R_\S+\s+([^\s+-]\S*?)(?:([+-])0x([0-9a-f]+))?$")
_DIRECT = re.compile(r"\b(?:call|jmp|j[a-z]+|lea)\S*\s.*<([^>+]+)(?:\+0x[0-9a-f]+)?>")
_DATA_SECTION = re.compile(r"^RELOCATION RECORDS FOR \[(\.data\S*)\]:$")
_FILE = re.compile(r"^(\S.*):\s+file format ")
_DATA_RELOCATION = re.compile(r"^([0-9a-f]+) R_\S+\s+([^\s+-]\S*?)(?:([+-])0x([0-9a-f]+))?$")


def _run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


class Object:
    """One object file: its symbols and, for each, the set of names it refers to. `table` has the lines of `objdump -t`."""

    def __init__(self, path, table):
        self.path = Path(path)
        self.symbols = {}  # name -> Symbol, defined here
        self._by_section = {}  # section -> sorted list of (start, name)
        self.sanitized = False
        self._refs = None
        self._read_symbols(table)

    @property
    def refs(self):
        """{name: set of names}. Disassembled when it is first asked for: few objects of a program are reached."""
        if self._refs is None:
            self._refs = {}
            self._read_code()
            self._read_data()
        return self._refs

    def _read_symbols(self, table):
        for line in table:
            match = _SYMBOL.match(line)
            if not match:
                continue
            start, flags, section, size, name = match.groups()
            if section == "*UND*":
                self.sanitized |= name.startswith(("__asan_", "__ubsan_"))
            elif "d" not in flags and "f" not in flags:
                self.symbols[name] = Symbol(name, section, int(start, 16), int(size, 16))
                self._by_section.setdefault(section, []).append((int(start, 16), name))
        for places in self._by_section.values():
            places.sort()

    def _resolve(self, name, sign, offset):
        """The symbol that a relocation means: its own name, or what lies at that place of a section."""
        if name in self.symbols or not name.startswith("."):
            return name.partition("@")[0]  # without the version that agent/libc_pin.h names
        places = self._by_section.get(name)
        if not places:
            return name
        # A reference relative to the program counter has up to 4 subtracted from it.
        at = int(offset or "0", 16) * (-1 if sign == "-" else 1) + 4
        exact = [n for start, n in places if start in (at - 4, at)]
        if exact:
            return exact[0]
        i = bisect.bisect_right(places, (at, "\x7f")) - 1
        return places[max(i, 0)][1]

    def _read_code(self):
        refs = set()
        for line in _run("objdump", "-dr", "--no-show-raw-insn", str(self.path)):
            function = _FUNCTION.match(line)
            if function:
                refs = self._refs.setdefault(function.group(1), set())
                continue
            relocation = _RELOCATION.match(line)
            if relocation:
                refs.add(self._resolve(*relocation.groups()))
                continue
            direct = _DIRECT.search(line)
            if direct and direct.group(1) in self.symbols:
                refs.add(direct.group(1))

    def _read_data(self):
        section = None
        for line in _run("objdump", "-r", str(self.path)):
            if line.startswith("RELOCATION RECORDS"):
                match = _DATA_SECTION.match(line)
                section = match.group(1) if match else None
                continue
            match = _DATA_RELOCATION.match(line) if section else None
            if not match:
                continue
            places = self._by_section.get(section, [])
            i = bisect.bisect_right(places, (int(match.group(1), 16), "\x7f")) - 1
            if i >= 0:
                target = self._resolve(*match.groups()[1:])
                self._refs.setdefault(places[i][1], set()).add(target)


def read(paths):
    """{path: Object} of object files."""
    tables, table = {}, []
    for line in _run("objdump", "-t", *map(str, paths)) if paths else []:
        file = _FILE.match(line)
        if file:
            table = tables.setdefault(file.group(1), [])
        table.append(line)
    return {path: Object(path, tables[str(path)]) for path in paths}


def find(build, stem_pattern):
    """Object files of the build whose source's name without .c matches, except those of tests."""
    found = []
    for path in sorted(Path(build).rglob("*.c.o")):
        if "tests" not in path.relative_to(build).parts and re.search(stem_pattern, path.name[: -len(".c.o")]):
            found.append(path)
    return found
