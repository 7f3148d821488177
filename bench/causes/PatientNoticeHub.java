// SPDX-License-Identifier: Apache-2.0
// healthy: A long-poll hub: 40 ward terminals wait up to 5 s in PatientNoticeHub.Mailbox.poll for notices which come at about 120 per second; waiting is its purpose, delivery takes well below a few milliseconds, CPU is almost idle.
// judge: right = no fault (idle, legitimate long polls); wrong = reporting the terminals' waits in Mailbox.poll, the sleeping feed, idle threads, or thread count as a problem.
// set: nineteenth
// jdk: 11
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class PatientNoticeHub {
    static final AtomicLong delivered = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();
    static final AtomicLong emptyPolls = new AtomicLong();

    static final class Notice {
        final int ward;
        final String text;
        final long created = System.nanoTime();

        Notice(int ward, String text) {
            this.ward = ward;
            this.text = text;
        }
    }

    static final class Mailbox {
        private final ReentrantLock guard = new ReentrantLock();
        private final Condition arrived = guard.newCondition();
        private final ArrayDeque<Notice> notices = new ArrayDeque<>();

        void offer(Notice n) {
            guard.lock();
            try {
                if (notices.size() >= 100) {
                    notices.removeFirst();
                }
                notices.addLast(n);
                arrived.signal();
            } finally {
                guard.unlock();
            }
        }

        Notice poll(long millis) throws InterruptedException {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            guard.lock();
            try {
                while (notices.isEmpty()) {
                    if (left <= 0) {
                        return null;
                    }
                    left = arrived.awaitNanos(left);
                }
                return notices.removeFirst();
            } finally {
                guard.unlock();
            }
        }
    }

    static final class Terminal implements Runnable {
        final Mailbox box;
        final int[] seen = new int[16];

        Terminal(Mailbox box) {
            this.box = box;
        }

        public void run() {
            try {
                while (true) {
                    Notice n = box.poll(5000);
                    if (n == null) {
                        emptyPolls.incrementAndGet();
                        continue;
                    }
                    show(n);
                    nanos.addAndGet(System.nanoTime() - n.created);
                    delivered.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void show(Notice n) {
            seen[n.text.length() & 15]++;
        }
    }

    static void feed(List<Mailbox> boxes) {
        Random random = new Random(11);
        try {
            while (true) {
                Thread.sleep(25);
                for (int i = 0; i < 3; i++) {
                    // the upper five wards are closed at the moment
                    int ward = random.nextInt(boxes.size() - 5);
                    boxes.get(ward).offer(new Notice(ward, "bed " + random.nextInt(30) + ": infusion ends at " + random.nextInt(24) + "h"));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        List<Mailbox> boxes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Mailbox box = new Mailbox();
            boxes.add(box);
            start("terminal-" + i, new Terminal(box));
        }
        start("notice-feed", () -> feed(boxes));
        Thread.sleep(2000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = delivered.get(), b = nanos.get();
            Thread.sleep(1000);
            long n = delivered.get() - a;
            System.out.println("measured: " + n + " notices/s latency=" + (nanos.get() - b) / Math.max(1, n) / 1000 + "us emptyPolls=" + emptyPolls.get());
        }
        System.exit(0);
    }
}
