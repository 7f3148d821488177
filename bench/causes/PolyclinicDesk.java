// SPDX-License-Identifier: Apache-2.0
// healthy: handlers are found by their annotations once, at the start, and called by Method.invoke with methods that are kept; fields are read by VarHandles that are kept; nearly all CPU time is in what the handlers compute (Triage.score, Scheduling.place, Billing.settle), below Method.invoke on the stack
// share: 0.2 to 0.5 CPUs; a call by reflection costs well under a microsecond of some 60 to 300 for a request, less than 2 %
// judge: RIGHT: nothing stands out, or neutral statements that name one of the handlers (Triage.score, Scheduling.place, Billing.settle) as where CPU time goes. WRONG: reflection or method handles as a fault, Dispatcher.call as the cause, the sleep in Reception.run, class loading, deoptimisations, collections, locks.
// jdk: 21
// set: thirty-sixth
// jvm: -Xmx256m
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Front desk of a group of clinics: requests are handled by annotated methods of the departments. */
public class PolyclinicDesk {
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Handles {
        String value();
    }

    static final class Visit {
        int age;
        int pulse;
        int systolic;
        int[] symptoms;
        long answer;
    }

    static final class Triage {
        private final int[][] weights = new int[64][64];

        Triage(SplittableRandom random) {
            for (int[] row : weights) {
                for (int i = 0; i < row.length; i++) {
                    row[i] = random.nextInt(100);
                }
            }
        }

        @Handles("triage")
        public long score(Visit visit) {
            long best = Long.MIN_VALUE;
            for (int group = 0; group < 64; group++) {
                long sum = visit.age * 3L + visit.pulse;
                for (int round = 0; round < 24; round++) {
                    for (int symptom : visit.symptoms) {
                        sum += (long) weights[group][symptom] * (round + 1) - weights[symptom][(group + round) & 63];
                    }
                }
                best = Math.max(best, sum);
            }
            return best;
        }
    }

    static final class Scheduling {
        private final int[] load = new int[16 * 96];

        @Handles("schedule")
        public synchronized long place(Visit visit) {
            int length = 1 + visit.symptoms.length / 3;
            int best = 0;
            long cost = Long.MAX_VALUE;
            for (int slot = 0; slot + length < load.length; slot++) {
                long sum = Math.abs(slot % 96 - visit.pulse % 96);
                for (int i = 0; i < length * 4 && slot + i < load.length; i++) {
                    sum += (long) load[slot + i] * load[slot + i];
                }
                if (sum < cost) {
                    cost = sum;
                    best = slot;
                }
            }
            for (int i = 0; i < length; i++) {
                load[best + i] = (load[best + i] + 1) % 50;
            }
            return best;
        }
    }

    static final class Billing {
        private final long[] tariff = new long[2048];

        Billing(SplittableRandom random) {
            for (int i = 0; i < tariff.length; i++) {
                tariff[i] = 500 + random.nextInt(20000);
            }
        }

        @Handles("bill")
        public long settle(Visit visit) {
            long cents = 0;
            for (int position = 0; position < tariff.length * 12; position++) {
                long points = tariff[position & 2047] * (100 + visit.symptoms[position % visit.symptoms.length] % 30);
                cents += points / 100 % (visit.age + 50);
            }
            return cents;
        }
    }

    /** Finds the handlers once, and keeps them. */
    static final class Dispatcher {
        private record Target(Object department, Method method) { }

        private final Map<String, Target> targets = new HashMap<>();
        private final VarHandle answer;
        private final VarHandle age;

        Dispatcher(List<Object> departments) throws ReflectiveOperationException {
            for (Object department : departments) {
                for (Method method : department.getClass().getMethods()) {
                    Handles handles = method.getAnnotation(Handles.class);
                    if (handles != null) {
                        method.setAccessible(true);
                        targets.put(handles.value(), new Target(department, method));
                    }
                }
            }
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            answer = lookup.findVarHandle(Visit.class, "answer", long.class);
            age = lookup.findVarHandle(Visit.class, "age", int.class);
        }

        void call(String what, Visit visit) throws ReflectiveOperationException {
            if ((int) age.get(visit) < 0) {
                throw new IllegalArgumentException("age");
            }
            Target target = targets.get(what);
            long result = (long) target.method().invoke(target.department(), visit);
            answer.set(visit, result);
        }

        @Handles("ping")
        public long ping(Visit visit) {
            return visit.age;
        }
    }

    static final class Reception implements Runnable {
        private final Dispatcher dispatcher;
        private final SplittableRandom random;

        Reception(Dispatcher dispatcher, int number) {
            this.dispatcher = dispatcher;
            random = new SplittableRandom(number);
        }

        Visit arriving() {
            Visit visit = new Visit();
            visit.age = random.nextInt(95);
            visit.pulse = 50 + random.nextInt(80);
            visit.systolic = 90 + random.nextInt(90);
            visit.symptoms = random.ints(8, 0, 64).toArray();
            return visit;
        }

        @Override
        public void run() {
            String[] kinds = {"triage", "schedule", "bill"};
            try {
                while (true) {
                    for (int i = 0; i < 15; i++) {
                        Visit visit = arriving();
                        long begin = System.nanoTime();
                        dispatcher.call(kinds[i % 3], visit);
                        spent.add(System.nanoTime() - begin);
                        requests.increment();
                        sum.add(visit.answer);
                    }
                    Thread.sleep(4);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (InvocationTargetException e) {
                throw new IllegalStateException(e.getCause());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final LongAdder requests = new LongAdder();
    static final LongAdder spent = new LongAdder();
    static final LongAdder sum = new LongAdder();

    public static void main(String[] args) throws Exception {
        SplittableRandom random = new SplittableRandom(2);
        Dispatcher dispatcher = new Dispatcher(List.of(new Triage(random), new Scheduling(), new Billing(random)));
        Dispatcher empty = new Dispatcher(List.of(dispatcher));
        for (int i = 1; i <= 2; i++) {
            Thread thread = new Thread(new Reception(dispatcher, i), "reception-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        Visit probe = new Visit();
        while (true) {
            long n = requests.sum(), in = spent.sum(), t = System.nanoTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            double each = (spent.sum() - in) / 1000.0 / Math.max(1, requests.sum() - n);
            long begin = System.nanoTime();
            for (int i = 0; i < 2000; i++) {
                empty.call("ping", probe);
            }
            double call = (System.nanoTime() - begin) / 2e6;
            System.out.printf("measured: %.0f requests/s, %.1f us each, %.2f threads at work, a call by reflection takes %.2f us (%.1f %%)%n",
                    (requests.sum() - n) / s, each, (spent.sum() - in) / 1e9 / s, call, 100 * call / each);
        }
    }
}
