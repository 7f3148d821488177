# SPDX-License-Identifier: Apache-2.0
"""What the scheduler did, by the kernel's own trace of its tracepoints (tracefs, in a buffer of its own): which threads ran
on a CPU while others waited for it. Shares nothing with how wick finds that out.

Some systems do not trace what certain threads switch to, though nothing is reported as lost: with one Linux 6.18 these are the
idle thread of one of two CPUs, and those of a process outside of the machine's container. It shows when a thread leaves that
nobody saw come, also as the first one of a CPU; what ran in between is UNTRACED."""
import bisect
import collections
import os
import re
import subprocess
import tempfile

EVENTS = "sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task"
KIB = 65536  # for each CPU
UNTRACED, BEYOND = -1, -2
KNOWN_SWITCHES, KNOWN_THREADS = 480, 3  # wick knows the last 512 switches of a CPU, and 16 pairs of process and CPU of a wait, over four stays
LINE = re.compile(r"\[(\d+)\] +\S+ +(\d+)\.(\d{6}): (\w+): (.*)")


class Trace:
    def __init__(self):
        # A place of its own, so that several of these can run at once.
        self.tracing = tempfile.mkdtemp(prefix="wick-tracefs-")
        subprocess.run(["mount", "-t", "tracefs", "tracefs", self.tracing], check=True)
        self.folder = f"{self.tracing}/instances/wick-test-{os.getpid()}"
        os.mkdir(self.folder)
        self._write("trace_clock", "mono")
        self._write("buffer_size_kb", KIB)
        for event in EVENTS:
            self._write(f"events/sched/{event}/enable", 1)

    def _write(self, name, value):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as f:
            f.write(str(value))

    def _lost(self):
        lost = 0
        for cpu in os.listdir(f"{self.folder}/per_cpu"):
            with open(f"{self.folder}/per_cpu/{cpu}/stats", encoding="utf-8") as f:
                lost += sum(map(int, re.findall(r"^(?:overrun|dropped events): (\d+)", f.read(), re.MULTILINE)))
        return lost

    def end(self):
        """([(ns, CPU, event, {field: text})], how many were lost); nothing of it stays in the kernel."""
        self._write("tracing_on", 0)
        lost = self._lost()
        with open(f"{self.folder}/trace", encoding="utf-8", errors="replace") as f:
            found = [LINE.search(line) for line in f]
        os.rmdir(self.folder)
        subprocess.run(["umount", self.tracing], check=True)
        os.rmdir(self.tracing)
        return [(int(m[2]) * 10**9 + int(m[3]) * 1000, int(m[1]), m[4], dict(re.findall(r"(\w+)=(\S+)", m[5])))
                for m in found if m], lost


class Queues:
    """Who was on which CPU's queue, and who ran there."""

    def __init__(self, victims):
        self.victims, self.queued, self.stays = victims, {}, []
        self.unsure = collections.Counter()  # by victim: ns that it may have waited, or run
        self.beyond = collections.Counter()  # by victim: ns of waits that others were switched in too often to be known
        self.times = collections.defaultdict(lambda: [0])  # by CPU, and what ran there from each of these times on
        self.threads = collections.defaultdict(lambda: [UNTRACED])

    def enter(self, pid, cpu, now):
        self.leave(pid, now)
        self.queued[pid] = cpu, now

    def leave(self, pid, now):
        if pid in self.queued:
            self.stays.append((pid, *self.queued.pop(pid), now))

    def runs(self, pid):
        return any(threads[-1] == pid for threads in self.threads.values())

    def switch(self, cpu, now, fields):
        out, on = int(fields["prev_pid"]), int(fields["next_pid"])
        if self.threads[cpu][-1] != out:
            self.threads[cpu][-1] = UNTRACED
            if out in self.queued:
                self.unsure[out] += now - self.queued.pop(out)[1]
        self.times[cpu].append(now)
        self.threads[cpu].append(on)
        self.leave(on, now)
        if out in self.victims and fields["prev_state"].startswith("R"):
            self.enter(out, cpu, now)

    def event(self, now, cpu, event, fields):
        if event == "sched_switch":
            self.switch(cpu, now, fields)
            return
        pid = int(fields["pid"])
        if event == "sched_migrate_task" and pid in self.queued:
            self.enter(pid, int(fields["dest_cpu"]), now)
        elif event.startswith("sched_wakeup") and pid in self.victims and pid not in self.queued and not self.runs(pid):
            self.enter(pid, int(fields["target_cpu"]), now)

    def instead(self):
        found = {pid: collections.Counter() for pid in self.victims}
        for pid, cpu, begin, end in self.stays:
            times, threads = self.times[cpu], self.threads[cpu]
            first, last = max(bisect.bisect_right(times, begin) - 1, 0), bisect.bisect_left(times, end)
            different, beyond = set(), 0
            for i in range(first, last):
                until = min(times[i + 1], end) if i + 1 < len(times) else end
                ns = max(0, until - max(times[i], begin))
                found[pid][threads[i]] += ns
                different.add(threads[i])
                if last - i > KNOWN_SWITCHES or len(different) > KNOWN_THREADS:
                    beyond += ns
            self.beyond[pid] += beyond
        for pid in self.victims:
            found[pid][UNTRACED] += self.unsure[pid]
            found[pid][BEYOND] += self.beyond[pid]
        return found

    def waited_on(self):
        found = {pid: collections.Counter() for pid in self.victims}
        for pid, cpu, begin, end in self.stays:
            found[pid][cpu] += end - begin
        return found


def queues_of(trace, victims):
    queues = Queues(victims)
    for one in trace:
        queues.event(*one)
    return queues


def waited_on(trace, victims):
    """{victim: {CPU: ns that it was on the queue of that CPU}}"""
    return queues_of(trace, victims).waited_on()


def ran_instead(trace, victims):
    """{victim: {thread: ns that it ran while the victim waited for that CPU}}; thread 0 is the idle one, of UNTRACED it is
    not even sure that the victim waited, and BEYOND is what wick need not know, also counted under its threads."""
    return queues_of(trace, victims).instead()
