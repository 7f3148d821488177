// SPDX-License-Identifier: Apache-2.0
// healthy: a table is read anew each second in the background and then exchanged; requests never wait for it
// jvm: -XX:+UseZGC -Xmx256m
// jdk: 25
// set: fifth
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import wick.Scope;
import wick.Wick;

/** A request takes 1 ms and is one of 120 in a second; the refresh waits for 200 ms and computes for less than one. */
public final class HealthyRefresh {
    private static final int CURRENCIES = 150;
    private static final int WORKERS = 2;
    private static volatile double sum;

    private final AtomicReference<Map<String, Double>> rates = new AtomicReference<>(Map.of());
    private int version;

    private static String code(int n) {
        return "" + (char) ('A' + n / 26 % 26) + (char) ('A' + n % 26) + 'X';
    }

    private void refresh() {
        try {
            Thread.sleep(200); // the exchange
            version++;
            Map<String, Double> fresh = new TreeMap<>();
            for (int i = 0; i < CURRENCIES; i++) {
                fresh.put(code(i), 1.0 + Math.abs(Math.sin(i + version)));
            }
            rates.set(fresh);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static double convert(Map<String, Double> table, int from) {
        double amount = 100;
        for (int i = 0; i < 9000; i++) {
            Double rate = table.get(code((from + i) % CURRENCIES));
            amount = amount * rate % 1000 + 1;
        }
        return amount;
    }

    private static double fee(double amount) {
        double fee = 0;
        for (int i = 1; i < 60_000; i++) {
            fee += Math.sqrt(amount + i) / i;
        }
        return fee;
    }

    private static long hash(double amount) {
        long hash = Double.doubleToLongBits(amount);
        for (int i = 0; i < 120_000; i++) {
            hash = (hash ^ hash >>> 29) * 0xbf58476d1ce4e5b9L;
        }
        return hash;
    }

    private static int receipt(double amount, double fee, long id) {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 3000; line++) {
            text.append(line).append(' ').append((long) amount).append(' ');
            text.append((long) (fee * line)).append(' ').append(id).append('\n');
        }
        return text.length();
    }

    private void serve(int worker) {
        try {
            for (int n = worker;; n++) {
                try (Scope request = Wick.span("GET /convert")) {
                    double amount = convert(rates.get(), n);
                    double fee = fee(amount);
                    sum += receipt(amount, fee, hash(amount));
                }
                Thread.sleep(15); // the next request
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        HealthyRefresh service = new HealthyRefresh();
        service.refresh();
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "refresh-1"));
        timer.scheduleWithFixedDelay(service::refresh, 1, 1, TimeUnit.SECONDS);
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            new Thread(() -> service.serve(worker), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
