// SPDX-License-Identifier: Apache-2.0
// cause: WardRoster$Search.step copies the whole plan by Java serialisation (WardRoster$Plan.copy: ObjectOutputStream and ObjectInputStream in memory) for every trial exchange of two shifts, most of which are thrown away; the trial itself costs microseconds
// share: a trial takes 420 to 580 us for the copy and 5 us for all else: 97 to 99 % for copies; by JFR 97 % of CPU samples are in or below Plan.copy; it uses all CPUs it gets
// expect: hot-code frame=WardRoster$Plan.copy
// symptom: hot-method hot-calls
// judge: NAMED: serialisation (ObjectOutputStream / ObjectInputStream, serialising objects) at or for WardRoster$Plan.copy, or called from WardRoster$Search.step. Also NAMED if it adds that collections follow from it. SYMPTOM ONLY: "computes in WardRoster$Plan.copy" (or Search.step) without serialisation; a hot method of java.io without the program's place; only collections or allocation; only that the CPUs are full. WRONG: anything else as the first fault (Plan.cost, locks, too many threads, collections as the cause with a larger heap as the advice and no word of serialisation).
// jdk: 11
// set: thirty-first
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class WardRoster {
    static final int DAYS = 28, KINDS = 3, POSTS = 5;

    enum Grade { SISTER, STAFF, ASSISTANT }

    static final class Nurse implements Serializable {
        private static final long serialVersionUID = 1;
        final int number;
        final String name;
        final Grade grade;
        final int hours;
        Nurse(int number, String name, Grade grade, int hours) { this.number = number; this.name = name; this.grade = grade; this.hours = hours; }
    }

    static final class Shift implements Serializable {
        private static final long serialVersionUID = 1;
        final int day, kind;
        Nurse nurse;
        Shift(int day, int kind, Nurse nurse) { this.day = day; this.kind = kind; this.nurse = nurse; }
    }

    static final class Plan implements Serializable {
        private static final long serialVersionUID = 1;
        final String ward;
        final List<Nurse> staff = new ArrayList<>();
        final List<Shift> shifts = new ArrayList<>();
        Plan(String ward) { this.ward = ward; }

        Plan copy() {
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 15);
                try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                    out.writeObject(this);
                }
                try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                    return (Plan) in.readObject();
                }
            } catch (IOException | ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }

        void exchange(int a, int b) {
            Nurse n = shifts.get(a).nurse;
            shifts.get(a).nurse = shifts.get(b).nurse;
            shifts.get(b).nurse = n;
        }

        /** Points for what nobody likes: two shifts on a day, early after night, too many hours, posts without a sister. */
        int cost() {
            int n = staff.size(), points = 0;
            int[] hours = new int[n];
            byte[] worked = new byte[n * DAYS];
            boolean[] sister = new boolean[DAYS * KINDS];
            for (Shift s : shifts) {
                int i = s.nurse.number;
                hours[i] += 8;
                if ((worked[i * DAYS + s.day] & 7) != 0) points += 50;
                worked[i * DAYS + s.day] |= 1 << s.kind;
                if (s.nurse.grade == Grade.SISTER) sister[s.day * KINDS + s.kind] = true;
            }
            for (int i = 0; i < n; i++) {
                points += Math.abs(hours[i] - staff.get(i).hours);
                for (int d = 1; d < DAYS; d++) if ((worked[i * DAYS + d - 1] & 4) != 0 && (worked[i * DAYS + d] & 1) != 0) points += 20;
            }
            for (boolean b : sister) if (!b) points += 10;
            return points;
        }
    }

    static final LongAdder trials = new LongAdder(), copyNanos = new LongAdder(), costNanos = new LongAdder();

    static final class Search implements Runnable {
        private final Random random;
        private final String ward;
        private Plan best;
        private int bestCost, round;
        Search(String ward, long seed) { this.ward = ward; random = new Random(seed); restart(); }

        private void restart() {
            best = new Plan(ward + " " + ++round);
            for (int i = 0; i < 30; i++) best.staff.add(new Nurse(i, "Nurse " + i, Grade.values()[i % 3], i % 4 == 0 ? 80 : 128));
            for (int d = 0; d < DAYS; d++)
                for (int k = 0; k < KINDS; k++)
                    for (int p = 0; p < POSTS; p++) best.shifts.add(new Shift(d, k, best.staff.get(random.nextInt(best.staff.size()))));
            bestCost = best.cost();
        }

        void step() {
            long t0 = System.nanoTime();
            Plan trial = best.copy();
            long t1 = System.nanoTime();
            int size = trial.shifts.size();
            for (int i = 1 + random.nextInt(2); i > 0; i--) trial.exchange(random.nextInt(size), random.nextInt(size));
            int cost = trial.cost();
            if (cost <= bestCost) {
                best = trial;
                bestCost = cost;
            }
            copyNanos.add(t1 - t0);
            costNanos.add(System.nanoTime() - t1);
            trials.increment();
        }

        public void run() {
            for (;;) {
                for (int i = 0; i < 40000; i++) step();
                restart();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        String[] wards = {"surgery", "maternity"};
        for (String ward : wards) new Thread(new Search(ward, ward.hashCode()), "roster-" + ward).start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long t = trials.sum(), c = copyNanos.sum(), k = costNanos.sum();
            Thread.sleep(1000);
            long n = Math.max(1, trials.sum() - t), cn = copyNanos.sum() - c, kn = costNanos.sum() - k;
            System.out.printf("measured: %d trials, %.0f us for the copy and %.1f us for the trial each: %.1f %% for copies%n", n, cn / 1e3 / n, kn / 1e3 / n, 100.0 * cn / Math.max(1, cn + kn));
            System.out.flush();
        }
    }
}
