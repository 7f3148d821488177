// SPDX-License-Identifier: Apache-2.0
// cause: every scan is a ParcelScans.LaneScan with a finalize() method that has nothing left to do (close() has been called): each object goes through Finalizer.register, survives its first collection with its 400-byte image and waits for the Finalizer thread, so allocation and young collections get several times as expensive.
// share: about 105000-118000 scans/s (paced) both ways; busy time of a scan faulty: 828-3530, median 1291 ns; fixed (the class without finalize): 294-361, median 313 ns (about 4.1 times better).
// expect: promotion finalizable=LaneScan | gc-pauses finalizable=LaneScan | gc-cpu finalizable=LaneScan
// symptom: promotion | gc-pauses | gc-cpu
// judge: NAMED: finalizable objects (LaneScan.finalize) allocated at a high rate: finalizer registration/queue/thread and the collections that copy them; drop the finalizer. SYMPTOM ONLY: many or long collections, high allocation rate, heap too small, survivor overflow/promotion, without the finalizers. WRONG: CPU of capture/decode as the cause, lock contention in ReferenceQueue/Finalizer as an application lock, a memory leak of the application, wrong collector.
// jdk: 8
// set: twenty-seventh
// jvm: -Xmx128m -XX:+UseSerialGC
import java.util.*;
import java.util.concurrent.atomic.*;

public class ParcelScans {
    static final long START = System.nanoTime();
    static final boolean OPTION = Boolean.getBoolean("fixed");
    static final AtomicLong scans = new AtomicLong(), sum = new AtomicLong(), busy = new AtomicLong();

    static class Scan {
        final byte[] image = new byte[400];
        long code;
        boolean open = true;
        void capture(long seed) {
            code = seed;
            for (int i = 0; i < image.length; i += 4) { seed = seed * 6364136223846793005L + 1442695040888963407L; image[i] = (byte) (seed >>> 40); }
        }
        long decode() {
            long h = code;
            for (int i = 0; i < image.length; i += 2) h = h * 31 + image[i];
            return h;
        }
        void close() { open = false; }
    }

    static final class LaneScan extends Scan {
        @Override protected void finalize() { if (open) close(); }
    }

    static Scan next() { return OPTION ? new Scan() : new LaneScan(); }

    static void lane(int lane) throws InterruptedException {
        long seed = lane * 7919L + 3;
        while (true) {
            long h = 0, t = System.nanoTime();
            for (int i = 0; i < 1000; i++) {
                Scan s = next();
                s.capture(seed++);
                h += s.decode();
                s.close();
            }
            busy.addAndGet(System.nanoTime() - t);
            scans.addAndGet(1000);
            sum.addAndGet(h);
            Thread.sleep(8);
        }
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        Thread t = new Thread("lane-0") { public void run() { try { lane(0); } catch (InterruptedException e) { } } };
        t.setDaemon(true);
        t.start();
        Thread.sleep(5000);
        System.out.println("READY");
        scans.set(0); busy.set(0);
        while (System.nanoTime() - START < span * 1000000000L) {
            Thread.sleep(1000);
            long n = scans.getAndSet(0), d = busy.getAndSet(0);
            System.out.printf(Locale.ROOT, "measured: %d scans/s, %d ns each (check %x)%n", n, n == 0 ? 0L : d / n, sum.get() & 0xffff);
        }
    }
}
