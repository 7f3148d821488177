#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# jdks: 21
# ci: 21
"""Wall-clock sampling leaves calls of poll() alone: they would end with EINTR when a signal comes upon a thread that waits."""
import jvmtest as t

CALLS = 8000
# Measured: 3 to 10 of 8,000; with signals to all threads that can run 119 and more.
# More than 40 where 10 are expected happen once in 10^12, fewer than 40 where 112 are once in 10^14.
MOST = 40

classes = t.compile_java("Polls")
out = t.path("polls.jfr")
j = t.Jvm([f"-agentpath:{t.AGENT}=start,event=wall,interval=10ms,wallthreads=64,file={out}", "-Xmx128m", "-cp", classes, "Polls",
           t.os.path.join(t.BUILD, "tests/jvm/libwicktestpolls.so"), str(CALLS)], "polls")
t.check("the program ends", j.wait() == 0, j.output())
found = t.re.search(r"interrupted (\d+)", j.output())
t.check("hardly a call of poll() was interrupted", found and int(found[1]) <= MOST, j.output())
rows = [r for r in t.stacks(out) if any("wait_often" in f for f in r[0])]
t.check("its threads were sampled", len(rows) > 0, len(t.stacks(out)))
t.done()
