// SPDX-License-Identifier: Apache-2.0

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A program with many threads that opens files.
 *
 * <pre>
 * Descriptors N   starts N threads, named crowd-*, that wake up now and then; says "up" when all have run
 *   open N        opens N files in turn, closes them and does so 20 times; answers how often that failed
 *   burn MS       one of the threads burns MS milliseconds of CPU time
 *   exit          ends the program
 * </pre>
 */
public class Descriptors {
    static volatile long sink, burnMs;

    static void live(int i, java.util.concurrent.CountDownLatch up) {
        java.lang.management.ThreadMXBean bean = java.lang.management.ManagementFactory.getThreadMXBean();
        up.countDown();
        try {
            while (true) {
                Thread.sleep(i == 0 ? 10 : 1000);
                if (i == 0 && burnMs > 0) {
                    long end = bean.getCurrentThreadCpuTime() + burnMs * 1_000_000;
                    while (bean.getCurrentThreadCpuTime() < end) {
                        sink++;
                    }
                    burnMs = 0;
                }
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    static int open(int count) throws IOException {
        int failed = 0;
        for (int round = 0; round < 20; round++) {
            List<FileInputStream> files = new ArrayList<>();
            try {
                while (files.size() < count) {
                    files.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                System.out.println(e.getMessage());
                failed++;
            }
            for (FileInputStream f : files) {
                f.close();
            }
        }
        return failed;
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        java.util.concurrent.CountDownLatch up = new java.util.concurrent.CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            int me = i;
            Thread t = new Thread(null, () -> live(me, up), "crowd-" + i, 128 << 10);
            t.setDaemon(true);
            t.start();
        }
        up.await();
        open(1); // the classes it needs are loaded
        System.out.println("up");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null && !line.equals("exit");) {
            String[] w = line.split(" ");
            if (w[0].equals("open")) {
                System.out.println("failed " + open(Integer.parseInt(w[1])));
            } else {
                burnMs = Long.parseLong(w[1]);
                while (burnMs > 0) {
                    Thread.sleep(10);
                }
                System.out.println("burnt");
            }
        }
    }
}
