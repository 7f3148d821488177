/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends requests to the demo service for a bounded time at a bounded rate and prints one line about them.
 *
 * <p>Request number i is due at i / rate seconds after the start, whether or not earlier ones have ended, and its latency is
 * counted from then. So a service that stalls shows it in the percentiles, instead of slowing the generator down and
 * looking well (coordinated omission).
 *
 * <p>Options: {@code --port}, {@code --seconds}, {@code --rate} (requests a second), {@code --threads}, {@code --mix}
 * (endpoints with weights and, optionally, parameters: {@code cpu=5,compress=3,sleep?ms=20=1}). Exit status 1 if a request
 * failed or none was sent, 2 for wrong usage.
 */
public final class LoadGen {
    private static final int TIMEOUT_MS = 60_000;

    private final String base;
    private final long periodNanos;
    private final long startNanos;
    private final long endNanos;
    private final List<String> deck = new ArrayList<>();             // each path as often as its weight says
    private final Map<String, Latencies> byPath = new LinkedHashMap<>(); // complete before the threads start
    private final AtomicLong nextRequest = new AtomicLong();
    private final AtomicLong notSent = new AtomicLong(); // due before the end, but all threads still waited for answers

    private LoadGen(Options options) {
        base = "http://127.0.0.1:" + options.number("port") + "/";
        periodNanos = 1_000_000_000L / Math.max(1, options.number("rate"));
        startNanos = System.nanoTime();
        endNanos = startNanos + options.number("seconds") * 1_000_000_000L;
        for (String entry : options.text("mix").split(",")) {
            addToDeck(options, entry);
        }
    }

    private void addToDeck(Options options, String entry) {
        int equals = entry.lastIndexOf('=');
        if (equals <= 0 || !entry.substring(equals + 1).matches("[0-9]{1,4}")) {
            throw options.usage("--mix takes endpoint=weight,endpoint=weight, not " + entry);
        }
        String path = entry.substring(0, equals);
        byPath.put(path, new Latencies());
        for (int i = Integer.parseInt(entry.substring(equals + 1)); i > 0; i--) {
            deck.add(path);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Options options = new Options("load", "port", "0", "seconds", "10", "rate", "50", "threads", "16", "mix",
                "cpu=5,compress=3,lock=1,io=1,sleep=2,leak=1,safepoint=1").parse(args);
        LoadGen generator = new LoadGen(options);
        if (generator.deck.isEmpty()) {
            throw options.usage("--mix has no endpoint with a weight");
        }
        generator.run(Math.max(1, options.number("threads")));
        System.out.println(generator.summary());
        System.exit(generator.requests() > 0 && generator.errors() == 0 ? 0 : 1);
    }

    private void run(int threads) throws InterruptedException {
        NamedThreads names = new NamedThreads("load");
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread sender = names.newThread(this::sendUntilTheEnd);
            sender.start();
            senders.add(sender);
        }
        for (Thread sender : senders) {
            sender.join();
        }
    }

    private void sendUntilTheEnd() {
        while (true) {
            long number = nextRequest.getAndIncrement();
            long due = startNanos + number * periodNanos;
            if (due >= endNanos) {
                return;
            }
            if (System.nanoTime() >= endNanos) {
                notSent.incrementAndGet();
                continue;
            }
            if (!sleepUntil(due)) {
                return;
            }
            String path = deck.get(new Random(number).nextInt(deck.size()));
            boolean ok = send(path, customer(number));
            byPath.get(path).add(System.nanoTime() - due, ok);
        }
    }

    /** Of ten requests six are from the big customer, three from the small one and one from the tiny one. */
    private static String customer(long number) {
        long tenth = number % 10;
        return DemoService.CUSTOMERS.get(tenth < 6 ? 0 : tenth < 9 ? 1 : 2);
    }

    private static boolean sleepUntil(long nanoTime) {
        try {
            long left = nanoTime - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean send(String path, String customer) {
        try {
            HttpURLConnection connection = (HttpURLConnection) new URL(base + path).openConnection();
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            connection.setRequestProperty("X-Customer", customer);
            int status = connection.getResponseCode();
            try (InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                byte[] buffer = new byte[4096];
                while (body != null && body.read(buffer) >= 0) {
                    continue; // the connection is used again only if the body has been read
                }
            }
            return status < 400;
        } catch (IOException e) {
            return false;
        }
    }

    private long requests() {
        return byPath.values().stream().mapToLong(Latencies::count).sum();
    }

    private long errors() {
        return byPath.values().stream().mapToLong(Latencies::errors).sum();
    }

    private String summary() {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "load: %d requests, %d errors, %d not sent in %.1f s",
                requests(), errors(), notSent.get(), (System.nanoTime() - startNanos) / 1e9));
        byPath.forEach((path, latencies) -> line.append("; ").append(path).append(' ').append(latencies));
        return line.toString();
    }

    /** The latencies of one endpoint. */
    private static final class Latencies {
        private final List<Long> nanos = new ArrayList<>(); // guarded by this
        private long errors;                                // guarded by this

        synchronized void add(long latency, boolean ok) {
            nanos.add(latency);
            if (!ok) {
                errors++;
            }
        }

        synchronized long count() {
            return nanos.size();
        }

        synchronized long errors() {
            return errors;
        }

        private double percentileMs(double p) {
            int rank = (int) Math.ceil(p * nanos.size());
            return nanos.get(Math.max(0, rank - 1)) / 1e6;
        }

        @Override
        public synchronized String toString() {
            if (nanos.isEmpty()) {
                return "n=0";
            }
            nanos.sort(null);
            return String.format(Locale.ROOT, "n=%d err=%d p50=%.1fms p99=%.1fms", nanos.size(), errors,
                    percentileMs(0.50), percentileMs(0.99));
        }
    }
}
