// SPDX-License-Identifier: Apache-2.0
// healthy: an actor system with bursty load: 400 bedside monitors report in one burst every 400 ms; each patient's actor has a lock-free mailbox and runs on two pool threads (2 CPUs) only while it has mail; a burst is worked off in some tens of milliseconds and then all sleep
// judge: right: nothing to report, "bursts of CPU, else idle by design", "short-lived messages are allocated". Wrong: "undersized pool", "queueing in the executor" (tens of milliseconds of a 400 ms period), "contention in ConcurrentLinkedQueue/executor", "GC or allocation problem", "idle workers should be removed", "the scheduler's waits".
// jdk: 21
// set: fifteenth
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** Vital signs of a hospital's wards: an actor per patient smooths the curves and sends warnings to its ward's actor. */
public final class WardActors {
    static final int PATIENTS = 400, WARDS = 8, SAMPLES = 1000;
    static final LongAdder MESSAGES = new LongAdder();
    static final LongAdder WORK_NANOS = new LongAdder();
    static final LongAdder LAG_NANOS = new LongAdder();
    static final LongAdder WARNINGS = new LongAdder();

    sealed interface Message {
        /** Half a second of one patient's curves. */
        record Vitals(long sentAt, float[] pulse, float[] oxygen) implements Message { }

        record Warning(int patient, float score) implements Message { }

        record Discharge() implements Message { }
    }

    abstract static class Actor implements Runnable {
        private static final int SLICE = 64;
        private final ConcurrentLinkedQueue<Message> mailbox = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean scheduled = new AtomicBoolean();
        private final Executor pool;

        Actor(Executor pool) {
            this.pool = pool;
        }

        final void send(Message m) {
            mailbox.add(m);
            wake();
        }

        private void wake() {
            if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
                pool.execute(this);
            }
        }

        /** Handles at most a slice of mail, so that a busy actor leaves room for the others. */
        @Override
        public final void run() {
            long t0 = System.nanoTime();
            for (int i = 0; i < SLICE; i++) {
                Message m = mailbox.poll();
                if (m == null) {
                    break;
                }
                receive(m);
                MESSAGES.increment();
            }
            WORK_NANOS.add(System.nanoTime() - t0);
            scheduled.set(false);
            if (!mailbox.isEmpty()) {
                wake();
            }
        }

        abstract void receive(Message m);
    }

    static final class Patient extends Actor {
        private final int number;
        private final Ward ward;
        private float pulseMean = 75, pulseSpread = 5, oxygenMean = 97;

        Patient(Executor pool, int number, Ward ward) {
            super(pool);
            this.number = number;
            this.ward = ward;
        }

        @Override
        void receive(Message m) {
            switch (m) {
                case Message.Vitals v -> {
                    LAG_NANOS.add(System.nanoTime() - v.sentAt());
                    float score = score(v);
                    if (score > 7.5f) {
                        ward.send(new Message.Warning(number, score));
                    }
                }
                case Message.Discharge d -> {
                    pulseMean = 75;
                    pulseSpread = 5;
                    oxygenMean = 97;
                }
                case Message.Warning w -> throw new IllegalArgumentException("not for a patient");
            }
        }

        private float score(Message.Vitals v) {
            float worst = 0;
            for (int i = 0; i < v.pulse().length; i++) {
                float delta = v.pulse()[i] - pulseMean;
                pulseMean += 0.02f * delta;
                pulseSpread += 0.02f * (Math.abs(delta) - pulseSpread);
                oxygenMean += 0.05f * (v.oxygen()[i] - oxygenMean);
                worst = Math.max(worst, Math.abs(delta) / Math.max(1, pulseSpread) + Math.max(0, 94 - oxygenMean));
            }
            return worst;
        }
    }

    static final class Ward extends Actor {
        private final float[] latest = new float[PATIENTS];

        Ward(Executor pool) {
            super(pool);
        }

        @Override
        void receive(Message m) {
            if (m instanceof Message.Warning(int patient, float score)) {
                latest[patient] = score;
                WARNINGS.increment();
            }
        }
    }

    static Message.Vitals vitals(SplittableRandom random) {
        float[] pulse = new float[SAMPLES], oxygen = new float[SAMPLES];
        float base = 60 + random.nextInt(40);
        for (int i = 0; i < SAMPLES; i++) {
            int bits = random.nextInt();
            pulse[i] = base + (bits & 1023) / 64f - 8;
            oxygen[i] = 94 + (bits >>> 10 & 255) / 64f;
        }
        return new Message.Vitals(System.nanoTime(), pulse, oxygen);
    }

    public static void main(String[] args) throws Exception {
        Executor pool = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().name("actor-", 0).factory());
        List<Ward> wards = new ArrayList<>();
        for (int i = 0; i < WARDS; i++) {
            wards.add(new Ward(pool));
        }
        List<Patient> patients = new ArrayList<>();
        for (int i = 0; i < PATIENTS; i++) {
            patients.add(new Patient(pool, i, wards.get(i % WARDS)));
        }
        SplittableRandom random = new SplittableRandom(8);
        ScheduledExecutorService monitors = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("monitors-", 0).factory());
        monitors.scheduleAtFixedRate(() -> {
            for (Patient p : patients) {
                p.send(vitals(random));
                p.send(vitals(random));
            }
            if (random.nextInt(10) == 0) {
                patients.get(random.nextInt(PATIENTS)).send(new Message.Discharge());
            }
        }, 0, 400, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        long last = 0, lastLag = 0, lastWork = 0;
        while (true) {
            Thread.sleep(1000);
            long n = MESSAGES.sum(), l = LAG_NANOS.sum(), w = WORK_NANOS.sum();
            System.out.printf("measured: %d messages/s, %.2f ms from monitor to actor, actors at work %.1f%% of two CPUs, %d warnings%n",
                    n - last, (l - lastLag) / 1e6 / Math.max(1, n - last), (w - lastWork) / 2e7, WARNINGS.sum());
            last = n;
            lastLag = l;
            lastWork = w;
        }
    }
}
