# SPDX-License-Identifier: Apache-2.0
"""Cgroups made for a test, and removed with it.

Either version will do: where the controllers are in hierarchies of version 1, a group is made in each of them, and one in
version 2 if that is mounted beside, for pressure. Where this process may not do that, Unavailable says why.
"""
import atexit
import os
import time

PERIOD_US = 100_000


class Unavailable(Exception):
    pass


def _mounts():
    """({controller: mount point} of version 1, mount point of version 2 or None)"""
    v1, v2 = {}, None
    with open("/proc/mounts") as f:
        for line in f:
            _, point, kind, options = line.split()[:4]
            if kind == "cgroup2":
                v2 = point
            elif kind == "cgroup":
                for option in options.split(","):
                    v1.setdefault(option, point)
    return v1, v2


def cold_file(path, size):
    """Writes a file of whole MiB that is on the disk and not in memory."""
    with open(path, "wb") as f:
        for _ in range(size >> 20):
            f.write(os.urandom(1 << 20))
        f.flush()
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Cgroup:
    """A group for processes, with the controllers cpu and memory."""

    _count = 0

    def __init__(self, within=None):
        """within: another group, which gets no processes itself."""
        Cgroup._count += 1
        name = f"wick-test-{os.getpid()}-{Cgroup._count}"
        self.path = (within.path if within else "") + "/" + name  # as /proc/PID/cgroup shows it
        v1, v2 = _mounts()
        self.version = 1 if "cpu" in v1 else 2
        points = {v1["cpu"], v1["memory"], v2} if self.version == 1 and "memory" in v1 else {v2}
        if not points - {None}:
            raise Unavailable("no cgroups are mounted")
        self.dirs = []
        self.removed = False
        atexit.register(self.remove)
        try:
            if self.version == 2:
                self._write(v2 + "/cgroup.subtree_control", "+cpu +memory")
            if self.version == 2 and within:
                self._write(v2 + within.path + "/cgroup.subtree_control", "+cpu +memory")
            for point in points - {None}:
                os.mkdir(point + self.path)
                self.dirs.append(point + self.path)
        except OSError as e:
            self.remove()
            raise Unavailable(f"a cgroup cannot be made: {e}") from e

    @staticmethod
    def _write(path, text):
        with open(path, "w") as f:
            f.write(text)

    def _set(self, v1, v2):
        """Writes what belongs to the version: {file: text}."""
        for file, text in (v1 if self.version == 1 else v2).items():
            for d in self.dirs:
                if os.path.exists(f"{d}/{file}"):
                    self._write(f"{d}/{file}", text)

    def limit_cpu(self, cpus):
        """None: no limit."""
        quota = int(cpus * PERIOD_US) if cpus else None
        self._set({"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": str(quota or -1)},
                  {"cpu.max": f"{quota or 'max'} {PERIOD_US}"})

    def limit_memory(self, size):
        """Bytes; None: no limit."""
        self._set({"memory.limit_in_bytes": str(size or -1)}, {"memory.max": str(size or "max")})

    def forbid_swap(self):
        """After limit_memory()."""
        self._set({"memory.memsw.limit_in_bytes": self._read("memory.limit_in_bytes")}, {"memory.swap.max": "0"})

    def _read(self, file):
        for d in self.dirs:
            if os.path.exists(f"{d}/{file}"):
                with open(f"{d}/{file}", encoding="ascii") as f:
                    return f.read()
        return ""

    def oom_kills(self):
        text = self._read("memory.oom_control" if self.version == 1 else "memory.events")
        return int(dict(map(str.split, text.splitlines()))["oom_kill"])

    def throttled(self):
        """(periods, throttled periods, ns for which it was stopped) since it was made."""
        for d in self.dirs:
            with open(d + "/cpu.stat") if os.path.exists(d + "/cpu.stat") else open(os.devnull) as f:
                v = {name: int(value) for name, value in map(str.split, f)}
            if "nr_throttled" in v:
                return v["nr_periods"], v["nr_throttled"], v.get("throttled_time", v.get("throttled_usec", 0) * 1000)
        return 0, 0, 0

    def has_pressure(self):
        return any(os.path.exists(d + "/memory.pressure") for d in self.dirs)

    def pressure_ns(self, resource, line):
        """Time in which "some" or "full" of the group's tasks waited."""
        for d in self.dirs:
            if os.path.exists(f"{d}/{resource}.pressure"):
                with open(f"{d}/{resource}.pressure") as f:
                    for words in map(str.split, f):
                        if words[0] == line:
                            return int(words[-1].split("=")[1]) * 1000
        return 0

    def prefix(self):
        """Words before a command that put it into the group."""
        return ["/bin/sh", "-c", "for d in " + " ".join(self.dirs) + '; do echo $$ >"$d/cgroup.procs"; done; exec "$@"', "sh"]

    def remove(self):
        """The group must be empty by then, or become so."""
        end = time.monotonic() + 120
        for d in self.dirs if not self.removed else []:
            while os.path.isdir(d):
                try:
                    os.rmdir(d)
                except OSError:
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.05)
        self.removed = True
