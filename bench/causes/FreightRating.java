// SPDX-License-Identifier: Apache-2.0
// cause: FreightRating$Tariff.rate has about 9,690 bytes of bytecode, because javac copies its long finally block into each of the 49 return paths, which is over the JIT's 8,000-byte HugeMethodLimit, so the method is never compiled and always runs in the interpreter.
// share: faulty 3.8-7.6 million shipments/s, fixed (Tariff.quote: same work, the returns moved to zonePrice so the finally block exists twice only) 12-41 million shipments/s: about 5 times better
// expect: hot-method mode=interpreted
// symptom: hot-method
// judge: NAMED: FreightRating$Tariff.rate is not compiled by the JIT (interpreted) because it is too large (over 8,000 bytecodes / HugeMethodLimit); split it. 'rate runs interpreted, never compiled' with the method named counts as NAMED. SYMPTOM ONLY: Tariff.rate takes all the CPU; one thread is busy; try/finally or a long switch is slow. WRONG: arithmetic or divisions as the cause, cache misses in the arrays, code cache full, deoptimization loop, GC, volatile fields.
// jdk: 21
// set: twenty-third
// jvm:
import java.util.Random;

public class FreightRating {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int BATCH = 5000;
    private static volatile long rated;
    private static volatile long revenue;

    static final class Tariff {
        private final long[] count = new long[64];
        private final long[] weight = new long[64];
        private final long[] distance = new long[64];
        private final long[] last = new long[64];
        private final int[] heaviest = new int[64];
        private final int[] farthest = new int[64];
        private long checksum;
        private long calls;

        long rate(int zone, int kg, int km) {
            try {
                switch (zone) {
                case 0: return kg * 9 + km / 41 + 1; case 1: return kg * 14 + km / 64 + 2;
                case 2: return kg * 4 + km / 11 + 1; case 3: return kg * 14 + km / 73 + 3;
                case 4: return kg * 3 + km / 31 + 5; case 5: return kg * 19 + km / 49 + 3;
                case 6: return kg * 7 + km / 16 + 3; case 7: return kg * 8 + km / 6 + 7;
                case 8: return kg * 10 + km / 37 + 2; case 9: return kg * 7 + km / 42 + 3;
                case 10: return kg * 13 + km / 14 + 7; case 11: return kg * 12 + km / 88 + 4;
                case 12: return kg * 18 + km / 34 + 2; case 13: return kg * 9 + km / 63 + 3;
                case 14: return kg * 4 + km / 73 + 7; case 15: return kg * 11 + km / 3 + 3;
                case 16: return kg * 11 + km / 68 + 2; case 17: return kg * 15 + km / 57 + 5;
                case 18: return kg * 11 + km / 58 + 4; case 19: return kg * 7 + km / 32 + 3;
                case 20: return kg * 10 + km / 8 + 1; case 21: return kg * 3 + km / 62 + 6;
                case 22: return kg * 10 + km / 69 + 5; case 23: return kg * 17 + km / 46 + 2;
                case 24: return kg * 8 + km / 11 + 4; case 25: return kg * 8 + km / 84 + 6;
                case 26: return kg * 16 + km / 38 + 2; case 27: return kg * 13 + km / 58 + 6;
                case 28: return kg * 12 + km / 84 + 5; case 29: return kg * 8 + km / 44 + 1;
                case 30: return kg * 3 + km / 32 + 3; case 31: return kg * 9 + km / 18 + 3;
                case 32: return kg * 7 + km / 40 + 4; case 33: return kg * 2 + km / 8 + 3;
                case 34: return kg * 4 + km / 39 + 6; case 35: return kg * 12 + km / 5 + 3;
                case 36: return kg * 11 + km / 44 + 2; case 37: return kg * 15 + km / 82 + 6;
                case 38: return kg * 4 + km / 40 + 5; case 39: return kg * 8 + km / 59 + 3;
                case 40: return kg * 6 + km / 35 + 4; case 41: return kg * 7 + km / 45 + 5;
                case 42: return kg * 2 + km / 49 + 1; case 43: return kg * 16 + km / 24 + 3;
                case 44: return kg * 13 + km / 40 + 5; case 45: return kg * 5 + km / 59 + 2;
                case 46: return kg * 15 + km / 29 + 1; case 47: return kg * 3 + km / 10 + 1;
                default: return kg * 9L + km;
                }
            } finally {
                int slot = (zone * 7 + kg) & 63;
                count[slot]++;
                weight[slot] += kg;
                distance[slot] += km;
                last[slot] = (last[slot] * 31 + kg * 17 + km) ^ (zone << 3);
                if (kg > heaviest[slot]) {
                    heaviest[slot] = kg;
                }
                if (km > farthest[slot]) {
                    farthest[slot] = km;
                }
                checksum = (checksum << 5) - checksum + last[slot] + weight[slot] % 1009 + distance[slot] % 2003;
                calls++;
            }
        }

        long quote(int zone, int kg, int km) {
            try {
                return zonePrice(zone, kg, km);
            } finally {
                int slot = (zone * 7 + kg) & 63;
                count[slot]++;
                weight[slot] += kg;
                distance[slot] += km;
                last[slot] = (last[slot] * 31 + kg * 17 + km) ^ (zone << 3);
                if (kg > heaviest[slot]) {
                    heaviest[slot] = kg;
                }
                if (km > farthest[slot]) {
                    farthest[slot] = km;
                }
                checksum = (checksum << 5) - checksum + last[slot] + weight[slot] % 1009 + distance[slot] % 2003;
                calls++;
            }
        }

        private static long zonePrice(int zone, int kg, int km) {
            switch (zone) {
            case 0: return kg * 9 + km / 41 + 1; case 1: return kg * 14 + km / 64 + 2;
            case 2: return kg * 4 + km / 11 + 1; case 3: return kg * 14 + km / 73 + 3;
            case 4: return kg * 3 + km / 31 + 5; case 5: return kg * 19 + km / 49 + 3;
            case 6: return kg * 7 + km / 16 + 3; case 7: return kg * 8 + km / 6 + 7;
            case 8: return kg * 10 + km / 37 + 2; case 9: return kg * 7 + km / 42 + 3;
            case 10: return kg * 13 + km / 14 + 7; case 11: return kg * 12 + km / 88 + 4;
            case 12: return kg * 18 + km / 34 + 2; case 13: return kg * 9 + km / 63 + 3;
            case 14: return kg * 4 + km / 73 + 7; case 15: return kg * 11 + km / 3 + 3;
            case 16: return kg * 11 + km / 68 + 2; case 17: return kg * 15 + km / 57 + 5;
            case 18: return kg * 11 + km / 58 + 4; case 19: return kg * 7 + km / 32 + 3;
            case 20: return kg * 10 + km / 8 + 1; case 21: return kg * 3 + km / 62 + 6;
            case 22: return kg * 10 + km / 69 + 5; case 23: return kg * 17 + km / 46 + 2;
            case 24: return kg * 8 + km / 11 + 4; case 25: return kg * 8 + km / 84 + 6;
            case 26: return kg * 16 + km / 38 + 2; case 27: return kg * 13 + km / 58 + 6;
            case 28: return kg * 12 + km / 84 + 5; case 29: return kg * 8 + km / 44 + 1;
            case 30: return kg * 3 + km / 32 + 3; case 31: return kg * 9 + km / 18 + 3;
            case 32: return kg * 7 + km / 40 + 4; case 33: return kg * 2 + km / 8 + 3;
            case 34: return kg * 4 + km / 39 + 6; case 35: return kg * 12 + km / 5 + 3;
            case 36: return kg * 11 + km / 44 + 2; case 37: return kg * 15 + km / 82 + 6;
            case 38: return kg * 4 + km / 40 + 5; case 39: return kg * 8 + km / 59 + 3;
            case 40: return kg * 6 + km / 35 + 4; case 41: return kg * 7 + km / 45 + 5;
            case 42: return kg * 2 + km / 49 + 1; case 43: return kg * 16 + km / 24 + 3;
            case 44: return kg * 13 + km / 40 + 5; case 45: return kg * 5 + km / 59 + 2;
            case 46: return kg * 15 + km / 29 + 1; case 47: return kg * 3 + km / 10 + 1;
            default: return kg * 9L + km;
            }
        }

        long control() {
            return checksum ^ calls;
        }
    }

    static final class Manifest {
        final int[] zone = new int[BATCH];
        final int[] kg = new int[BATCH];
        final int[] km = new int[BATCH];

        Manifest(long seed) {
            Random random = new Random(seed);
            for (int i = 0; i < BATCH; i++) {
                zone[i] = random.nextInt(50);
                kg[i] = 1 + random.nextInt(900);
                km[i] = 10 + random.nextInt(3000);
            }
        }
    }

    static void rateAll(Manifest[] manifests, Tariff tariff, long end) {
        long sum = 0;
        long n = 0;
        int at = 0;
        while (System.nanoTime() < end) {
            sum += rateOne(manifests[at], tariff);
            at = (at + 1) % manifests.length;
            n += BATCH;
            rated = n;
            revenue = sum;
        }
    }

    static long rateOne(Manifest m, Tariff tariff) {
        long sum = 0;
        for (int i = 0; i < BATCH; i++) {
            sum += FIXED ? tariff.quote(m.zone[i], m.kg[i], m.km[i]) : tariff.rate(m.zone[i], m.kg[i], m.km[i]);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Manifest[] manifests = new Manifest[20];
        for (int i = 0; i < manifests.length; i++) {
            manifests[i] = new Manifest(i);
        }
        Tariff tariff = new Tariff();
        long end = System.nanoTime() + 170L * 1_000_000_000L;
        Thread worker = new Thread(() -> rateAll(manifests, tariff, end), "rating");
        worker.start();
        System.out.println("READY");
        long before = 0;
        while (worker.isAlive()) {
            worker.join(1000);
            long n = rated;
            System.out.println("measured: " + (n - before) + " shipments/s, revenue " + revenue);
            before = n;
        }
        System.out.println("control " + tariff.control());
    }
}
