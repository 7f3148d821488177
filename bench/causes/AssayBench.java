// SPDX-License-Identifier: Apache-2.0
// cause: AssayBench$Spectrometer.measure holds the native library's one mutex (pthread_mutex_lock by way of AssayBench$DriverLock.acquire) while the sample settles (12 ms, AssayBench$Spectrometer.settle), though each of the 10 instruments has a chamber of its own: all analysts queue for that mutex
// share: 8.3 of 10 analysts on average wait for the mutex, 102 ms for each assay, of which its own settling takes 12 ms; next to no CPU
// expect: waiting kind=native-lock frame=AssayBench$DriverLock
// symptom: waiting
// judge: NAMED: waiting for a native lock (mutex, pthread_mutex_lock) at AssayBench$DriverLock.acquire, or at AssayBench$Spectrometer.measure, its caller; that its holder rests in AssayBench$Spectrometer.settle adds to it. SYMPTOM ONLY: waiting "in native code" at acquire or measure without the word lock or mutex; the settling (sleep in native code or a timer at settle) without the lock; analysts that do not get on. WRONG: deadlock or stuck threads (all get on), the queue of samples, Java monitors or locks, CPUs, collections, "nothing stands out"
// jdk: 25
// set: thirty-sixth
// jvm: --enable-native-access=ALL-UNNAMED
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class AssayBench {
    static final int INSTRUMENTS = 10;
    static final LongAdder assays = new LongAdder();
    static final LongAdder lockNanos = new LongAdder();
    static final LongAdder settleNanos = new LongAdder();

    /** The functions of the C library that the driver is built on. */
    static final class Native {
        private static final Linker LINKER = Linker.nativeLinker();
        static final MethodHandle MUTEX_INIT = of("pthread_mutex_init", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        static final MethodHandle MUTEX_LOCK = of("pthread_mutex_lock", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        static final MethodHandle MUTEX_UNLOCK = of("pthread_mutex_unlock", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        static final MethodHandle USLEEP = of("usleep", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

        private static MethodHandle of(String name, FunctionDescriptor type) {
            return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), type);
        }
    }

    /** The mutex that the driver shares with its C half. */
    static final class DriverLock {
        private final MemorySegment mutex = Arena.global().allocate(128, 16);

        DriverLock() {
            check(call(Native.MUTEX_INIT, MemorySegment.NULL));
        }

        void acquire() {
            try {
                check((int) Native.MUTEX_LOCK.invokeExact(mutex));
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        void release() {
            try {
                check((int) Native.MUTEX_UNLOCK.invokeExact(mutex));
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        private int call(MethodHandle function, MemorySegment argument) {
            try {
                return (int) function.invokeExact(mutex, argument);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        private static void check(int error) {
            if (error != 0) {
                throw new IllegalStateException("driver: error " + error);
            }
        }
    }

    static final class Spectrometer {
        private final int id;
        private final DriverLock driver;
        private final double[] channels = new double[512];

        Spectrometer(int id, DriverLock driver) {
            this.id = id;
            this.driver = driver;
        }

        private void settle() {
            long before = System.nanoTime();
            try {
                int error = (int) Native.USLEEP.invokeExact(12_000);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
            settleNanos.add(System.nanoTime() - before);
        }

        private void readOut() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            for (int i = 0; i < channels.length; i++) {
                double x = (i - 200 - id * 9) / 14.0;
                channels[i] = 900 * Math.exp(-x * x) + random.nextDouble(4);
            }
        }

        double[] measure() {
            long before = System.nanoTime();
            driver.acquire();
            try {
                lockNanos.add(System.nanoTime() - before);
                settle();
                readOut();
            } finally {
                driver.release();
            }
            return channels;
        }
    }

    static final class Analyst implements Runnable {
        private final Spectrometer instrument;
        private double fineness;

        Analyst(Spectrometer instrument) {
            this.instrument = instrument;
        }

        private static double evaluate(double[] channels) {
            double weighted = 0, total = 0;
            for (int i = 2; i < channels.length - 2; i++) {
                double smooth = (channels[i - 2] + 2 * channels[i - 1] + 3 * channels[i] + 2 * channels[i + 1] + channels[i + 2]) / 9;
                weighted += i * smooth;
                total += smooth;
            }
            return weighted / total;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    fineness = 0.9 * fineness + 0.1 * evaluate(instrument.measure());
                    assays.increment();
                    Thread.sleep(6 + ThreadLocalRandom.current().nextInt(6));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        DriverLock driver = new DriverLock();
        for (int i = 0; i < INSTRUMENTS; i++) {
            Thread.ofPlatform().daemon().name("analyst-" + i).start(new Analyst(new Spectrometer(i, driver)));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = assays.sum(), locked = lockNanos.sum(), settled = settleNanos.sum(), wall = System.nanoTime();
            Thread.sleep(1000);
            wall = System.nanoTime() - wall;
            n = assays.sum() - n;
            locked = lockNanos.sum() - locked;
            settled = settleNanos.sum() - settled;
            System.out.printf(Locale.ROOT, "measured: %d assays/s; %.1f of %d analysts on average wait for the driver's mutex, %.0f ms for each assay, of which its settling takes %.0f ms%n",
                n, locked / (double) wall, INSTRUMENTS, locked / 1e6 / Math.max(1, n), settled / 1e6 / Math.max(1, n));
            System.out.flush();
        }
    }
}
