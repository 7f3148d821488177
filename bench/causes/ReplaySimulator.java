// SPDX-License-Identifier: Apache-2.0
// healthy: A game-replay simulator which uses both cores for useful physics on many short-lived small objects; the young collections are frequent but take well under 5 % of the time and nothing is retained (64 replay summaries at most).
// judge: right = no fault (high CPU is the work of Arena.step; high allocation rate that dies young and costs almost nothing); wrong = reporting GC pressure, retained memory, growth of the recent-summaries deque, or a contention for it.
// set: nineteenth
// jdk: 21
import java.util.*;
import java.util.concurrent.atomic.*;

public class ReplaySimulator {
    static final AtomicLong replays = new AtomicLong();
    static final AtomicLong frames = new AtomicLong();

    record Vec(double x, double y) {
        Vec plus(Vec o) {
            return new Vec(x + o.x, y + o.y);
        }

        Vec times(double f) {
            return new Vec(x * f, y * f);
        }

        double length() {
            return Math.sqrt(x * x + y * y);
        }
    }

    record Body(int id, Vec position, Vec speed) { }

    record Frame(int number, List<Body> bodies) { }

    record Summary(long seed, double distance, int hits) { }

    static final class Arena {
        final SplittableRandom random;
        final long seed;
        double distance;
        int hits;

        Arena(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
        }

        Frame begin() {
            List<Body> bodies = new ArrayList<>(24);
            for (int i = 0; i < 24; i++) {
                bodies.add(new Body(i, new Vec(random.nextDouble() * 100, random.nextDouble() * 100),
                    new Vec(random.nextDouble() - 0.5, random.nextDouble() - 0.5)));
            }
            return new Frame(0, bodies);
        }

        Frame step(Frame frame) {
            List<Body> next = new ArrayList<>(frame.bodies().size());
            for (Body b : frame.bodies()) {
                double fx = 0;
                double fy = 0;
                for (Body o : frame.bodies()) {
                    if (o.id() != b.id()) {
                        double dx = o.position().x() - b.position().x();
                        double dy = o.position().y() - b.position().y();
                        double r = Math.sqrt(dx * dx + dy * dy) + 0.5;
                        if (r < 1.2) {
                            hits++;
                        }
                        double falloff = 1 / Math.pow(r, 2.9);
                        fx += dx * falloff;
                        fy += dy * falloff;
                    }
                }
                Vec force = new Vec(fx, fy);
                Vec speed = b.speed().plus(force.times(0.02));
                distance += speed.length();
                next.add(new Body(b.id(), b.position().plus(speed), speed));
            }
            return new Frame(frame.number() + 1, next);
        }

        Summary play() {
            Frame frame = begin();
            while (frame.number() < 300) {
                frame = step(frame);
                frames.incrementAndGet();
            }
            return new Summary(seed, distance, hits);
        }
    }

    static final class Recent {
        private final ArrayDeque<Summary> summaries = new ArrayDeque<>(64);

        synchronized void add(Summary s) {
            if (summaries.size() == 64) {
                summaries.removeFirst();
            }
            summaries.addLast(s);
        }

        synchronized double average() {
            return summaries.stream().mapToDouble(Summary::distance).average().orElse(0);
        }
    }

    static void simulate(Recent recent, long first) {
        for (long seed = first; ; seed += 2) {
            recent.add(new Arena(seed).play());
            replays.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        Recent recent = new Recent();
        for (int i = 0; i < 2; i++) {
            final long first = i;
            Thread.ofPlatform().daemon().name("arena-" + i).start(() -> simulate(recent, first));
        }
        Thread.sleep(4000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = frames.get();
            Thread.sleep(1000);
            System.out.println("measured: " + (frames.get() - a) + " frames/s replays=" + replays.get() + " average=" + (long) recent.average());
        }
        System.exit(0);
    }
}
