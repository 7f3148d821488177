// SPDX-License-Identifier: Apache-2.0
// healthy: The pages of an edition come faster than two plate setters expose them, so the queue of their pool (without a limit) grows to some hundred pages for a second; then the edition is complete, the queue is worked off, and the next edition is not let in before all of it is done: it can never be longer than one edition of 900 pages, and each is done seconds before its deadline
// share: @SHARE@
// judge: NAMED (right): nothing stands out, or only neutral statements (time goes to ...; a queue that grows and is worked off again). SYMPTOM ONLY: that the setters are busy for most of the time, or rest in the timer of the exposure (ProofPrinting$PlateSetter.expose), as a note. WRONG: growing-queue (tasks come faster than they are done) as a fault, pool-busy, too few threads, memory that fills up, the timer as an accusation, the editor's pace as a fault
// jdk: 11
// set: thirty-fifth
// jvm: -Xmx256m
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Makes the plates for the editions of newspapers that a printing house prints. */
public class ProofPrinting {
    static final int PAGES = 900;
    static final double DEADLINE_SECONDS = 15;

    /** One edition: complete when its last page has been exposed. */
    static final class Edition {
        final int number;
        final long begun = System.nanoTime();
        private final AtomicInteger open = new AtomicInteger(PAGES);
        volatile long lastCame;
        volatile long done;
        volatile int longest;

        Edition(int number) {
            this.number = number;
        }

        void exposed() {
            if (open.decrementAndGet() == 0) {
                done = System.nanoTime();
            }
        }

        boolean complete() {
            return done != 0;
        }
    }

    /** A page as the editors send it: grey values, a few lines of them. */
    static final class Page {
        private static final int WIDTH = 320;
        private static final int HEIGHT = 60;
        final int number;
        final byte[] grey = new byte[WIDTH * HEIGHT];

        Page(int number, Random random) {
            this.number = number;
            int value = random.nextInt(256);
            for (int i = 0; i < grey.length; i++) {
                value = value * 31 + 17 & 255;
                grey[i] = (byte) (value / 2 + i % WIDTH / 4);
            }
        }
    }

    /** Screens a page (error diffusion) and exposes the plate. */
    static final class PlateSetter implements Runnable {
        static final LongAdder dots = new LongAdder();
        static final LongAdder plates = new LongAdder();
        private final Edition edition;
        private final Page page;

        PlateSetter(Edition edition, Page page) {
            this.edition = edition;
            this.page = page;
        }

        @Override
        public void run() {
            try {
                dots.add(screen());
                expose();
                plates.increment();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                edition.exposed();
            }
        }

        private int screen() {
            int width = Page.WIDTH;
            int[] error = new int[width * (Page.HEIGHT + 1) + 2];
            int set = 0;
            for (int i = 0; i < page.grey.length; i++) {
                int wanted = (page.grey[i] & 255) + error[i] / 16;
                int got = wanted > 127 ? 255 : 0;
                set += got & 1;
                int rest = wanted - got;
                error[i + 1] += rest * 7;
                error[i + width - 1] += rest * 3;
                error[i + width] += rest * 5;
                error[i + width + 1] += rest;
            }
            return set;
        }

        /** The laser needs this long for a plate, whatever is on it. */
        private void expose() throws InterruptedException {
            Thread.sleep(5);
        }
    }

    /** Takes the editors' pages of an edition, one after another, and hands them to the setters. */
    static final class Desk {
        private final ThreadPoolExecutor setters;
        private final Random random = new Random(8);
        private Edition current;
        private int editions;

        Desk(ThreadPoolExecutor setters) {
            this.setters = setters;
        }

        /** Called ten times a second: lets the next edition in when there is none. */
        void tick() {
            if (current != null && !current.complete()) {
                return;
            }
            if (current != null) {
                report(current);
            }
            current = new Edition(++editions);
            try {
                take(current);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void take(Edition edition) throws InterruptedException {
            for (int number = 0; number < PAGES; number++) {
                setters.execute(new PlateSetter(edition, new Page(number, random)));
                edition.longest = Math.max(edition.longest, setters.getQueue().size());
                if (number % 3 == 2) {
                    Thread.sleep(3);
                }
            }
            edition.lastCame = System.nanoTime();
        }

        private void report(Edition edition) {
            double whole = (edition.done - edition.begun) / 1e9;
            System.out.printf(Locale.ROOT, "measured: edition %d of %d pages done in %.1f s (%.1f s after the last page came), %s its deadline of %.0f s; longest queue %d%n",
                    edition.number, PAGES, whole, (edition.done - edition.lastCame) / 1e9,
                    whole <= DEADLINE_SECONDS ? "within" : "after", DEADLINE_SECONDS, edition.longest);
            System.out.flush();
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger threads = new AtomicInteger();
        ThreadPoolExecutor setters = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "setter-" + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "desk");
            thread.setDaemon(true);
            return thread;
        });
        Desk desk = new Desk(setters);
        clock.scheduleWithFixedDelay(desk::tick, 0, 100, TimeUnit.MILLISECONDS);
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            System.out.printf(Locale.ROOT, "measured: %d plates in this second, %d pages in the queue, %d dots%n",
                    PlateSetter.plates.sumThenReset(), setters.getQueue().size(), PlateSetter.dots.sumThenReset());
            if (second == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
