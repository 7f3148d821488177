#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py OBJECT OUT.c - an object file as a C array (src/ebpf/host_object.h)"""

import sys
from pathlib import Path


def main():
    data = Path(sys.argv[1]).read_bytes()
    lines = ['#include "ebpf/host_object.h"\n\n', f"const size_t wick_host_object_size = {len(data)};\n",
             "const unsigned char wick_host_object[] __attribute__((aligned(8))) =\n"]
    for at in range(0, len(data), 64):
        lines.append('    "' + "".join(f"\\{byte:03o}" for byte in data[at : at + 64]) + '"\n')
    Path(sys.argv[2]).write_text("".join(lines) + "    ;\n", encoding="ascii")


main()
