// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for locks and measure themselves how long. Commands on standard input:
 *
 * <pre>
 *   run MS HOLD_US THREADS   for so long as many threads enter a monitor, others take a ReentrantLock, each held for about
 *                            that time; others Object.wait and park with a timeout; prints what they measured
 *   go HOLD_US THREADS       the same without end, in the background; halt ends it
 *   hold MS                  known owners: "owner-sync" and "owner-lock" hold locks, one asleep, one computing, for so long
 *                            after the last waiter has come
 *   deadlock                 two pairs of threads that wait for each other for ever
 *   quick N                  so many uncontended locks; prints the time they took
 *   quit
 * </pre>
 */
public class Locks {
    static final Object monitor = new Monitor();
    static final ReentrantLock lock = new ReentrantLock();

    static class Monitor {}

    /** What a sort of wait came to, by the program's own clock. */
    static final class Truth {
        final AtomicLong waits = new AtomicLong(), ns = new AtomicLong();

        void add(long waited) {
            waits.incrementAndGet();
            ns.addAndGet(waited);
        }
    }

    static volatile boolean running;
    static volatile long sink;

    static void work(long ns) {
        long end = System.nanoTime() + ns, x = sink;
        while (System.nanoTime() < end)
            x = x * 31 + 7;
        sink = x;
    }

    /** Sleeps: holding a lock needs no processor, so all threads can be served on a small machine. */
    static void nap(long ns) {
        if (ns >= 50_000)
            sleepNanos(ns);
        else
            work(ns);
    }

    static void sleepNanos(long ns) {
        try {
            Thread.sleep(ns / 1_000_000, (int) (ns % 1_000_000));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void enterMonitor(Truth t, long hold) {
        long before = System.nanoTime();
        synchronized (monitor) {
            t.add(System.nanoTime() - before);
            nap(hold);
        }
    }

    static void takeLock(Truth t, long hold) {
        long before = System.nanoTime();
        lock.lock();
        try {
            t.add(System.nanoTime() - before);
            nap(hold);
        } finally {
            lock.unlock();
        }
    }

    static void waitFor(Truth t, long ms) {
        Object own = new Object();
        synchronized (own) {
            long before = System.nanoTime();
            try {
                own.wait(ms);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            t.add(System.nanoTime() - before);
        }
    }

    static void parkFor(Truth t, long ns) {
        long before = System.nanoTime();
        LockSupport.parkNanos(t, ns);
        t.add(System.nanoTime() - before);
    }

    /** What threads waited for a CPU, in their waits or beside them. */
    static final AtomicLong crowded = new AtomicLong();

    /** That of the calling thread. */
    static long runQueueNs() {
        try {
            return Long.parseLong(new String(Files.readAllBytes(Paths.get("/proc/thread-self/schedstat"))).split(" ")[1]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    interface Turn {
        void take(Random r);
    }

    static Thread repeat(String name, Turn turn) {
        Thread t = new Thread(() -> {
            Random r = new Random(name.hashCode());
            while (running)
                turn.take(r);
            crowded.addAndGet(runQueueNs());
        }, name);
        t.start();
        return t;
    }

    static Truth enter, take, wait, park;
    static final List<Thread> all = new ArrayList<>();

    static void go(long holdUs, int threads) {
        enter = new Truth();
        take = new Truth();
        wait = new Truth();
        park = new Truth();
        running = true;
        crowded.set(0);
        for (int i = 0; i < threads; i++) {
            all.add(repeat("enter-" + i, r -> enterMonitor(enter, holdUs * (500 + r.nextInt(1000)))));
            all.add(repeat("take-" + i, r -> takeLock(take, holdUs * (500 + r.nextInt(1000)))));
        }
        all.add(repeat("waits", r -> waitFor(wait, 1 + r.nextInt(8))));
        all.add(repeat("parks", r -> parkFor(park, 100_000 * (1 + r.nextInt(80)))));
    }

    static void halt() throws Exception {
        running = false;
        for (Thread t : all)
            t.join();
        all.clear();
    }

    static void run(long ms, long holdUs, int threads) throws Exception {
        go(holdUs, threads);
        Thread.sleep(ms);
        halt();
        System.out.println("truth enter " + enter.ns + " " + enter.waits + " take " + take.ns + " " + take.waits + " wait "
            + wait.ns + " " + wait.waits + " park " + park.ns + " " + park.waits + " crowded " + crowded + " 0");
    }

    /** What the owners hold, they hold till then. */
    static volatile long until;

    static boolean holds() {
        return System.nanoTime() - until < 0;
    }

    static void ownerSleeps(CountDownLatch owned) {
        synchronized (monitor) {
            owned.countDown();
            while (holds())
                sleepNanos(20_000_000);
        }
    }

    static void ownerComputes(CountDownLatch owned) {
        lock.lock();
        try {
            owned.countDown();
            while (holds())
                work(1_000_000);
        } finally {
            lock.unlock();
        }
    }

    static void ownerComputesInMonitor(Object m, CountDownLatch owned) {
        synchronized (m) {
            owned.countDown();
            while (holds())
                work(1_000_000);
        }
    }

    static boolean waits(Thread t) {
        return t.getState() == Thread.State.BLOCKED || t.getState() == Thread.State.WAITING;
    }

    static void hold(long ms) throws Exception {
        Object busy = new ArrayList<>();
        Truth t = new Truth();
        CountDownLatch owned = new CountDownLatch(3);
        until = System.nanoTime() + 100_000_000_000L;
        Thread[] owners = {new Thread(() -> ownerSleeps(owned), "owner-sync"), new Thread(() -> ownerComputes(owned), "owner-lock"),
            new Thread(() -> ownerComputesInMonitor(busy, owned), "owner-busy")};
        for (Thread o : owners)
            o.start();
        owned.await();
        Thread[] waiters = {new Thread(() -> enterMonitor(t, 0), "waiter-sync"), new Thread(() -> takeLock(t, 0), "waiter-lock"),
            new Thread(() -> ownerComputesInMonitor(busy, owned), "waiter-busy")};
        for (Thread w : waiters)
            w.start();
        for (Thread w : waiters)
            while (!waits(w))
                Thread.sleep(1);
        until = System.nanoTime() + ms * 1_000_000;
        for (Thread o : owners)
            o.join();
        for (Thread w : waiters)
            w.join();
        System.out.println("held " + t.ns);
    }

    static void pair(String name, Runnable first, Runnable second) {
        Thread a = new Thread(first, name + "-a"), b = new Thread(second, name + "-b");
        a.setDaemon(true);
        b.setDaemon(true);
        a.start();
        b.start();
    }

    /** Both of a pair have their outer lock before either asks for its inner one. */
    static void meet(CountDownLatch both) {
        both.countDown();
        try {
            both.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void nested(Object outer, Object inner, CountDownLatch both) {
        synchronized (outer) {
            meet(both);
            synchronized (inner) {
                sink++;
            }
        }
    }

    static void nested(ReentrantLock outer, ReentrantLock inner, CountDownLatch both) {
        outer.lock();
        meet(both);
        inner.lock();
    }

    static void deadlock() throws Exception {
        Object p = new Object(), q = new Object();
        ReentrantLock x = new ReentrantLock(), y = new ReentrantLock();
        CountDownLatch monitors = new CountDownLatch(2), locks = new CountDownLatch(2);
        pair("dead-sync", () -> nested(p, q, monitors), () -> nested(q, p, monitors));
        pair("dead-lock", () -> nested(x, y, locks), () -> nested(y, x, locks));
        for (long[] found = null; found == null || found.length < 4; Thread.sleep(10))
            found = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        System.out.println("deadlocked yes");
    }

    static void quick(long n) {
        long before = System.nanoTime();
        for (long i = 0; i < n; i++) {
            synchronized (monitor) {
                sink++;
            }
            lock.lock();
            sink++;
            lock.unlock();
        }
        System.out.println("quick " + (System.nanoTime() - before));
    }

    public static void main(String[] args) throws Exception {
        System.out.println("up");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            String[] w = line.split(" ");
            if (w[0].equals("run"))
                run(Long.parseLong(w[1]), Long.parseLong(w[2]), Integer.parseInt(w[3]));
            else if (w[0].equals("go")) {
                go(Long.parseLong(w[1]), Integer.parseInt(w[2]));
                System.out.println("going");
            } else if (w[0].equals("halt")) {
                halt();
                System.out.println("halted");
            } else if (w[0].equals("hold"))
                hold(Long.parseLong(w[1]));
            else if (w[0].equals("deadlock"))
                deadlock();
            else if (w[0].equals("quick"))
                quick(Long.parseLong(w[1]));
            else
                break;
        }
        System.exit(0);
    }
}
