# SPDX-License-Identifier: Apache-2.0
"""A recording of the whole machine that goes on beside what a test does: by `wick host`, until end()."""
import os
import signal
import subprocess

import jvmtest as t


class Recording:
    def __init__(self, name, events):
        self.file = t.path(name + ".jfr")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([t.WICK, "host", "-d", "3600", "-e", events, "-f", self.file], stderr=subprocess.PIPE, text=True)
        t.check(f"-e {events} runs", t.until(lambda: os.path.exists(self.file) and os.path.getsize(self.file), pause=0.02))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.said = self.process.communicate()[1]
        t.check("it records", self.process.returncode == 0, self.said)
        return self

    def lost(self, kind, event):
        """How many are missing of a type; its sums are checked."""
        total = [r for r in t.events(self.file, "wick.SampleTotals") if r["type"] == kind][-1]
        fired, recorded, dropped = (int(total[k]) for k in ("fired", "recorded", "dropped"))
        found = len(t.json_values(self.file, event))
        t.check(f"{kind}: fired = recorded + dropped, and so many are there", fired == recorded + dropped > 0 and recorded == found,
                (total, found, self.said))
        return dropped
