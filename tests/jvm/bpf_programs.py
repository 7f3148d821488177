# SPDX-License-Identifier: Apache-2.0
"""Which BPF programs the kernel has, and which process holds them."""
import ctypes
import os
import re


def loaded():
    """{id: name} of the BPF programs that are loaded, by the system call (x86-64)."""
    libc, out, at = ctypes.CDLL(None, use_errno=True), {}, 0
    while True:
        attr = (ctypes.c_uint32 * 32)(at)
        if libc.syscall(321, 11, attr, 128):  # BPF_PROG_GET_NEXT_ID
            return out
        at = attr[1]
        attr = (ctypes.c_uint32 * 32)(at)
        fd = libc.syscall(321, 13, attr, 128)  # BPF_PROG_GET_FD_BY_ID
        if fd >= 0:
            info = ctypes.create_string_buffer(256)
            address = ctypes.addressof(info)
            attr = (ctypes.c_uint32 * 32)(fd, 256, address & 0xFFFFFFFF, address >> 32)
            if not libc.syscall(321, 15, attr, 128):  # BPF_OBJ_GET_INFO_BY_FD
                out[at] = info.raw[64:80].rstrip(b"\0").decode(errors="replace")
            os.close(fd)


def of(pid):
    """{id} of those that a process has descriptors of."""
    found = set()
    for n in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{n}") as f:
                found.update(map(int, re.findall(r"(?m)^prog_id:\t(\d+)$", f.read())))
        except OSError:
            pass
    return found
