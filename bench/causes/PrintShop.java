// SPDX-License-Identifier: Apache-2.0
// healthy: the six presses wait for permits of a Semaphore (PrintShop$Tray.next) nearly all the time, but a permit is a job that has come in: they are idle workers, three counters bring some 60 jobs a second of about 1.4 ms each, and a job is begun at once when it comes
// share: jobs lie in the tray for 0.05 ms (p50), 1 to 3 ms (p99, on a shared machine); presses work 1.3 % of their time; 0.1 CPUs
// judge: RIGHT: nothing stands out, or neutral remarks (presses wait for permits at PrintShop$Tray.next that somebody is to give, if it is said that this may be as it should be; where the little CPU time goes, such as Press.screen). WRONG: an accusation that permits are too few, held for too long or not given back, at PrintShop$Tray.next or elsewhere; stuck threads; any other accusation (the counters' sleeps are the pace at which customers come).
// jdk: 8
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/** A copy shop: counters take jobs, presses print them. */
public class PrintShop {
    static final AtomicLong printed = new AtomicLong();
    static final AtomicLong printing = new AtomicLong();
    static final Delays delays = new Delays();

    /** How long jobs lay in the tray, in the current second. */
    static final class Delays {
        private final long[] values = new long[4096];
        private int count;

        synchronized void add(long nanos) {
            if (count < values.length)
                values[count++] = nanos;
        }

        synchronized long[] take() {
            long[] taken = Arrays.copyOf(values, count);
            count = 0;
            return taken;
        }
    }

    static final class Job {
        final long came = System.nanoTime();
        final int[] grey;
        final int width;

        Job(int[] grey, int width) {
            this.grey = grey;
            this.width = width;
        }
    }

    /** Jobs that have come in, with a permit for each. */
    static final class Tray {
        private final Queue<Job> jobs = new ConcurrentLinkedQueue<>();
        private final Semaphore filled = new Semaphore(0);

        void put(Job job) {
            jobs.add(job);
            filled.release();
        }

        Job next() throws InterruptedException {
            filled.acquire();
            return jobs.poll();
        }

        int size() {
            return jobs.size();
        }
    }

    /** A counter: customers come now and then. */
    static final class Counter implements Runnable {
        private final Tray tray;
        private final Random random;

        Counter(Tray tray, int number) {
            this.tray = tray;
            random = new Random(number);
        }

        private Job customer() {
            int width = 260 + random.nextInt(80);
            int[] grey = new int[width * 240];
            int shade = random.nextInt(200);
            for (int i = 0; i < grey.length; i++)
                grey[i] = (shade + i % width / 3 + i / width / 4) & 255;
            return new Job(grey, width);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(20 + random.nextInt(60));
                    tray.put(customer());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Press implements Runnable {
        private final Tray tray;
        private long dots;

        Press(Tray tray) {
            this.tray = tray;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Job job = tray.next();
                    long start = System.nanoTime();
                    delays.add(start - job.came);
                    sharpen(job);
                    dots += screen(job);
                    printing.addAndGet(System.nanoTime() - start);
                    printed.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void sharpen(Job job) {
            int[] grey = job.grey;
            for (int pass = 0; pass < 4; pass++)
                for (int i = job.width + 1; i < grey.length - job.width - 1; i++) {
                    int around = grey[i - 1] + grey[i + 1] + grey[i - job.width] + grey[i + job.width];
                    grey[i] = Math.max(0, Math.min(255, (8 * grey[i] - around) / 4));
                }
        }

        /** Shades to dots, by diffusion of what is left over. */
        private long screen(Job job) {
            int[] grey = job.grey;
            long black = 0;
            for (int i = 0; i < grey.length - job.width - 1; i++) {
                int dot = grey[i] > 127 ? 255 : 0;
                int left = grey[i] - dot;
                grey[i + 1] += left * 7 / 16;
                grey[i + job.width] += left * 5 / 16;
                grey[i + job.width + 1] += left / 16;
                if (dot == 0)
                    black++;
            }
            return black;
        }
    }

    static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Tray tray = new Tray();
        for (int i = 0; i < 6; i++)
            start("press-" + i, new Press(tray));
        for (int i = 0; i < 3; i++)
            start("counter-" + i, new Counter(tray, i));
        com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int second = 1; ; second++) {
            long n = printed.get(), t = printing.get(), cpu = system.getProcessCpuTime();
            Thread.sleep(1000);
            if (second == 4)
                System.out.println("READY");
            long[] taken = delays.take();
            Arrays.sort(taken);
            if (taken.length > 0)
                System.out.printf("measured: %d jobs, %.1f ms each; in the tray p50 %.2f ms, p99 %.2f ms, now %d; presses at work %.1f %% of the time; %.2f CPUs%n",
                    printed.get() - n, (printing.get() - t) / 1e6 / Math.max(1, printed.get() - n), taken[taken.length / 2] / 1e6,
                    taken[taken.length * 99 / 100] / 1e6, tray.size(), (printing.get() - t) / 6e7, (system.getProcessCpuTime() - cpu) / 1e9);
            System.out.flush();
        }
    }
}
