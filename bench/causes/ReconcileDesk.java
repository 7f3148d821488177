// SPDX-License-Identifier: Apache-2.0
// cause: ReconcileDesk.close calls HashSet.removeAll with an ArrayList argument that is longer than the set; AbstractSet.removeAll then iterates over the set and calls ArrayList.contains (a linear search) for each element, so closing one account costs set size times list size comparisons instead of one hash lookup per element.
// share: faulty about 162 statements/s at mean 11.6 ms, fixed about 6 200 statements/s at mean 0.14 ms (factor 38).
// expect: hot-code kind=searching
// symptom: hot-method waiting saturated-thread
// judge: NAMED: HashSet/AbstractSet.removeAll with a List argument in ReconcileDesk.close (linear ArrayList.contains/indexOf per set element, quadratic). SYMPTOM ONLY: ArrayList.indexOf / Long.equals / String.equals / Booking.equals is hot, or high CPU, without naming removeAll with a list as the reason. WRONG: bad hash codes or hash collisions, record equality as such, sorting, GC or boxing, the thread pool or the queue.
// jdk: 25
// set: twenty-fifth
// jvm:

import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ReconcileDesk {
    record Booking(int account, long number, int cents) {
    }

    record Statement(int account, List<Booking> expected, List<Booking> confirmed) {
    }

    record Result(int account, int open, long openCents) {
    }

    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final BlockingQueue<Statement> inbox = new ArrayBlockingQueue<>(20);
    static final AtomicLong closed = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();
    static final AtomicLong openCents = new AtomicLong();

    static Result close(Statement s) {
        Set<Booking> open = new HashSet<>(s.expected());
        if (VARIANT) {
            for (Booking b : s.confirmed()) {
                open.remove(b);
            }
        } else {
            open.removeAll(s.confirmed());
        }
        long cents = 0;
        for (Booking b : open) {
            cents += b.cents();
        }
        return new Result(s.account(), open.size(), cents);
    }

    static Statement statement(int account, Random rnd) {
        int n = 1500 + rnd.nextInt(800);
        List<Booking> expected = new ArrayList<>(n);
        List<Booking> confirmed = new ArrayList<>(n + n / 4);
        long number = rnd.nextInt(1_000_000);
        for (int i = 0; i < n; i++) {
            number += 1 + rnd.nextInt(50);
            Booking b = new Booking(account, number, 100 + rnd.nextInt(90000));
            expected.add(b);
            if (rnd.nextInt(20) != 0) {
                confirmed.add(new Booking(b.account(), b.number(), b.cents()));
            }
        }
        for (int i = 0; i < n / 5; i++) {
            number += 1 + rnd.nextInt(50);
            confirmed.add(new Booking(account, number, 5 + rnd.nextInt(900)));
        }
        Collections.shuffle(confirmed, rnd);
        return new Statement(account, expected, confirmed);
    }

    static void bank() {
        Random rnd = new Random(25);
        int account = 0;
        try {
            while (true) {
                inbox.put(statement(++account, rnd));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void officer(Map<Integer, Result> recent) {
        try {
            while (true) {
                Statement s = inbox.take();
                long t0 = System.nanoTime();
                Result r = close(s);
                nanos.addAndGet(System.nanoTime() - t0);
                recent.put(r.account() % 500, r);
                openCents.addAndGet(r.openCents());
                closed.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Map<Integer, Result> recent = new ConcurrentHashMap<>();
        List<Thread> threads = new ArrayList<>();
        threads.add(Thread.ofPlatform().daemon().name("bank").start(ReconcileDesk::bank));
        for (int i = 0; i < 2; i++) {
            threads.add(Thread.ofPlatform().daemon().name("officer-" + i).start(() -> officer(recent)));
        }
        System.out.println("READY");
        long last = 0;
        long lastNanos = 0;
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long c = closed.get();
            long n = nanos.get();
            System.out.println("measured: " + (c - last) + " statements/s, mean "
                    + (n - lastNanos) / Math.max(1, c - last) / 1000 + " us");
            last = c;
            lastNanos = n;
        }
        for (Thread t : threads) {
            t.interrupt();
        }
        int stillOpen = 0;
        for (Result r : recent.values()) {
            stillOpen += r.open();
        }
        System.out.println("done " + stillOpen + " open, cents " + openCents.get());
    }
}
