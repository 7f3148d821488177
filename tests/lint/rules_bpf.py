# SPDX-License-Identifier: Apache-2.0
"""What Linux 6.1 to 6.12 ask of the kernel side's stack, whichever kernel the tests run on."""

import struct
from collections import namedtuple

from tree import Finding, Skip

LIMIT, ROUND, FRAMES = 512, 32, 8
PROGBITS, SYMTAB, REL = 1, 2, 9
EXECUTABLE, FUNCTION, SECTION = 4, 2, 3
CALL, LOAD_64, STACK = 0x85, 0x18, 10
MOVE_64, ADD_64 = 0xBF, 0x07
MEMORY_CLASSES = (0x61, 0x69, 0x71, 0x79, 0x62, 0x6A, 0x72, 0x7A, 0x63, 0x6B, 0x73, 0x7B, 0xC3, 0xDB)

Function = namedtuple("Function", "name section start size depth calls")


class _Object:
    """An ELF file of BPF code: for each function how deep its own stack is, and what it calls or hands to bpf_loop() and the like."""

    def __init__(self, path):
        self.data = path.read_bytes()
        offset, = struct.unpack_from("<Q", self.data, 0x28)
        size, count, names = struct.unpack_from("<HHH", self.data, 0x3A)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, offset + i * size) for i in range(count)]
        self.names = self._bytes(names)
        self.symbols, self.symbol_names = [], b""
        for section in self.sections:
            if section[1] == SYMTAB:
                self.symbols = list(struct.iter_unpack("<IBBHQQ", self._bytes_of(section)))
                self.symbol_names = self._bytes(section[6])
        self.relocated = {}
        for section in self.sections:
            if section[1] == REL:
                for at, info in struct.iter_unpack("<QQ", self._bytes_of(section)):
                    self.relocated[section[7], at] = self.symbols[info >> 32]
        self.functions = [self._function(*s) for s in self.symbols if s[1] & 15 == FUNCTION and self._is_code(s[3])]

    def _bytes_of(self, section):
        return self.data[section[4] : section[4] + section[5]]

    def _bytes(self, number):
        return self._bytes_of(self.sections[number])

    def _is_code(self, number):
        return number < len(self.sections) and self.sections[number][1] == PROGBITS and self.sections[number][2] & EXECUTABLE

    @staticmethod
    def _text(table, at):
        return table[at : table.index(b"\0", at)].decode()

    def section_name(self, number):
        return self._text(self.names, self.sections[number][0])

    def _target(self, section, at, imm, opcode):
        """(section, offset) of what an instruction calls or takes the address of; None if that is no function of here."""
        symbol = self.relocated.get((section, at))
        scale = 8 if opcode == CALL else 1
        if symbol is None:
            return (section, at + 8 + 8 * imm) if opcode == CALL else None
        if not self._is_code(symbol[3]):
            return None
        more = (imm + 1 if opcode == CALL else imm) * scale if symbol[1] & 15 == SECTION else 0
        return symbol[3], symbol[4] + more

    def _function(self, name, _info, _other, section, start, size):
        deepest, calls, frame_copies = 0, [], set()
        code = self._bytes(section)
        for at in range(start, start + size, 8):
            opcode, registers, offset, imm = struct.unpack_from("<BBhi", code, at)
            to, source = registers & 15, registers >> 4
            if opcode in MEMORY_CLASSES and (source if opcode & 7 == 1 else to) == STACK:
                deepest = min(deepest, offset)
            elif opcode == MOVE_64 and source == STACK:
                frame_copies.add(to)
            elif opcode == ADD_64 and to in frame_copies:
                deepest = min(deepest, imm)
                frame_copies.discard(to)
            elif opcode == CALL and source == 1 or opcode == LOAD_64:
                calls.append(self._target(section, at, imm, opcode))
        return Function(self._text(self.symbol_names, name), section, start, size, -deepest, [c for c in calls if c])

    def at(self, section, offset):
        return next((f for f in self.functions if f.section == section and f.start <= offset < f.start + f.size), None)


def _rounded(depth):
    return (max(depth, 1) + ROUND - 1) // ROUND * ROUND


def _deepest(obj, function, known):
    """(bytes, names of the chain) of the chain below a function that takes most, and the number of frames of the longest one."""
    key = function.section, function.start
    if key not in known:
        known[key] = (0, (), 0)  # a circle, which the verifier refuses by itself
        most, chain, frames = 0, (), 0
        for section, offset in function.calls:
            callee = obj.at(section, offset)
            below = _deepest(obj, callee, known) if callee else (0, (), 0)
            most, chain = max((most, chain), below[:2], key=lambda x: x[0])
            frames = max(frames, below[2])
        own = _rounded(function.depth)
        known[key] = (own + most, (f"{function.name} {own}", *chain), frames + 1)
    return known[key]


def check_bpf_stack(tree):
    """programs of the kernel side take at most 512 bytes of stack in 8 frames, as Linux 6.1 counts them"""
    if not tree.build:
        raise Skip("no build folder")
    found = sorted(tree.build.rglob("*.bpf.o"))
    if not found:
        raise Skip("the kernel side is not built")
    for path in found:
        obj, known = _Object(path), {}
        name = str(path.relative_to(tree.build))
        programs = [f for f in obj.functions if obj.section_name(f.section) != ".text"]
        if not programs:
            yield Finding(name, 0, "has no program")
        for program in programs:
            most, chain, frames = _deepest(obj, program, known)
            if most > LIMIT:
                yield Finding(name, 0, f"{program.name} takes {most} bytes of stack: {' -> '.join(chain)}")
            if frames > FRAMES:
                yield Finding(name, 0, f"{program.name} needs {frames} frames")
