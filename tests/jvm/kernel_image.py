# SPDX-License-Identifier: Apache-2.0
"""An initial RAM disk for a kernel in an emulator, made of files of this machine: an archive in cpio's format `newc`, as Linux
unpacks it when it starts (Documentation/driver-api/early-userspace/buffer-format.rst)."""
import os
import re
import shutil
import stat
import subprocess

SYSTEM_LIBRARIES = "/usr/lib/x86_64-linux-gnu"


def busybox():
    return shutil.which("busybox")


def why_not():
    """Why no kernel can be booted here; None if one can."""
    for command, package in (("qemu-system-x86_64", "qemu-system-x86"), ("busybox", "busybox-static")):
        if not shutil.which(command):
            return f"there is no {command} (Debian's package {package}; tools/setup test installs it)"
    return None


class Image:
    def __init__(self):
        self.entries = {}  # path: (mode, file) or (mode, bytes)

    def directories(self, *paths):
        for path in paths:
            parts = path.strip("/").split("/")
            for i in range(1, len(parts) + 1):
                self.entries.setdefault("/".join(parts[:i]), (stat.S_IFDIR | 0o755, b""))

    def _put(self, path, mode, content):
        self.directories(os.path.dirname(path))
        self.entries.setdefault(path.strip("/"), (stat.S_IFREG | mode, content))

    def text(self, path, text, mode=0o644):
        self._put(path, mode, text.encode())

    def file(self, file, at=None):
        self._put(at or file, 0o755 if os.access(file, os.X_OK) else 0o644, file)

    def tree(self, folder, without=r"(?!)", at=None):
        """All files below a folder; links are followed. without: a regular expression of names."""
        for place, folders, files in os.walk(folder, followlinks=True):
            folders.sort()
            for name in files:
                file = os.path.join(place, name)
                if not re.fullmatch(without, name) and os.path.exists(file):
                    self.file(file, (at or folder) + file[len(folder):])

    def libraries(self, file):
        """What a program or library loads, and the loader, by ldd; none if it is static."""
        said = subprocess.run(["ldd", file], capture_output=True, text=True, check=False).stdout
        for path in re.findall(r"(/\S+)(?: => /\S+)? \(0x", said) + re.findall(r"=> (/\S+) \(0x", said):
            self.file(path)

    def program(self, file, at=None):
        self.file(file, at)
        self.libraries(file)

    def library(self, name):
        self.program(os.path.join(SYSTEM_LIBRARIES, name))

    def write(self, path):
        with open(path, "wb") as out:
            for number, (name, (mode, content)) in enumerate([*self.entries.items(), ("TRAILER!!!", (0, b""))], 1):
                if isinstance(content, str):
                    with open(content, "rb") as f:
                        content = f.read()
                fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
                head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
                out.write(head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4))
