// SPDX-License-Identifier: Apache-2.0
// cause: AuctionRooms.Room.enter adds a dependent stage to the house's closing future (whenComplete) for each bidder's visit, which stays there, with the visit's bids, long after the visit has ended
// share: as it is 84 visits/s, 33 MiB in use at the start (READY), 66 MiB after 170 s, rising by 0.23 MiB/s; fixed 2 MiB at all times (more than 16 times less)
// expect: live-set frame=AuctionRooms | live-set holder=CompletableFuture
// symptom: live-set | gc-pauses
// judge: NAMED: the heap in use after collections grows; what keeps it is the CompletableFuture AuctionRooms.House.closing (its chain of UniWhenComplete completions) with Visit objects / their byte[] or long[] that Room.enter (Visit.<init>) allocates. SYMPTOM ONLY: frequent collections, a full heap without its holder. WRONG: a larger heap as the first remedy, locks, threads, CPU.
// jdk: 21
// set: twenty-seventh
// jvm: -Xmx80m -XX:+UseG1GC
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

public class AuctionRooms {
    static final LongAdder visits = new LongAdder();
    static final LongAdder bids = new LongAdder();

    static final class House {
        final CompletableFuture<String> closing = new CompletableFuture<>();
        final List<Room> rooms = new ArrayList<>();
        final Set<Visit> present = Collections.newSetFromMap(new ConcurrentHashMap<>());

        House() {
            closing.thenAccept(why -> present.forEach(v -> v.end(why)));
        }
    }

    static final class Visit {
        final int bidder;
        final long[] offers = new long[340];
        int count;
        volatile String ended;

        Visit(int bidder) {
            this.bidder = bidder;
        }

        void offer(long cents) {
            offers[count++ % offers.length] = cents;
            bids.increment();
        }

        void end(String why) {
            if (ended == null)
                ended = why;
        }
    }

    static final class Room {
        final House house;
        final boolean roster = Boolean.getBoolean("fixed");
        long highest;

        Room(House house) {
            this.house = house;
        }

        Visit enter(int bidder) {
            Visit v = new Visit(bidder);
            if (roster)
                house.present.add(v);
            else
                house.closing.whenComplete((why, e) -> v.end(why));
            visits.increment();
            return v;
        }

        synchronized boolean bid(Visit v, long cents) {
            v.offer(cents);
            if (cents <= highest)
                return false;
            highest = cents;
            return true;
        }

        synchronized void nextLot() {
            highest = 0;
        }

        void leave(Visit v) {
            v.end("left");
            house.present.remove(v);
        }
    }

    static final class Bidders implements Runnable {
        final House house;
        final Random random;
        final long pauseMs;
        final int turns;

        Bidders(House house, int seed, long pauseMs, int turns) {
            this.house = house;
            random = new Random(seed);
            this.pauseMs = pauseMs;
            this.turns = turns;
        }

        String ticket(Visit v) {
            StringBuilder b = new StringBuilder("bidder ").append(v.bidder);
            for (int i = 0; i < v.count; i++)
                b.append(' ').append(v.offers[i]);
            return b.toString();
        }

        @Override
        public void run() {
            int length = 0;
            try {
                for (int i = 0; i < turns; i++) {
                    Room room = house.rooms.get(random.nextInt(house.rooms.size()));
                    Visit v = room.enter(i);
                    for (int k = 0; k < 40; k++) {
                        room.bid(v, random.nextInt(1_000_000));
                        length += ticket(v).length();
                    }
                    room.leave(v);
                    if (i % 20 == 0)
                        room.nextLot();
                    if (pauseMs > 0)
                        Thread.sleep(pauseMs);
                }
            } catch (InterruptedException e) {
                System.out.println(length);
            }
        }
    }

    static final class Catalogue implements Runnable {
        final Random random = new Random(99);
        int pages;

        String page(int lot) {
            StringBuilder b = new StringBuilder(2000);
            for (int i = 0; i < 60; i++)
                b.append("Lot ").append(lot + i).append(": estimate ").append(random.nextInt(9000)).append(", room ").append(i % 6).append('\n');
            return b.toString();
        }

        @Override
        public void run() {
            try {
                for (int i = 0;; i++) {
                    for (int k = 0; k < 30; k++)
                        pages += page(i * 60).length() & 1;
                    Thread.sleep(8);
                }
            } catch (InterruptedException e) {
                System.out.println(pages);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        House house = new House();
        for (int i = 0; i < 6; i++)
            house.rooms.add(new Room(house));
        ExecutorService pool = Executors.newFixedThreadPool(2, r -> {
            Thread t = new Thread(r, "bidders");
            t.setDaemon(true);
            return t;
        });
        List<CompletableFuture<Void>> first = new ArrayList<>();
        for (int i = 0; i < 2; i++)
            first.add(CompletableFuture.runAsync(new Bidders(house, i, 0, 5000), pool));
        first.forEach(CompletableFuture::join);
        for (int i = 0; i < 2; i++)
            pool.execute(new Bidders(house, 10 + i, 24, Integer.MAX_VALUE));
        Thread.ofPlatform().daemon().name("catalogue").start(new Catalogue());
        Thread.sleep(3000);
        System.out.println("READY");
        Runtime rt = Runtime.getRuntime();
        ArrayDeque<Long> used = new ArrayDeque<>();
        long last = visits.sum();
        while (System.nanoTime() < end) {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 20; i++) {
                Thread.sleep(50);
                least = Math.min(least, rt.totalMemory() - rt.freeMemory());
            }
            used.add(least);
            if (used.size() > 8)
                used.remove();
            long n = visits.sum();
            System.out.printf("measured: %d visits/s, %.1f MiB in use at least in the last 8 s%n", n - last, Collections.min(used) / 1048576.0);
            last = n;
        }
        System.exit(0);
    }
}
