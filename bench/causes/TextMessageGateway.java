// SPDX-License-Identifier: Apache-2.0
// healthy: 12 campaign threads are almost always blocked in ArrayBlockingQueue.put on full lane queues and 3000 virtual threads are parked waiting for delivery receipts, because each of the 3 carrier contracts allows 100 messages a second; the carriers run at exactly that rate, which is all there is to get.
// share: measures messages sent per second (300, equal to the contracts), receipts and messages that await a receipt (some 3150, constant)
// judge: WRONG: full queues or blocked producers as a fault, slow consumers or too few consumer threads, lock contention in ArrayBlockingQueue, deadlock, virtual thread leak or pinning, Carrier's timed waits as a bug. ACCEPTABLE as neutral: throughput is set by the contractual pacing in TextMessageGateway.Carrier (100/s each); campaigns wait by back-pressure; some 3000 parked virtual threads, constant; CPU nearly idle; no problem found.
// jdk: 25
// set: twenty-third
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class TextMessageGateway {
    static final int CONTRACT_PER_SECOND = 100;
    static final int RECEIPT_SECONDS = 10;
    static final int CAMPAIGNS = 12;

    record Sms(long id, String number, String text, CompletableFuture<String> receipt) { }

    static final class Carrier implements Runnable {
        final String name;
        final BlockingQueue<Sms> lane = new ArrayBlockingQueue<>(50);
        final ScheduledExecutorService network;
        final AtomicLong sent = new AtomicLong();

        Carrier(String name, ScheduledExecutorService network) {
            this.name = name;
            this.network = network;
        }

        @Override
        public void run() {
            long step = 1_000_000_000L / CONTRACT_PER_SECOND;
            long due = System.nanoTime();
            try {
                while (true) {
                    long wait = due - System.nanoTime();
                    while (wait > 0) {
                        LockSupport.parkNanos(wait);
                        wait = due - System.nanoTime();
                    }
                    Sms sms = lane.take();
                    transmit(sms);
                    due += step;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void transmit(Sms sms) {
            sent.incrementAndGet();
            network.schedule(() -> sms.receipt().complete("DELIVERED " + name + " " + sms.number()),
                    RECEIPT_SECONDS, TimeUnit.SECONDS);
        }
    }

    final ScheduledExecutorService network = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("network").factory());
    final List<Carrier> carriers = new ArrayList<>();
    final AtomicLong ids = new AtomicLong();
    final AtomicLong receipts = new AtomicLong();
    final AtomicLong waiting = new AtomicLong();

    TextMessageGateway() {
        for (String n : new String[] {"north", "south", "west"}) {
            carriers.add(new Carrier(n, network));
        }
    }

    void submit(Sms sms, Carrier carrier) throws InterruptedException {
        carrier.lane.put(sms);
        waiting.incrementAndGet();
        Thread.startVirtualThread(() -> {
            String result = sms.receipt().join();
            if (result.startsWith("DELIVERED")) {
                receipts.incrementAndGet();
            }
            waiting.decrementAndGet();
        });
    }

    void campaign(int number) {
        Random rnd = new Random(number);
        Carrier carrier = carriers.get(number % carriers.size());
        try {
            while (true) {
                long id = ids.incrementAndGet();
                Sms sms = new Sms(id, "+49170" + (1_000_000 + rnd.nextInt(8_999_999)),
                        "Campaign " + number + ": your voucher is " + Integer.toHexString(rnd.nextInt()), new CompletableFuture<>());
                submit(sms, carrier);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    long sent() {
        return carriers.stream().mapToLong(c -> c.sent.get()).sum();
    }

    public static void main(String[] args) throws Exception {
        TextMessageGateway g = new TextMessageGateway();
        for (Carrier c : g.carriers) {
            Thread.ofPlatform().daemon().name("carrier-" + c.name).start(c);
        }
        for (int i = 0; i < CAMPAIGNS; i++) {
            int number = i;
            Thread.ofPlatform().daemon().name("campaign-" + i).start(() -> g.campaign(number));
        }
        System.out.println("READY");
        long last = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = g.sent();
            System.out.printf("measured: sent/s=%d contract/s=%d receipts=%d awaiting_receipt=%d%n", n - last,
                    CONTRACT_PER_SECOND * g.carriers.size(), g.receipts.get(), g.waiting.get());
            last = n;
        }
        System.exit(0);
    }
}
