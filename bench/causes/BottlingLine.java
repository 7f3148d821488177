// SPDX-License-Identifier: Apache-2.0
// cause: Lane.enqueue tests whether the lane was empty only after it has added the crate, so it never calls notify and the filler thread in Lane.next wakes up only when its wait(20) times out.
// share: throughput 500 crates/s (turn 16 ms) vs 98000/s (turn 0.08 ms) fixed
// judge: must say that the waiting fillers in Lane.next (Object.wait(20)) are not notified by Lane.enqueue (missing/never executed notify, wrong emptiness test) so that each crate waits for the timeout; "threads are idle / waiting" or "too few fillers" does not count
// set: eighteenth
// expect: waiting ranOut=Lane.next
// symptom: waiting
// jdk: 21
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

public class BottlingLine {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder crates = new LongAdder();
    static final LongAdder turnNanos = new LongAdder();

    record Crate(long id, int bottles, BlockingQueue<Label> dock) { }

    record Label(long id, String text, int check) { }

    static final class Lane {
        private final ArrayDeque<Crate> waiting = new ArrayDeque<>();
        private final int limit;

        Lane(int limit) {
            this.limit = limit;
        }

        synchronized boolean enqueue(Crate c) {
            if (waiting.size() >= limit) {
                return false;
            }
            boolean wasEmpty = waiting.isEmpty();
            waiting.addLast(c);
            if (FIXED ? wasEmpty : waiting.isEmpty()) {
                notify();
            }
            return true;
        }

        synchronized Crate next() throws InterruptedException {
            while (waiting.isEmpty()) {
                wait(20);
            }
            return waiting.pollFirst();
        }

        synchronized int depth() {
            return waiting.size();
        }
    }

    private final List<Lane> lanes = new ArrayList<>();

    private Label fill(Crate c) {
        double volume = 0;
        for (int i = 0; i < c.bottles(); i++) {
            volume += 0.5 + Math.sin(c.id() + i) * 0.002;
        }
        StringBuilder sb = new StringBuilder("LOT");
        sb.append(c.id()).append('/').append(c.bottles()).append('/').append(Math.round(volume * 1000));
        int check = 7;
        for (int i = 0; i < sb.length(); i++) {
            check = (check * 31 + sb.charAt(i)) % 97;
        }
        return new Label(c.id(), sb.toString(), check);
    }

    private void filler(Lane lane) {
        try {
            while (true) {
                Crate c = lane.next();
                c.dock().put(fill(c));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loader(int no) {
        BlockingQueue<Label> dock = new ArrayBlockingQueue<>(4);
        int checks = 0;
        try {
            for (long id = no; ; id += 8) {
                Lane lane = lanes.get(no % lanes.size());
                long t0 = System.nanoTime();
                while (!lane.enqueue(new Crate(id, 24 + (int) (id % 12), dock))) {
                    Thread.sleep(1);
                }
                Label label = dock.take();
                turnNanos.add(System.nanoTime() - t0);
                crates.increment();
                checks = palletize(label, checks);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int palletize(Label l, int sum) {
        int s = sum;
        for (int i = 0; i < 2000; i++) {
            s = s * 17 + l.text().charAt(i % l.text().length()) + l.check();
        }
        return s;
    }

    private static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BottlingLine b = new BottlingLine();
        for (int i = 0; i < 4; i++) {
            Lane lane = new Lane(16);
            b.lanes.add(lane);
            daemon(() -> b.filler(lane), "filler-" + i);
        }
        for (int i = 0; i < 8; i++) {
            int no = i;
            daemon(() -> b.loader(no), "loader-" + i);
        }
        System.out.println("READY");
        long before = 0;
        long nanos = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = crates.sum();
            long w = turnNanos.sum();
            int depth = b.lanes.stream().mapToInt(Lane::depth).sum();
            System.out.println("measured: crates/s=" + (now - before) + " turn_us="
                    + (w - nanos) / Math.max(1, now - before) / 1000 + " depth=" + depth);
            before = now;
            nanos = w;
        }
    }
}
