// SPDX-License-Identifier: Apache-2.0
// cause: JVM options: G1PeriodicGCInterval=30 is meant as seconds but is in milliseconds, and with -G1PeriodicGCInvokesConcurrent each periodic collection is a full stop-the-world one; the application (CadastreIndex.answer) hardly allocates at all.
// share: 60 % of the time or more in full collections (85 % on a loaded machine); fixed is 3 to 4 times better (3500 against 13000 queries/s, loaded machine)
// judge: Must say that periodic full collections (GC cause "G1 Periodic Collection") set by the option G1PeriodicGCInterval cost the time. Only "much GC", "heap too small", "allocates too much" or "explicit System.gc()" is a symptom or wrong.
// expect: gc-pauses cause=Periodic
// symptom: gc-cpu
// set: twentieth
// jdk: 21
// jvm: -XX:+UseG1GC -XX:G1PeriodicGCInterval=30 -XX:-G1PeriodicGCInvokesConcurrent

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

public class CadastreIndex {
    static final class Parcel {
        final int east;
        final int north;
        final int area;
        final int[] owners;
        Parcel neighbour;

        Parcel(int east, int north, int area, int[] owners) {
            this.east = east;
            this.north = north;
            this.area = area;
            this.owners = owners;
        }
    }

    private final Parcel[] byEast;
    private final AtomicLong answered = new AtomicLong();
    private volatile long total;

    CadastreIndex(int size) {
        SplittableRandom r = new SplittableRandom(1864);
        byEast = new Parcel[size];
        for (int i = 0; i < size; i++) {
            int[] owners = new int[1 + r.nextInt(3)];
            Arrays.setAll(owners, k -> r.nextInt(100_000));
            byEast[i] = new Parcel((int) (i * 1_000_000L / size), r.nextInt(1_000_000), 50 + r.nextInt(5000), owners);
        }
        for (int i = 0; i < size; i++) {
            byEast[i].neighbour = byEast[r.nextInt(size)];
        }
    }

    private int firstFrom(int east) {
        int lo = 0;
        int hi = byEast.length;
        while (lo < hi) {
            int mid = (lo + hi) >>> 1;
            if (byEast[mid].east < east) {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        return lo;
    }

    long answer(int east, int north, int width) {
        long area = 0;
        for (int i = firstFrom(east); i < byEast.length && byEast[i].east < east + width; i++) {
            Parcel p = byEast[i];
            if (Math.abs(p.north - north) < width * 40) {
                area += p.area + p.neighbour.owners.length + p.owners[0] % 2;
            }
        }
        return area;
    }

    void desk(long seed) {
        SplittableRandom r = new SplittableRandom(seed);
        while (true) {
            long sum = 0;
            for (int i = 0; i < 50; i++) {
                sum += answer(r.nextInt(990_000), r.nextInt(1_000_000), 2000);
            }
            total = sum;
            answered.addAndGet(50);
        }
    }

    public static void main(String[] args) throws Exception {
        if (Boolean.getBoolean("fixed")) {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).setVMOption("G1PeriodicGCInterval", "60000");
        }
        CadastreIndex index = new CadastreIndex(300_000);
        Thread.ofPlatform().daemon().name("register-desk").start(() -> index.desk(99));
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + index.answered.getAndSet(0) + " queries/s");
        }
    }
}
