// SPDX-License-Identifier: Apache-2.0
// cause: two classes whose static initialisers need each other are initialised by two threads at once: both hang, and
// share: all 8 request threads hang for ever behind them; only billing and heartbeat go on
// expect: stuck who=TenantSettings$Plans.<clinit> | stuck who=TenantSettings$Features.<clinit>
// symptom: stuck waiting endpoint-wait
// judge: right: deadlock / threads stuck in the initialisation of Plans and Features (<clinit>), naming one of them with
// judge: its <clinit> as blocked by the other. symptom: request threads hang / wait in Settings.of without progress,
// judge: waiting for a class's initialisation. wrong: the queue of clients (as the cause), CPU in Billing, GC, locks else.
// jdk: 25
// set: thirteenth

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

public class TenantSettings {
    static final LongAdder answered = new LongAdder(), timeouts = new LongAdder(), bills = new LongAdder();
    static Path config;

    static Map<String, String> load(String section) {
        try {
            Map<String, String> found = new HashMap<>();
            for (String line : Files.readAllLines(config)) {
                if (line.startsWith(section)) {
                    String[] both = line.split("=", 2);
                    found.put(both[0].substring(section.length() + 1), both[1]);
                }
            }
            Thread.sleep(40); // the settings come from a share
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Plans {
        static final Map<String, String> ALL = load("plan");
        static final int SEATS = Features.weight("seats") * ALL.size();

        static String of(int tenant) {
            return ALL.getOrDefault("p" + tenant % ALL.size(), "free");
        }
    }

    static class Features {
        static final Map<String, String> ALL = load("feature");
        static final String BEST = Plans.of(0);

        static int weight(String name) {
            return ALL.getOrDefault(name, "").length() + 1;
        }
    }

    static class Settings {
        static String of(int tenant) {
            return tenant % 2 == 0 ? Plans.of(tenant) + Plans.SEATS : Features.weight("f" + tenant % 9) + Features.BEST;
        }
    }

    static class Billing implements Runnable {
        final long[] sums = new long[1 << 14];

        @Override
        public void run() {
            long x = System.nanoTime();
            for (int i = 0; i < 300_000; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
                sums[(int) (x & sums.length - 1)] += x & 0xff;
            }
            bills.increment();
        }
    }

    static void client(ExecutorService pool, int who) {
        for (int n = who;; n++) {
            int tenant = n;
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> Settings.of(tenant), pool);
            try {
                answer.get(500, TimeUnit.MILLISECONDS);
                answered.increment();
                Thread.sleep(10);
            } catch (TimeoutException e) {
                answer.cancel(false);
                timeouts.increment();
            } catch (Exception e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        config = Files.createTempFile("tenants", ".conf");
        config.toFile().deleteOnExit();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            text.append("plan.p").append(i).append("=tier").append(i % 4).append("\nfeature.f").append(i).append("=on\n");
        }
        Files.writeString(config, text);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        CountDownLatch started = new CountDownLatch(1);
        for (int i = 0; i < 6; i++) {
            int who = i;
            Thread.ofPlatform().name("portal-" + i).start(() -> {
                try {
                    started.await();
                } catch (InterruptedException e) {
                    return;
                }
                client(pool, who);
            });
        }
        Executors.newScheduledThreadPool(1).scheduleAtFixedRate(new Billing(), 0, 10, TimeUnit.MILLISECONDS);
        started.countDown();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d answers/s, %d timeouts/s, %d bills/s%n", answered.sumThenReset(),
                    timeouts.sumThenReset(), bills.sumThenReset());
        }
    }
}
