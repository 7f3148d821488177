// SPDX-License-Identifier: Apache-2.0
// cause: the pool that talks to the customs office never has more threads than its core size, 2, as its queue is never full; declarations wait in it: CustomsBridge.declare
// share: 96 % of a declaration is waiting in the queue of the pool
// expect: pool-busy | waiting frame=CustomsBridge.declare | endpoint-wait frame=CustomsBridge.declare
// judge: right is that the pool of 2 threads is too small and that declarations are queued; that duty() sleeps is a symptom
// symptom: waiting
// jdk: 21
// set: tenth
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Declarations come on virtual threads; the client of the customs office may be used by platform threads only. */
public final class CustomsBridge {
    private static final LongAdder QUEUED = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder COUNT = new LongAdder();

    private record Declaration(int number, String tariff, long cents) {
    }

    private final ThreadPoolExecutor office = new ThreadPoolExecutor(2, 32, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>());

    /** The office takes its time to answer. */
    private static long duty(Declaration declaration) throws InterruptedException {
        Thread.sleep(6);
        return declaration.cents() * (3 + declaration.tariff().length() % 5) / 100;
    }

    private long declare(Declaration declaration) throws InterruptedException, ExecutionException {
        long start = System.nanoTime();
        return office.submit(() -> {
            QUEUED.add(System.nanoTime() - start);
            return duty(declaration);
        }).get();
    }

    private void forwarder(int number) {
        long sum = 0;
        try {
            for (int n = number; sum >= 0; n = (n + 80) % 1_000_000) {
                long start = System.nanoTime();
                sum += declare(new Declaration(n, "8471" + n % 1000, 10_000 + n % 7000));
                ALL.add(System.nanoTime() - start);
                COUNT.increment();
                Thread.sleep(ThreadLocalRandom.current().nextInt(40, 80));
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        CustomsBridge bridge = new CustomsBridge();
        for (int i = 0; i < 80; i++) {
            int number = i;
            Thread.ofVirtual().name("forwarder-" + i).start(() -> bridge.forwarder(number));
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            System.out.println("measured: " + 100 * QUEUED.sumThenReset() / (all + 1) + " % of a declaration is waiting in the queue, "
                    + all / (COUNT.sumThenReset() + 1) / 1000 + " us a declaration, "
                    + bridge.office.getPoolSize() + " threads, " + bridge.office.getQueue().size() + " queued");
        }
    }
}
