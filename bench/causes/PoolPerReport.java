// SPDX-License-Identifier: Apache-2.0
// cause: each report makes a pool of 24 threads for its 24 short parts and shuts it down: PoolPerReport.report
// expect: hot-method frame=PoolPerReport.report | hot-method caller=PoolPerReport.report | hot-calls frame=PoolPerReport.report | hot-code frame=PoolPerReport.report | endpoint-cpu frame=PoolPerReport.report | waiting kind=thread-start | waiting frame=PoolPerReport.report | endpoint-wait frame=PoolPerReport.report
// symptom: hot-method hot-calls hot-code waiting too-many-threads endpoint-wait
// jdk: 11
// set: ninth
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

public final class PoolPerReport {
    private static final int PARTS = 24;
    private static final LongAdder PARTS_NANOS = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder REPORTS = new LongAdder();
    private static volatile long last;

    private static long part(int department) {
        long start = System.nanoTime();
        long sum = department;
        for (int i = 0; i < 3000; i++) {
            sum += sum << 3 ^ i;
        }
        PARTS_NANOS.add(System.nanoTime() - start);
        return sum;
    }

    private static long report() throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(PARTS);
        try {
            List<Callable<Long>> parts = new ArrayList<>();
            for (int i = 0; i < PARTS; i++) {
                int department = i;
                parts.add(() -> part(department));
            }
            long sum = 0;
            for (Future<Long> one : pool.invokeAll(parts)) {
                sum += one.get();
            }
            return sum;
        } finally {
            pool.shutdown();
        }
    }

    private static void serve() {
        try {
            for (;;) {
                long start = System.nanoTime();
                last = report();
                ALL.add(System.nanoTime() - start);
                REPORTS.increment();
                Thread.sleep(2); // the next manager
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            new Thread(PoolPerReport::serve, "http-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: a report takes " + ALL.sum() / (REPORTS.sum() + 1) / 1000
                    + " us, its parts together " + PARTS_NANOS.sum() / (REPORTS.sum() + 1) / 1000 + " us; "
                    + REPORTS.sum() * PARTS + " threads started");
        }
    }
}
