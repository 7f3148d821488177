// SPDX-License-Identifier: Apache-2.0
// healthy: each match loads the two teams' classes in class loaders of its own, on purpose, so that what a team keeps in statics cannot reach the next match; the loaders go with the match, and some 240 classes a second are unloaded again, which costs collections next to nothing
// share: nothing: 60 matches/s, 2.2 ms each (0.5 to 0.9 ms to load the teams), some 240 classes a second loaded and, in bursts every 5 to 6 s, unloaded again; 30 ms of collections in 6 s, 0.18 CPUs
// judge: RIGHT: nothing stands out, or class unloading only as a neutral remark (no fault of it, cheap), or neutral words on computing (RobotLeague$Arena.play and the Walker/Guesser classes). WRONG: class loading or unloading, class loaders or metaspace as the fault ("make class loaders once and keep them" as an accusation), leak, collections, hot code, deoptimisations as a fault. Words on a crowded machine are RIGHT if it is crowded.
// jdk: 21
// set: thirty-first
// jvm: -Xmx128m -XX:MetaspaceSize=8m -XX:MinMetaspaceFreeRatio=15 -XX:MaxMetaspaceFreeRatio=25

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A league of programmed robots, which students hand in as compiled classes. */
public class RobotLeague {
    static final int SIZE = 24;

    static final LongAdder matches = new LongAdder();
    static final LongAdder matchNanos = new LongAdder();
    static final LongAdder loadNanos = new LongAdder();
    static final LongAdder tainted = new LongAdder();

    /** What a team hands in. */
    public interface Robot {
        int move(int[] field, int at, int round);

        int matchesSeen();
    }

    /** A team that walks along the walls. */
    public static final class Walker implements Robot {
        static int seen;
        static final int[] steps = new int[64];
        private final Memory memory = new Memory();

        public Walker() {
            seen++;
        }

        @Override
        public int move(int[] field, int at, int round) {
            steps[round & 63] = at;
            int best = 0;
            int most = -1;
            for (int d = 0; d < 4; d++) {
                int to = at + (d == 0 ? 1 : d == 1 ? -1 : d == 2 ? SIZE : -SIZE);
                if (to < 0 || to >= field.length) continue;
                int worth = field[to] * 4 - memory.visits(to) * 3 + (d + round & 3);
                if (worth > most) {
                    most = worth;
                    best = to;
                }
            }
            memory.visit(best);
            return best;
        }

        @Override
        public int matchesSeen() {
            return seen;
        }
    }

    /** A team that guesses. */
    public static final class Guesser implements Robot {
        static int seen;
        private long state = 0x9e3779b97f4a7c15L;
        private final Memory memory = new Memory();

        public Guesser() {
            seen++;
        }

        @Override
        public int move(int[] field, int at, int round) {
            for (int tries = 0; tries < 12; tries++) {
                state ^= state << 13;
                state ^= state >>> 7;
                state ^= state << 17;
                int to = at + (int) (state & 3) - 1 + SIZE * ((int) (state >>> 8 & 3) - 1);
                if (to >= 0 && to < field.length && memory.visits(to) < 1 + tries / 4) {
                    memory.visit(to);
                    return to;
                }
            }
            return at;
        }

        @Override
        public int matchesSeen() {
            return seen;
        }
    }

    /** A helper that both teams hand in with their robot. */
    public static final class Memory {
        private final int[] visits = new int[SIZE * SIZE];

        int visits(int at) {
            return visits[at];
        }

        void visit(int at) {
            visits[at]++;
        }
    }

    /** What was handed in: classes by name. */
    static final class Submission {
        final String entry;
        final Map<String, byte[]> classes = new HashMap<>();

        Submission(Class<?> entry, Class<?>... others) throws IOException {
            this.entry = entry.getName();
            add(entry);
            for (Class<?> other : others) add(other);
        }

        private void add(Class<?> type) throws IOException {
            try (InputStream in = RobotLeague.class.getResourceAsStream(type.getName() + ".class")) {
                classes.put(type.getName(), in.readAllBytes());
            }
        }
    }

    /** The classes of one team in one match. */
    static final class TeamLoader extends ClassLoader {
        private final Submission submission;

        TeamLoader(Submission submission) {
            super("team", RobotLeague.class.getClassLoader());
            this.submission = submission;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            byte[] code = submission.classes.get(name);
            if (code == null) return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> type = findLoadedClass(name);
                return type != null ? type : defineClass(name, code, 0, code.length);
            }
        }

        Robot robot() throws ReflectiveOperationException {
            return (Robot) loadClass(submission.entry).getConstructor().newInstance();
        }
    }

    /** The field, on which coins lie. */
    static final class Arena {
        private final SplittableRandom random = new SplittableRandom(1);
        private final int[] won = new int[2];

        void match(Submission home, Submission away) {
            long before = System.nanoTime();
            try {
                Robot[] robots = {new TeamLoader(home).robot(), new TeamLoader(away).robot()};
                loadNanos.add(System.nanoTime() - before);
                for (Robot robot : robots) if (robot.matchesSeen() != 1) tainted.increment();
                won[play(robots)]++;
                matches.increment();
            } catch (ReflectiveOperationException e) {
                System.out.println("match is void: " + e);
            }
            matchNanos.add(System.nanoTime() - before);
        }

        private int play(Robot[] robots) {
            int[] field = new int[SIZE * SIZE];
            for (int i = 0; i < field.length; i++) field[i] = random.nextInt(5);
            int[] at = {0, field.length - 1};
            int[] coins = new int[2];
            for (int round = 0; round < 1500; round++) {
                int turn = round & 1;
                at[turn] = robots[turn].move(field, at[turn], round);
                coins[turn] += field[at[turn]];
                field[at[turn]] = 0;
                if (round % 20 == 0) field[random.nextInt(field.length)] += 3;
            }
            return coins[0] >= coins[1] ? 0 : 1;
        }
    }

    public static void main(String[] args) throws Exception {
        Submission walkers = new Submission(Walker.class, Memory.class);
        Submission guessers = new Submission(Guesser.class, Memory.class);
        ScheduledExecutorService referee = Executors.newSingleThreadScheduledExecutor();
        Arena arena = new Arena();
        referee.scheduleWithFixedDelay(() -> arena.match(walkers, guessers), 0, 14, TimeUnit.MILLISECONDS);
        while (matches.sum() < 200) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var classes = ManagementFactory.getClassLoadingMXBean();
        while (true) {
            long n = matches.sum(), t = matchNanos.sum(), l = loadNanos.sum(), u = classes.getUnloadedClassCount(), gc = collections();
            long cpu = system.getProcessCpuTime(), began = System.nanoTime();
            Thread.sleep(2000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, matches.sum() - n);
            System.out.printf("measured: %.0f matches/s, %.2f ms each (%.2f ms to load the teams), %d saw another match; %d classes loaded, %.0f/s unloaded; %d ms of collections; %.2f CPUs%n",
                dn / seconds, (matchNanos.sum() - t) / 1e6 / dn, (loadNanos.sum() - l) / 1e6 / dn, tainted.sum(), classes.getLoadedClassCount(),
                (classes.getUnloadedClassCount() - u) / seconds, collections() - gc, (system.getProcessCpuTime() - cpu) / 1e9 / seconds);
        }
    }

    private static long collections() {
        long time = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) time += bean.getCollectionTime();
        return time;
    }
}
