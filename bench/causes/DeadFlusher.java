// SPDX-License-Identifier: Apache-2.0
// cause: an exception ended the scheduled flusher of the audit queue for good; it is full, and every transfer waits for room: Audit.write
// expect: endpoint-wait kind=queue-full frame=DeadFlusher | waiting kind=queue-full frame=DeadFlusher | stuck what=queue
// symptom: waiting endpoint-wait stuck
// judge: right is what says that threads or requests wait for a queue (room in it) at DeadFlusher$Audit.write or DeadFlusher.transfer; symptom: a hang or wait without the queue; wrong to say that nothing stands out
// jdk: 11
// set: twelfth
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import wick.Scope;
import wick.Wick;

public final class DeadFlusher {
    private static volatile long flushed;

    private static final class Entry {
        private final String account;
        private final long cents;

        private Entry(String account, long cents) {
            this.account = account;
            this.cents = cents;
        }
    }

    private static final class Audit {
        private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(256);

        private void write(Entry entry) throws InterruptedException {
            queue.put(entry);
        }

        private void flush() {
            for (Entry e = queue.poll(); e != null; e = queue.poll()) {
                flushed += e.account.length() + e.cents; // nobody expects an account without a name
            }
        }
    }

    private final Audit audit = new Audit();

    private void transfer(int number) throws InterruptedException {
        long cents = number * 31L % 10_000;
        audit.write(new Entry(number == 500 ? null : "account-" + number % 100, cents));
    }

    private void serve(int first) {
        try {
            for (int number = first;; number += 6) {
                try (Scope request = Wick.span("POST /transfer")) {
                    transfer(number);
                }
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void health() {
        try {
            for (;;) {
                try (Scope request = Wick.span("GET /health")) {
                    flushed += 0;
                }
                Thread.sleep(250);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        DeadFlusher bank = new DeadFlusher();
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        ScheduledFuture<?> flusher = timer.scheduleAtFixedRate(bank.audit::flush, 50, 50, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 6; i++) {
            int first = i;
            new Thread(() -> bank.serve(first), "http-" + i).start();
        }
        new Thread(DeadFlusher::health, "health").start();
        while (!flusher.isDone() || bank.audit.queue.remainingCapacity() > 0) {
            Thread.sleep(100);
        }
        System.out.println("READY");
    }
}
