// SPDX-License-Identifier: Apache-2.0
// healthy: each call to a patient has a deadline that is cancelled when the call is over; a cancelled task stays in the queue of the executor for the rest of its 1.2 s only, so there are some 400 of them at any time beside 900 reminders that are really due, their number does not grow, and they hold nothing but a number
// share: some 1300 tasks in the queue of clock, 400 of them cancelled (31 %), the same all the time; no deadline is missed, next to no collections; 0.12 CPUs
// judge: RIGHT: nothing stands out, or neutral: computing in ClinicReminders$Telephone.say; a mention of 400 cancelled tasks that is called harmless. WRONG: cancelled-tasks as a fault, a growing queue, blocked-scheduler, pool-busy, saturated-thread, collections, timers. On a crowded machine a lack of CPUs is true and no mistake
// jdk: 8
// set: thirty-fifth
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Reminds the patients of a clinic of their appointments by telephone. */
public class ClinicReminders {
    static final int APPOINTMENTS = 900;

    static final class Figures {
        final AtomicLong calls = new AtomicLong();
        final AtomicLong missed = new AtomicLong();
        final AtomicLong reminders = new AtomicLong();
    }

    /** Ends a call that takes too long. It knows the call's number only. */
    static final class Deadline implements Runnable {
        private final int call;
        private final Figures figures;

        Deadline(int call, Figures figures) {
            this.call = call;
            this.figures = figures;
        }

        @Override
        public void run() {
            if (call >= 0) {
                figures.missed.incrementAndGet();
            }
        }
    }

    /** The appointments of the next days: each patient is reminded, and has another appointment then. */
    static final class Calendar {
        private final ScheduledExecutorService clock;
        private final Random random = new Random(4);
        private final Figures figures;

        Calendar(ScheduledExecutorService clock, Figures figures) {
            this.clock = clock;
            this.figures = figures;
        }

        void appoint(final int patient) {
            int delay;
            synchronized (random) {
                delay = 2000 + random.nextInt(30_000);
            }
            clock.schedule(new Runnable() {
                @Override
                public void run() {
                    figures.reminders.incrementAndGet();
                    appoint(patient);
                }
            }, delay, TimeUnit.MILLISECONDS);
        }
    }

    /** Says a text: puts the words together from recorded syllables, and finds out whether somebody is listening. */
    static final class Telephone {
        private final Map<String, short[]> syllables = new HashMap<String, short[]>();

        Telephone() {
            Random random = new Random(12);
            for (String syllable : "you have an ap point ment on mon tues wednes day at o'clock please bring your card".split(" ")) {
                short[] sound = new short[600];
                for (int i = 0; i < sound.length; i++) {
                    sound[i] = (short) (8000 * Math.sin(i * (0.05 + random.nextDouble() * 0.01)));
                }
                syllables.put(syllable, sound);
            }
        }

        double say(String text) {
            double echo = 0;
            short[] before = new short[600];
            for (String word : text.split(" ")) {
                short[] sound = syllables.get(word);
                for (int lag = 0; lag < 80; lag += 2) {
                    double match = 0;
                    for (int i = lag; i < sound.length; i++) {
                        match += sound[i] * before[i - lag];
                    }
                    echo = Math.max(echo, match / sound.length);
                }
                before = sound;
            }
            return echo;
        }
    }

    static final class Caller implements Runnable {
        private final Telephone telephone;
        private final ScheduledExecutorService clock;
        private final Figures figures;
        private int number;
        volatile double echo;

        Caller(Telephone telephone, ScheduledExecutorService clock, Figures figures) {
            this.telephone = telephone;
            this.clock = clock;
            this.figures = figures;
        }

        @Override
        public void run() {
            for (int i = 0; i < 4; i++) {
                ScheduledFuture<?> deadline = clock.schedule(new Deadline(number++, figures), 1200, TimeUnit.MILLISECONDS);
                echo = telephone.say("you have an ap point ment on mon day at o'clock please bring your card");
                deadline.cancel(false);
                figures.calls.incrementAndGet();
            }
        }
    }

    private static ThreadFactory named(final String name) {
        return new ThreadFactory() {
            @Override
            public Thread newThread(Runnable r) {
                return new Thread(r, name);
            }
        };
    }

    public static void main(String[] args) throws Exception {
        Figures figures = new Figures();
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, named("clock"));
        Calendar calendar = new Calendar(clock, figures);
        for (int patient = 0; patient < APPOINTMENTS; patient++) {
            calendar.appoint(patient);
        }
        Telephone telephone = new Telephone();
        for (int line = 0; line < 2; line++) {
            Executors.newSingleThreadScheduledExecutor(named("line-" + line))
                .scheduleWithFixedDelay(new Caller(telephone, clock, figures), line * 10, 22, TimeUnit.MILLISECONDS);
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long calls = figures.calls.get(), reminders = figures.reminders.get(), cpu = os.getProcessCpuTime(), at = System.nanoTime();
        for (;;) {
            Thread.sleep(1000);
            long calls2 = figures.calls.get(), reminders2 = figures.reminders.get(), cpu2 = os.getProcessCpuTime(), at2 = System.nanoTime(), collected = 0;
            int queued = 0;
            int cancelled = 0;
            for (Runnable task : clock.getQueue()) {
                queued++;
                cancelled += ((Future<?>) task).isCancelled() ? 1 : 0;
            }
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                collected += bean.getCollectionTime();
            }
            System.out.printf("measured: %d calls, %d reminders; %d tasks in the queue, %d of them cancelled; %d deadlines missed so far; %d MiB of heap; %d ms of collections; %.2f CPUs%n",
                calls2 - calls, reminders2 - reminders, queued, cancelled, figures.missed.get(),
                (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20, collected, (double) (cpu2 - cpu) / (at2 - at));
            calls = calls2;
            reminders = reminders2;
            cpu = cpu2;
            at = at2;
        }
    }
}
