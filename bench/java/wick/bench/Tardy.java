/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.atomic.LongAdder;

/**
 * Stops the world on demand, with or without a slow thread. Where loops are not cut in strips, `late` runs without a
 * poll for some milliseconds at a time; `worker` polls always and counts rounds.
 *
 * <p>Lines on standard input: `late on`, `late off`; `stop N US` stops the world N times, US microseconds apart; `pace US` does
 * that on and on (0 = no more); `?` asks for the rounds.
 */
public final class Tardy {
    private static final LongAdder rounds = new LongAdder();
    private static volatile boolean late;
    private static volatile long paceUs;
    private static volatile long sink;

    private Tardy() {}

    private static int countedLoop(int n, int x) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    private static void beLate() {
        int x = 1;
        for (int i = 0; i < 300; i++) {
            x = countedLoop(20_000, x);
        }
        while (true) {
            if (late) {
                x = countedLoop(8_000_000, x);
                sink = x;
            } else {
                pause(1000);
            }
        }
    }

    private static void work() {
        long x = 1;
        while (true) {
            for (long i = 0; i < 10_000; i++) {
                x = x * 31 + i;
            }
            sink = x;
            rounds.increment();
        }
    }

    private static void keepPace() {
        while (true) {
            long us = paceUs;
            if (us > 0) {
                stopTheWorld();
            }
            pause(us > 0 ? us : 1000);
        }
    }

    /** Stacks of all threads are taken at a safepoint. */
    private static void stopTheWorld() {
        Thread.getAllStackTraces();
    }

    private static void pause(long us) {
        try {
            Thread.sleep(us / 1000, (int) (us % 1000) * 1000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void start(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    private static String answer(String[] words) {
        switch (words[0]) {
            case "late":
                late = words[1].equals("on");
                return "done";
            case "stop":
                for (int n = Integer.parseInt(words[1]); n > 0; n--) {
                    stopTheWorld();
                    pause(Long.parseLong(words[2]));
                }
                return "done";
            case "pace":
                paceUs = Long.parseLong(words[1]);
                return "done";
            default:
                return Long.toString(rounds.sum());
        }
    }

    public static void main(String[] args) throws Exception {
        start("late", Tardy::beLate);
        start("worker", Tardy::work);
        start("pacer", Tardy::keepPace);
        Thread.sleep(2000);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println("ANSWER " + answer(line.split(" ")));
        }
    }
}
