/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import wick.Scope;
import wick.Wick;

/**
 * A service with its clients in one JVM, which has some of all that a recording for `wick explain` takes: a request is a span, waits three
 * milliseconds for a store, takes a contended monitor, counts the words of a text and allocates some 2 MB. Threads that wait for
 * futures and idle ones are there as well. Each line on the standard input is answered with the number of requests so far.
 *
 * <p>Arguments: clients, workers, idle threads, seconds of warm-up.
 */
@SuppressWarnings("try")
public final class Serves {
    private static final LongAdder SERVED = new LongAdder();
    private static final Map<Integer, byte[]> CACHE = new LinkedHashMap<>();
    private static final int CACHED = 64;
    private static final long STORE_NS = 3_000_000;
    private static final int WORDS = 6000;
    private static volatile Object sink;

    private Serves() {}

    public static void main(String[] args) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(Integer.parseInt(args[1]), task -> daemon(task, "worker"));
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            int client = i;
            daemon(() -> ask(workers, client), "client-" + i).start();
        }
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            daemon(Serves::idle, "idle-" + i).start();
        }
        Thread.sleep(Long.parseLong(args[3]) * 1000);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        while (in.readLine() != null) {
            System.out.println("ANSWER " + SERVED.sum());
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private static void idle() {
        while (true) {
            LockSupport.park();
        }
    }

    private static void ask(ExecutorService workers, int client) {
        try {
            for (int i = client; ; i += 7) {
                int number = i;
                Future<byte[]> answer = workers.submit(() -> serve(number));
                sink = answer.get();
                SERVED.increment();
            }
        } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] serve(int number) {
        try (Scope request = Wick.span("GET /words")) {
            LockSupport.parkNanos(STORE_NS);
            byte[] answer = words(number);
            synchronized (CACHE) {
                CACHE.put(number % CACHED, answer);
            }
            return answer;
        }
    }

    private static byte[] words(int number) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < WORDS; i++) {
            text.append((number * 31 + i * i) % 97).append("-word ");
        }
        Map<String, Integer> counts = new HashMap<>();
        for (String word : text.toString().split(" ")) {
            counts.merge(word, 1, Integer::sum);
        }
        return new TreeMap<>(counts).toString().getBytes(StandardCharsets.UTF_8);
    }
}
