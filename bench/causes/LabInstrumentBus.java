// SPDX-License-Identifier: Apache-2.0
// healthy: analysers wait in native code (pthread_cond_wait, a futex, under a pthread mutex) for the next reading of an instrument, because the queue lies in memory that is shared with native drivers; they are idle workers, the mutex itself is free nearly always (held for about a microsecond) and each reading is taken at once
// share: nothing: 860 readings/s, each taken 0.03 to 0.06 ms after it came, none lost; 0.2 us to get the mutex, 0.03 % of one thread in all; 0.15 CPUs
// judge: RIGHT: nothing stands out, "it did next to nothing", or only neutral words on where time goes (computing in LabInstrumentBus$Chromatogram.peaks; waiting for a condition/work in LabInstrumentBus$ReadingQueue.take said to be no fault). WRONG: an accusation of waiting for a lock in native code (native-lock) at ReadingQueue.take or put, lock contention, malloc, stuck threads, too few threads, hot code as a fault. Words on a crowded machine are RIGHT if it is crowded.
// jdk: 25
// set: thirty-first
// jvm: -Xmx256m --enable-native-access=ALL-UNNAMED

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Readings of a laboratory's instruments, by a queue in memory that native drivers can use as well. */
public class LabInstrumentBus {
    static final int ANALYSERS = 6;

    static final LongAdder analysed = new LongAdder();
    static final LongAdder delayNanos = new LongAdder();
    static final LongAdder lockNanos = new LongAdder();
    static final LongAdder locks = new LongAdder();
    static final LongAdder peaksFound = new LongAdder();
    static final LongAdder lost = new LongAdder();

    /** What the drivers use of the C library. */
    static final class Posix {
        private static final Linker LINKER = Linker.nativeLinker();

        static MethodHandle function(String name, MemoryLayout... arguments) {
            return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), FunctionDescriptor.of(JAVA_INT, arguments));
        }

        static final MethodHandle MUTEX_INIT = function("pthread_mutex_init", ADDRESS, ADDRESS);
        static final MethodHandle MUTEX_LOCK = function("pthread_mutex_lock", ADDRESS);
        static final MethodHandle MUTEX_UNLOCK = function("pthread_mutex_unlock", ADDRESS);
        static final MethodHandle COND_INIT = function("pthread_cond_init", ADDRESS, ADDRESS);
        static final MethodHandle COND_WAIT = function("pthread_cond_wait", ADDRESS, ADDRESS);
        static final MethodHandle COND_SIGNAL = function("pthread_cond_signal", ADDRESS);
    }

    record Reading(int instrument, long seed, long at) { }

    /** A ring of readings, with its mutex and condition beside it. */
    static final class ReadingQueue {
        private static final int CAPACITY = 512;
        private static final int ENTRY = 24;
        private final MemorySegment mutex = Arena.global().allocate(128, 64);
        private final MemorySegment filled = Arena.global().allocate(128, 64);
        private final MemorySegment ring = Arena.global().allocate((long) CAPACITY * ENTRY, 64);
        private final MemorySegment ends = Arena.global().allocate(16, 64);

        ReadingQueue() throws Throwable {
            check((int) Posix.MUTEX_INIT.invokeExact(mutex, MemorySegment.NULL));
            check((int) Posix.COND_INIT.invokeExact(filled, MemorySegment.NULL));
        }

        private static void check(int error) {
            if (error != 0) throw new IllegalStateException("error " + error);
        }

        private void enter() throws Throwable {
            long before = System.nanoTime();
            check((int) Posix.MUTEX_LOCK.invokeExact(mutex));
            lockNanos.add(System.nanoTime() - before);
            locks.increment();
        }

        boolean put(Reading reading) throws Throwable {
            enter();
            long first = ends.get(JAVA_LONG, 0);
            long end = ends.get(JAVA_LONG, 8);
            boolean room = end - first < CAPACITY;
            if (room) {
                long at = end % CAPACITY * ENTRY;
                ring.set(JAVA_LONG, at, reading.instrument());
                ring.set(JAVA_LONG, at + 8, reading.seed());
                ring.set(JAVA_LONG, at + 16, reading.at());
                ends.set(JAVA_LONG, 8, end + 1);
            }
            check((int) Posix.MUTEX_UNLOCK.invokeExact(mutex));
            if (room) check((int) Posix.COND_SIGNAL.invokeExact(filled));
            return room;
        }

        Reading take() throws Throwable {
            enter();
            long first = ends.get(JAVA_LONG, 0);
            while (first == ends.get(JAVA_LONG, 8)) {
                check((int) Posix.COND_WAIT.invokeExact(filled, mutex));
                first = ends.get(JAVA_LONG, 0);
            }
            long at = first % CAPACITY * ENTRY;
            Reading reading = new Reading((int) ring.get(JAVA_LONG, at), ring.get(JAVA_LONG, at + 8), ring.get(JAVA_LONG, at + 16));
            ends.set(JAVA_LONG, 0, first + 1);
            check((int) Posix.MUTEX_UNLOCK.invokeExact(mutex));
            return reading;
        }
    }

    /** What a column lets through over time. */
    static final class Chromatogram {
        private final double[] signal = new double[3000];

        Chromatogram(Reading reading) {
            SplittableRandom random = new SplittableRandom(reading.seed());
            int substances = 2 + random.nextInt(5);
            for (int s = 0; s < substances; s++) {
                double centre = 200 + random.nextInt(2600);
                double width = 8 + random.nextInt(20);
                for (int t = (int) centre - 100; t < centre + 100; t++) signal[t] += Math.exp(-(t - centre) * (t - centre) / (2 * width * width));
            }
            for (int t = 0; t < signal.length; t++) signal[t] += 0.01 * random.nextDouble();
        }

        int peaks() {
            double[] smooth = new double[signal.length];
            for (int t = 20; t < signal.length - 20; t++) {
                double sum = 0;
                for (int d = -20; d <= 20; d++) sum += signal[t + d] * (21 - Math.abs(d));
                smooth[t] = sum / 441;
            }
            int peaks = 0;
            for (int t = 1; t < smooth.length - 1; t++) {
                if (smooth[t] > 0.1 && smooth[t] > smooth[t - 1] && smooth[t] >= smooth[t + 1]) peaks++;
            }
            return peaks;
        }
    }

    static void analyser(ReadingQueue queue) {
        try {
            while (true) {
                Reading reading = queue.take();
                delayNanos.add(System.nanoTime() - reading.at());
                peaksFound.add(new Chromatogram(reading).peaks());
                analysed.increment();
            }
        } catch (Throwable e) {
            System.out.println("analyser ends: " + e);
        }
    }

    static void instrument(ReadingQueue queue, int number) {
        SplittableRandom random = new SplittableRandom(number);
        try {
            while (true) {
                LockSupport.parkNanos(3_000_000L + random.nextInt(3_000_000));
                if (!queue.put(new Reading(number, random.nextLong(), System.nanoTime()))) lost.increment();
            }
        } catch (Throwable e) {
            System.out.println("instrument " + number + " ends: " + e);
        }
    }

    public static void main(String[] args) throws Throwable {
        ReadingQueue queue = new ReadingQueue();
        for (int i = 0; i < ANALYSERS; i++) Thread.ofPlatform().name("analyser-" + i).start(() -> analyser(queue));
        for (int i = 0; i < 4; i++) {
            int number = i;
            Thread.ofPlatform().name("instrument-" + i).start(() -> instrument(queue, number));
        }
        while (analysed.sum() < 1500) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = analysed.sum(), d = delayNanos.sum(), w = lockNanos.sum(), k = locks.sum(), cpu = system.getProcessCpuTime(), began = System.nanoTime();
            Thread.sleep(1000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, analysed.sum() - n);
            System.out.printf("measured: %.0f readings/s, each taken %.3f ms after it came, %d lost; %.1f us for the mutex each time, %.2f %% of a thread in all; %.2f CPUs%n",
                dn / seconds, (delayNanos.sum() - d) / 1e6 / dn, lost.sum(), (lockNanos.sum() - w) / 1e3 / Math.max(1, locks.sum() - k),
                (lockNanos.sum() - w) / 1e7 / seconds, (system.getProcessCpuTime() - cpu) / 1e9 / seconds);
        }
    }
}
