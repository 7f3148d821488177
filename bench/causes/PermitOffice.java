// SPDX-License-Identifier: Apache-2.0
// healthy: Twelve desk threads send permit requests to a national register whose contract allows 100 requests/s; a pacer hands out the agreed slots, so the desks spend most of their time waiting in QuotaPacer.nextSlot by design, and the agreed rate is fully used.
// share: none; throughput equals the contract quota of 100/s (config permit.quota), CPU nearly idle
// judge: Right is "no fault found" or the remark that throughput equals the configured quota (permit.quota=100/s) and the waits in QuotaPacer are intended. Wrong: naming lock contention in QuotaPacer, too few threads, the register's latency, sleep calls, GC, or starvation as a fault that should be fixed.
// jdk: 21
// set: seventeenth
// jvm: -Dpermit.quota=100
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.*;

public class PermitOffice {
    static final LongAdder granted = new LongAdder(), asked = new LongAdder(), waited = new LongAdder();

    public static void main(String[] args) throws Exception {
        int quota = Integer.getInteger("permit.quota", 100);
        System.out.println("register contract: " + quota + " requests/s");
        QuotaPacer pacer = new QuotaPacer(quota);
        NationalRegister register = new NationalRegister();
        BlockingQueue<Application> inTray = new ArrayBlockingQueue<>(40);
        Thread.ofPlatform().daemon().name("mail-room").start(() -> mailRoom(inTray));
        for (int i = 0; i < 12; i++) Thread.ofPlatform().daemon().name("desk-" + i).start(new Desk(inTray, pacer, register));
        System.out.println("READY");
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = asked.sumThenReset();
            System.out.printf("measured: %d requests/s, mean wait for slot %.1f ms, granted %d%n", n, waited.sumThenReset() / 1e6 / Math.max(1, n), granted.sum());
        }
    }

    static void mailRoom(BlockingQueue<Application> inTray) {
        Random random = new Random(9);
        try {
            for (long n = 1; ; n++) inTray.put(new Application(n, "parcel " + random.nextInt(9000), 20 + random.nextInt(400), random.nextInt(14)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

record Application(long number, String plot, int area, int zone) {}

class QuotaPacer {
    private final ReentrantLock lock = new ReentrantLock(true);
    private final long interval;
    private long next = System.nanoTime();

    QuotaPacer(int perSecond) { interval = 1_000_000_000L / perSecond; }

    void nextSlot() throws InterruptedException {
        long slot;
        lock.lockInterruptibly();
        try {
            long now = System.nanoTime();
            if (next < now - 20 * interval) next = now;
            slot = next;
            next += interval;
        } finally {
            lock.unlock();
        }
        for (long left; (left = slot - System.nanoTime()) > 0; ) {
            if (Thread.interrupted()) throw new InterruptedException();
            LockSupport.parkNanos(this, left);
        }
    }
}

class NationalRegister {
    private final Map<String, Integer> files = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override protected boolean removeEldestEntry(Map.Entry<String, Integer> e) { return size() > 4000; }
    });

    boolean check(Application a) throws InterruptedException {
        Thread.sleep(8);
        int visits = files.merge(a.plot(), 1, Integer::sum);
        return a.area() < 300 && visits < 50;
    }
}

class Assessment {
    static double score(Application a) {
        double s = a.area();
        for (int i = 1; i < 3000; i++) s += Math.sin(a.zone() * i) / i;
        return s;
    }
}

class Desk implements Runnable {
    private final BlockingQueue<Application> inTray;
    private final QuotaPacer pacer;
    private final NationalRegister register;

    Desk(BlockingQueue<Application> inTray, QuotaPacer pacer, NationalRegister register) {
        this.inTray = inTray;
        this.pacer = pacer;
        this.register = register;
    }

    public void run() {
        try {
            while (true) {
                Application a = inTray.take();
                double score = Assessment.score(a);
                long t0 = System.nanoTime();
                pacer.nextSlot();
                PermitOffice.waited.add(System.nanoTime() - t0);
                if (register.check(a) && score < 280) PermitOffice.granted.increment();
                PermitOffice.asked.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
