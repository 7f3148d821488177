// SPDX-License-Identifier: Apache-2.0
// cause: a codec cached in a ThreadLocal is built anew for every request, as each runs on its own virtual thread
// expect: hot-code kind=thread-locals frame=BadgePrints$Badge.draw
// symptom: hot-method
// share: building codecs takes 92 % of the requests' time
// judge: right: Codec.<init> (or the lambda that makes it) under ThreadLocal.get / setInitialValue in Badge.draw as the
// judge: hot CPU or the allocation, with ThreadLocal or virtual threads named or the line of get shown. symptom: the
// judge: allocation of int[]/long[] or CPU in Codec without ThreadLocal's part; GC by it. wrong: pinning, scheduler,
// judge: locks, the gate's acceptor, queueing.
// jdk: 21
// jvm: -Xmx160m
// set: thirteenth

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class BadgePrints {
    static final LongAdder badges = new LongAdder(), building = new LongAdder(), drawing = new LongAdder();

    /** Reed-Solomon tables for the codes on badges: expensive to make, cheap to use, not thread-safe. */
    static class Codec {
        final int[] exp = new int[2 * 4095], log = new int[4096];
        final int[][] generators = new int[96][];
        final int[] work = new int[8192];

        Codec() {
            int x = 1;
            for (int i = 0; i < 4095; i++) {
                exp[i] = exp[i + 4095] = x;
                log[x] = i;
                x <<= 1;
                if (x > 4095) {
                    x ^= 0x1053;
                }
            }
            generators[0] = new int[] {1};
            for (int n = 1; n < generators.length; n++) {
                int[] last = generators[n - 1], next = new int[n + 1];
                for (int i = 0; i < last.length; i++) {
                    next[i] ^= last[i];
                    next[i + 1] ^= last[i] == 0 ? 0 : exp[(log[last[i]] + n) % 4095];
                }
                generators[n] = next;
            }
        }

        int[] parity(byte[] data, int n) {
            int[] g = generators[n];
            Arrays.fill(work, 0);
            for (int i = 0; i < data.length; i++) {
                work[i] = data[i] & 0xff;
            }
            for (int i = 0; i < data.length; i++) {
                int factor = work[i];
                if (factor != 0) {
                    for (int j = 1; j <= n; j++) {
                        work[i + j] ^= g[j] == 0 ? 0 : exp[log[g[j]] + log[factor]];
                    }
                }
            }
            return Arrays.copyOfRange(work, data.length, data.length + n);
        }
    }

    static final ThreadLocal<Codec> CODEC = ThreadLocal.withInitial(() -> {
        long from = System.nanoTime();
        Codec codec = new Codec();
        building.add(System.nanoTime() - from);
        return codec;
    });

    record Badge(int guest, String event) {
        String draw() {
            byte[] data = (event + ":" + guest + ":" + Integer.toHexString(guest * 7919)).getBytes();
            int[] parity = CODEC.get().parity(data, 24);
            StringBuilder bars = new StringBuilder();
            for (int word : parity) {
                bars.append(Integer.toBinaryString(word | 0x1000));
            }
            return bars.toString();
        }
    }

    public static void main(String[] args) throws Exception {
        ConcurrentHashMap<Integer, String> recent = new ConcurrentHashMap<>();
        Semaphore printers = new Semaphore(32);
        ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
        System.out.println("READY");
        Thread reporter = new Thread(() -> {
            while (true) {
                LockSupport.parkNanos(1_000_000_000L);
                System.out.printf("measured: %d badges/s, building codecs %d of %d ms/s%n", badges.sumThenReset(),
                        building.sumThenReset() / 1_000_000, drawing.sumThenReset() / 1_000_000);
            }
        }, "reporter");
        reporter.setDaemon(true);
        reporter.start();
        Thread.currentThread().setName("gate");
        while (true) {
            for (int i = 0; i < 12; i++) {
                int guest = ThreadLocalRandom.current().nextInt(4000);
                printers.acquire();
                requests.execute(() -> {
                    long from = System.nanoTime();
                    recent.put(guest, new Badge(guest, "expo-26").draw());
                    drawing.add(System.nanoTime() - from);
                    badges.increment();
                    printers.release();
                });
            }
            Thread.sleep(2);
        }
    }
}
