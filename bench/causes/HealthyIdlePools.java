// SPDX-License-Identifier: Apache-2.0
// healthy: a hundred threads of several pools have hardly anything to do, and what there is is done at once
// jdk: 21
// set: fourth
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

public final class HealthyIdlePools {
    private static volatile long done;

    private static long checksum(int seed) {
        CRC32 crc = new CRC32();
        byte[] block = new byte[4096];
        for (int i = 0; i < 120; i++) {
            block[i] = (byte) seed;
            crc.update(block);
        }
        return crc.getValue();
    }

    private static int words(int seed) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            text.append(seed + i).append(' ');
        }
        return text.toString().split(" ").length;
    }

    private static ExecutorService pool(String name, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name(name + "-", 0).factory());
        pool.prestartAllCoreThreads();
        return pool;
    }

    public static void main(String[] args) throws Exception {
        List<ExecutorService> pools = new ArrayList<>();
        for (String name : new String[] {"http", "database", "mail", "index", "export"}) {
            pools.add(pool(name, 20));
        }
        pools.add(new ForkJoinPool(8));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(4);
        timer.scheduleAtFixedRate(() -> done += checksum(1), 100, 100, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int i = 0;; i++) {
            int seed = i;
            ExecutorService pool = pools.get(i % pools.size());
            done += pool.submit(() -> words(seed)).get();
            done += pool.submit(() -> checksum(seed)).get();
            Thread.sleep(10); // the next client
        }
    }
}
