// SPDX-License-Identifier: Apache-2.0
// cause: each row of an import, 1 us of work, gets a virtual thread and a future: RowPerVirtual.load
// expect: hot-method frame=RowPerVirtual.load | hot-method caller=RowPerVirtual.load | hot-calls frame=RowPerVirtual.load | hot-code frame=RowPerVirtual.load | endpoint-cpu frame=RowPerVirtual.load | unstarted-threads | waiting frame=RowPerVirtual.load
// symptom: hot-method hot-calls hot-code waiting unstarted-threads gc-cpu gc-pauses
// jdk: 25
// set: ninth
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** One import in ten is parsed by a plain loop, to have something to compare with. */
public final class RowPerVirtual {
    private static final int ROWS = 20_000;
    private static volatile long virtualNanos;
    private static volatile long virtualLoads;
    private static volatile long plainNanos;
    private static volatile long plainLoads;
    private static volatile long sum;

    private static long parse(String row) {
        long value = 0;
        long fields = 0;
        for (int i = 0; i < row.length(); i++) {
            char c = row.charAt(i);
            if (c == ';') {
                fields += value;
                value = 0;
            } else {
                value = value * 10 + c - '0';
            }
        }
        return fields + value;
    }

    private static long load(List<String> rows) throws InterruptedException, ExecutionException {
        List<Future<Long>> parsed = new ArrayList<>(rows.size());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (String row : rows) {
                parsed.add(threads.submit(() -> parse(row)));
            }
        }
        long total = 0;
        for (Future<Long> one : parsed) {
            total += one.get();
        }
        return total;
    }

    private static long plain(List<String> rows) {
        long total = 0;
        for (String row : rows) {
            total += parse(row);
        }
        return total;
    }

    private static void run() {
        try {
            List<String> rows = new ArrayList<>(ROWS);
            for (int i = 0; i < ROWS; i++) {
                rows.add(i + ";" + i * 37 % 1000 + ";" + i % 12 + ";20240501;" + i * 31L % 90_000);
            }
            for (int i = 1;; i++) {
                long start = System.nanoTime();
                if (i % 10 == 0) {
                    sum += plain(rows);
                    plainNanos += System.nanoTime() - start;
                    plainLoads++;
                } else {
                    sum += load(rows);
                    virtualNanos += System.nanoTime() - start;
                    virtualLoads++;
                }
                Thread.sleep(5); // the next file
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(RowPerVirtual::run, "import").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: an import takes " + virtualNanos / (virtualLoads + 1) / 1000
                    + " us, a plain loop " + plainNanos / (plainLoads + 1) / 1000 + " us");
        }
    }
}
