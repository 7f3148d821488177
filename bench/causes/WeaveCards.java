// SPDX-License-Identifier: Apache-2.0
// cause: WeaveCards.PATTERN is a ThreadLocal buffer of 384 KB meant for reuse, but every card is punched on a virtual thread of its own (newVirtualThreadPerTaskExecutor), so WeaveCards.punch allocates and zeroes a new buffer for each card: heavy allocation and constant GC.
// share: about 70 to 85 % of the time; 10000 against 30000 cards/s with -Dfixed=true (ratio about 3; about 7 when both run side by side on a loaded machine)
// judge: must say that the thread-local buffer (WeaveCards.PATTERN / its initial value) is never reused because each task runs on a new virtual thread. "High allocation rate of byte[]" or "GC too frequent / heap too small" alone is only a symptom.
// expect: hot-code kind=thread-locals
// symptom: unstarted-threads gc-pauses gc-cpu promotion humongous
// set: twentieth
// jdk: 21
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class WeaveCards {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final int LOOMS = 24;
    static final int SIZE = 384 * 1024;
    static final ThreadLocal<byte[]> PATTERN = ThreadLocal.withInitial(() -> new byte[SIZE]);

    record Order(long id, int picks, int warp) { }

    final BlockingQueue<byte[]> shelf = new ArrayBlockingQueue<>(LOOMS);
    final Semaphore looms = new Semaphore(LOOMS);
    final LongAdder punched = new LongAdder();
    volatile int lastSeal;

    WeaveCards() {
        for (int i = 0; REVISED && i < LOOMS; i++) {
            shelf.add(new byte[SIZE]);
        }
    }

    void card(Order o) {
        try {
            if (REVISED) {
                byte[] sheet = shelf.take();
                try {
                    lastSeal = punch(o, sheet);
                } finally {
                    shelf.put(sheet);
                }
            } else {
                lastSeal = punch(o, PATTERN.get());
            }
            punched.increment();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            looms.release();
        }
    }

    int punch(Order o, byte[] sheet) {
        int used = 0;
        for (int pick = 0; pick < o.picks(); pick++) {
            int tie = (int) (o.id() * 31 + pick * 17L);
            for (int w = 0; w < o.warp(); w++) {
                sheet[used++] = (byte) ((tie >>> (w & 15)) & 1);
            }
        }
        int seal = 1;
        for (int i = 0; i < used; i++) {
            seal = seal * 33 + sheet[i];
        }
        return seal;
    }

    void foreman() throws InterruptedException {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try (ExecutorService floor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (long id = 1; ; id++) {
                Order o = new Order(id, 40 + r.nextInt(60), 64 + r.nextInt(64));
                looms.acquire();
                floor.submit(() -> card(o));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        WeaveCards mill = new WeaveCards();
        Thread t = new Thread(() -> {
            try {
                mill.foreman();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "foreman");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = mill.punched.sum();
            System.out.println("measured: " + (now - last) + " cards/s");
            last = now;
        }
        System.exit(0);
    }
}
