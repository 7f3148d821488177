// SPDX-License-Identifier: Apache-2.0
// healthy: three keeper threads wait for the end of processes (Process.waitFor in Keeper.run) all the time and readers wait for their pipes, but they are supervisors of long-running helpers and start them again if they end; the pages that come in are dealt with at once
// share: 28 to 30 pages/s, each proofed within 8 to 9 ms of its arrival (nearly all of that is computing), 0.17 CPUs
// judge: any finding of trouble is WRONG, except a neutral sentence that CPU time goes to Proof.fit. WRONG: waiting for a process as trouble, stuck threads, waiting for data of a pipe or a file.
// jdk: 17
// set: twenty-seventh
// jvm: -Xmx64m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

public class PressRoom {
    static final LongAdder pages = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final BlockingQueue<Page> tray = new LinkedBlockingQueue<>();
    static final List<Process> helpers = new ArrayList<>();

    record Page(String press, int number, long at) {
    }

    static final class Keeper implements Runnable {
        final String press;
        final String pause;

        Keeper(String press, String pause) {
            this.press = press;
            this.pause = pause;
        }

        Process launch() throws IOException {
            Process p = new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo $i || exit; sleep " + pause + "; done")
                .redirectErrorStream(true).start();
            synchronized (helpers) {
                helpers.add(p);
            }
            return p;
        }

        void follow(Process p) {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(p.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line; (line = in.readLine()) != null;)
                    tray.add(new Page(press, Integer.parseInt(line.trim()), System.nanoTime()));
            } catch (IOException e) {
                return;
            }
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    Process p = launch();
                    daemon(press + "-reader", () -> follow(p));
                    int code = p.waitFor();
                    System.out.println(press + " ended with " + code);
                    Thread.sleep(500);
                }
            } catch (IOException | InterruptedException e) {
                System.out.println(e);
            }
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    static final class Proof {
        double fit(Page p) {
            double best = Double.MAX_VALUE;
            for (int shift = -250; shift <= 250; shift++) {
                double d = 0;
                for (int x = 0; x < 900; x++) {
                    double ink = Math.sin((x + shift) * 0.013 + p.number);
                    d += ink * ink;
                }
                best = Math.min(best, d);
            }
            return best;
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            synchronized (helpers) {
                helpers.forEach(Process::destroy);
            }
        }));
        daemon("keeper-offset", new Keeper("offset", "0.1"));
        daemon("keeper-gravure", new Keeper("gravure", "0.15"));
        daemon("keeper-digital", new Keeper("digital", "0.08"));
        for (int k = 0; k < 2; k++)
            daemon("proof-" + k, () -> {
                Proof proof = new Proof();
                try {
                    for (;;) {
                        Page p = tray.take();
                        if (proof.fit(p) < 0)
                            return;
                        nanos.add(System.nanoTime() - p.at);
                        pages.increment();
                    }
                } catch (InterruptedException e) {
                    System.out.println(e);
                }
            });
        Thread.sleep(4000);
        System.out.println("READY");
        long last = pages.sum();
        long lastNs = nanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = pages.sum();
            long ns = nanos.sum();
            System.out.printf("measured: %d pages/s, %.1f ms each%n", s - last, (ns - lastNs) / 1e6 / Math.max(1, s - last));
            last = s;
            lastNs = ns;
        }
        System.exit(0);
    }
}
