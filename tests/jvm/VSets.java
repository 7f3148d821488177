// SPDX-License-Identifier: Apache-2.0
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Virtual threads without a context that wait: as many as the first argument says that were started by themselves (alone), as many
 * in one executor (pooled), and three at a time in executors of their own that soon end (brief); platform threads of an executor
 * wait beside them (platform). With a second argument a platform thread makes garbage. Prints {@code up} once those wait that last, and from
 * then on ten times a second the time since 1970, how long those of the brief ones have taken that have ended, and the longest, in
 * seconds. "relay" instead: threads wait in before(), young collections move them, and all go on to wait in after(), upon which "after" is printed.
 * "starved" instead: threads that never run, as one that computes has the only carrier. Written for JDK 8's language.
 */
public class VSets {
    static final Semaphore none = new Semaphore(0);
    static final LongAdder brief = new LongAdder();
    static final LongAccumulator longest = new LongAccumulator(Long::max, 0);
    static CountDownLatch begun;
    static volatile Object[] kept = new Object[1 << 14];

    static void alone() {
        begun.countDown();
        none.acquireUninterruptibly();
    }

    static Object pooled() {
        begun.countDown();
        none.acquireUninterruptibly();
        return null;
    }

    static Object platform() {
        begun.countDown();
        none.acquireUninterruptibly();
        return null;
    }

    static Object brief() throws InterruptedException {
        long start = System.nanoTime();
        Thread.sleep(20);
        long took = System.nanoTime() - start;
        brief.add(took);
        longest.accumulate(took);
        return null;
    }

    static ThreadFactory factory() throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }

    static ExecutorService executor(ThreadFactory threads) throws Exception {
        return (ExecutorService) Executors.class.getMethod("newThreadPerTaskExecutor", ThreadFactory.class).invoke(null, threads);
    }

    static void inTurn(ThreadFactory threads) {
        try {
            while (true) {
                ExecutorService own = executor(threads);
                for (int i = 0; i < 3; i++) {
                    own.submit((Callable<Object>) VSets::brief);
                }
                ExecutorService.class.getMethod("close").invoke(own);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static void before(Semaphore gate) {
        begun.countDown();
        gate.acquireUninterruptibly();
        after();
    }

    static void after() {
        begun.countDown();
        none.acquireUninterruptibly();
    }

    static long collections() {
        long n = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            n += b.getCollectionCount();
        }
        return n;
    }

    static void relay(int each, ThreadFactory virtual) throws Exception {
        Semaphore gate = new Semaphore(0);
        begun = new CountDownLatch(each);
        for (int i = 0; i < each; i++) {
            virtual.newThread(() -> before(gate)).start();
        }
        begun.await();
        System.out.println("up");
        begun = new CountDownLatch(each);
        for (long old = collections(); collections() < old + 2;) {
            kept[0] = new byte[100_000];
        }
        gate.release(each);
        begun.await();
        System.out.println("after " + System.currentTimeMillis() / 1e3);
        none.acquire();
    }

    static void starved(int each, ThreadFactory virtual) throws Exception {
        begun = new CountDownLatch(1);
        virtual.newThread(() -> {
            for (begun.countDown();; brief.increment()) {
                longest.accumulate(1);
            }
        }).start();
        begun.await();
        for (int i = 0; i < each; i++) {
            virtual.newThread(VSets::after).start();
        }
        System.out.println("up");
        none.acquire();
    }

    static void garbage() {
        for (int i = 0;; i++) {
            kept[i * 31 & kept.length - 1] = new byte[i % 2000];
        }
    }

    static void daemon(Runnable work, String name) {
        Thread t = new Thread(work, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        int each = Integer.parseInt(args[0]);
        ThreadFactory virtual = factory();
        if (args.length > 1 && args[1].equals("relay")) {
            relay(each, virtual);
        } else if (args.length > 1 && args[1].equals("starved")) {
            starved(each, virtual);
        }
        ExecutorService pool = executor(virtual), platform = executor(Executors.defaultThreadFactory());
        begun = new CountDownLatch(2 * each + 4);
        for (int i = 0; i < each; i++) {
            virtual.newThread(VSets::alone).start();
            pool.submit((Callable<Object>) VSets::pooled);
        }
        for (int i = 0; i < 4; i++) {
            platform.submit((Callable<Object>) VSets::platform);
        }
        if (args.length > 1) {
            daemon(VSets::garbage, "garbage");
        }
        begun.await();
        daemon(() -> inTurn(virtual), "in-turn-1");
        daemon(() -> inTurn(virtual), "in-turn-2");
        System.out.println("up");
        while (true) {
            System.out.println("brief " + System.currentTimeMillis() / 1e3 + " " + brief.sum() / 1e9 + " " + longest.get() / 1e9);
            Thread.sleep(100);
        }
    }
}
