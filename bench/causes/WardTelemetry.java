// SPDX-License-Identifier: Apache-2.0
// cause: each reading cancels the "signal lost" alarm of its bed and schedules another one, 5 minutes later (WardTelemetry$Bed.rearm); a java.util.Timer keeps cancelled tasks until its thread wakes for the first of them, which is when that would be due, with the reading that each refers to: 60,000 at the start and 1,000 more each second (nobody calls Timer.purge)
// share: 62,000 to 92,000 tasks in the timer's queue within the first 40 s (by class histogram), of which 120 are not cancelled; they keep some 55 to 85 MiB alive, 97 % or more of what stays in the heap, and a MiB more each second; collections themselves take little (15 to 80 ms every 6 s), CPU use is 0.08
// expect: cancelled-tasks
// symptom: allocation gc-pauses gc-cpu
// judge: NAMED: cancelled tasks in the queue of the Timer (thread signal-lost), or what keeps the heap full being the Timer's queue (java.util.TaskQueue, TimerTask[], WardTelemetry$SignalLost) held by it. SYMPTOM ONLY: collections (gc-pauses, gc-cpu, live-set, a full heap) without what fills it; allocation of readings at WardTelemetry$Decoder.decode; WardTelemetry$SignalLost or short[] growing without the queue. WRONG: computing in Decoder.decode or Bed.trend as what is wrong, a larger heap as the only advice with another holder named, blocked or saturated scheduler, the machine.
// jdk: 17
// set: thirty-sixth
// jvm: -Xmx512m
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Follows the monitors of the beds of a ward, and raises an alarm if one of them falls silent. */
public class WardTelemetry {
    static final long SILENCE_MS = 300_000;
    static final LongAdder armed = new LongAdder();
    static final LongAdder raised = new LongAdder();
    static final LongAdder readings = new LongAdder();

    /** What a monitor sends several times a second. */
    static final class Reading {
        final long at;
        final int pulse;
        final int saturation;
        final short[] wave;
        Reading(long at, int pulse, int saturation, short[] wave) {
            this.at = at;
            this.pulse = pulse;
            this.saturation = saturation;
            this.wave = wave;
        }
    }

    static final class Decoder {
        private final Random random = new Random(8);
        Reading decode(int bed, long sequence, long at) {
            short[] raw = new short[16384];
            int phase = (int) (sequence * 37 + bed * 11);
            for (int i = 0; i < raw.length; i++) raw[i] = (short) (((phase + i) % 97) * ((phase + i) % 89) - (i & 31));
            short[] wave = new short[raw.length / 40];
            int pulse = 55 + random.nextInt(40);
            for (int i = 0; i < wave.length; i++) {
                int sum = 0;
                for (int j = 0; j < 40; j++) sum += raw[i * 40 + j];
                wave[i] = (short) (sum / 40);
            }
            return new Reading(at, pulse, 92 + random.nextInt(8), wave);
        }
    }

    /** The alarm that is raised unless another reading comes in time. */
    static final class SignalLost extends TimerTask {
        private final Bed bed;
        private final Reading last;
        SignalLost(Bed bed, Reading last) {
            this.bed = bed;
            this.last = last;
        }
        @Override public void run() {
            raised.increment();
            System.err.println("bed " + bed.number + ": no signal since " + last.at + ", pulse was " + last.pulse);
        }
    }

    static final class Bed {
        final int number;
        private final Timer timer;
        private SignalLost alarm;
        private double pulse = 70, saturation = 97;
        private int peak;

        Bed(int number, Timer timer) {
            this.number = number;
            this.timer = timer;
        }

        void accept(Reading reading) {
            trend(reading);
            rearm(reading);
        }

        private void trend(Reading reading) {
            pulse += (reading.pulse - pulse) / 32;
            saturation += (reading.saturation - saturation) / 32;
            int max = Integer.MIN_VALUE;
            for (short s : reading.wave) max = Math.max(max, s);
            peak = max;
        }

        private void rearm(Reading reading) {
            if (alarm != null) alarm.cancel();
            alarm = new SignalLost(this, reading);
            timer.schedule(alarm, SILENCE_MS);
            armed.increment();
        }
    }

    /** Readings of some of the beds, as they come by the network. */
    static final class Gateway implements Runnable {
        private final List<Bed> beds;
        private final int perSecond;
        Gateway(List<Bed> beds, int perSecond) {
            this.beds = beds;
            this.perSecond = perSecond;
        }
        @Override public void run() {
            Decoder decoder = new Decoder();
            long sequence = 0;
            long kept = perSecond * 60L, start = System.currentTimeMillis();
            for (; sequence < kept; sequence++) take(decoder, sequence, start - (kept - sequence) * 1000 / perSecond);   // what the monitors kept while we were away
            long step = 1_000_000_000L / perSecond, due = System.nanoTime();
            while (true) {
                take(decoder, sequence++, System.currentTimeMillis());
                due += step;
                long now = System.nanoTime();
                if (now - due > 200_000_000L) due = now;
                else if (due - now > 2_000_000L) LockSupport.parkNanos(due - now);
            }
        }
        private void take(Decoder decoder, long sequence, long at) {
            Bed bed = beds.get((int) (sequence % beds.size()));
            bed.accept(decoder.decode(bed.number, sequence, at));
            readings.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        Timer timer = new Timer("signal-lost", true);
        for (int ward = 0; ward < 2; ward++) {
            List<Bed> beds = new ArrayList<>();
            for (int i = 1; i <= 60; i++) beds.add(new Bed(ward * 100 + i, timer));
            new Thread(new Gateway(beds, 500), "gateway-" + (ward + 1)).start();
        }
        while (readings.sum() < 61_000) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long[] history = new long[(int) (SILENCE_MS / 1000)];
        long n0 = readings.sum(), gc0 = collections();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = readings.sum(), gc = collections(), total = armed.sum();
            long old = history[second % history.length];
            history[second % history.length] = total;
            Runtime r = Runtime.getRuntime();
            System.out.println(String.format(Locale.ROOT, "measured: %d readings; about %d alarms of the last five minutes, cancelled but for 120, are in the timer's queue; %d MiB of the heap in use; collections took %d ms; %d alarms raised",
                n - n0, total - old, (r.totalMemory() - r.freeMemory()) >> 20, gc - gc0, raised.sum()));
            n0 = n;
            gc0 = gc;
        }
    }

    private static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) sum += Math.max(0, bean.getCollectionTime());
        return sum;
    }
}
