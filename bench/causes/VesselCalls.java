// SPDX-License-Identifier: Apache-2.0
// healthy: each call of a vessel gets a platform thread of its own for the second that it lasts: about 16 new threads a second, in groups of four, whose start takes a fraction of a millisecond each and delays nobody
// share: 0.3 to 2 % of the dispatcher's time is starting threads; a call's thread runs within a millisecond or so of start() (see "measured"), unless other programs take the CPUs; about 0.05 to 0.1 CPUs
// judge: NAMED: that nothing stands out (or that it does next to nothing), or only neutral remarks about where CPU time goes (VesselCalls$Call.assess). WRONG: any accusation: waiting for threads to start or making threads as a fault (VesselCalls$Dispatcher.accept), too many threads, sleeping in VesselCalls$Call.run as a fault, Thread.join, locks. (On a crowded machine a finding of the machine that threads wait for CPUs is right if they do.)
// jdk: 25
// set: thirty-fourth
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class VesselCalls {
    static final LongAdder calls = new LongAdder(), startNs = new LongAdder(), untilRunNs = new LongAdder(), ended = new LongAdder();
    static final AtomicLong worstNs = new AtomicLong();

    record Vessel(String name, double length, double draught, double knots) {
        static Vessel any() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            return new Vessel("MV " + Integer.toString(r.nextInt(1 << 20), 36).toUpperCase(Locale.ROOT), 60 + r.nextInt(240), 4 + r.nextDouble() * 9, 6 + r.nextDouble() * 12);
        }
    }

    /** Depth along the fairway, which the tide changes. */
    static final class Fairway {
        private final double[] depth = new double[4000];

        Fairway() {
            for (int i = 0; i < depth.length; i++) {
                depth[i] = 13 + 3 * Math.sin(i / 90.0) + Math.cos(i / 7.0);
            }
        }

        double clearance(Vessel v, double metre, double hour) {
            double tide = 1.6 * Math.sin(2 * Math.PI * hour / 12.42);
            double squat = v.knots() * v.knots() / 100 * (1 + v.length() / 400);
            return depth[(int) metre % depth.length] + tide - squat - v.draught();
        }
    }

    /** One call by radio: the vessel reports four times, and gets an answer each time. */
    static final class Call implements Runnable {
        private final Vessel vessel;
        private final Fairway fairway;
        private final long started = System.nanoTime();
        private final ConcurrentHashMap<String, Double> board;

        Call(Vessel vessel, Fairway fairway, ConcurrentHashMap<String, Double> board) {
            this.vessel = vessel;
            this.fairway = fairway;
            this.board = board;
        }

        @Override public void run() {
            long waited = System.nanoTime() - started;
            untilRunNs.add(waited);
            worstNs.accumulateAndGet(waited, Math::max);
            try {
                for (int report = 0; report < 4; report++) {
                    board.put(vessel.name(), assess(report));
                    Thread.sleep(200 + ThreadLocalRandom.current().nextInt(100));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                board.remove(vessel.name());
                ended.increment();
            }
        }

        private double assess(int report) {
            double least = 99;
            for (int m = 0; m < 50000; m++) {
                least = Math.min(least, fairway.clearance(vessel, report * 1000.0 + m / 12.5, report * 0.25 + m / 12.5 / (vessel.knots() * 1852)));
            }
            return least;
        }
    }

    static final class Dispatcher extends Thread {
        private final Fairway fairway = new Fairway();
        private final Deque<Thread> latest = new ArrayDeque<>();
        final ConcurrentHashMap<String, Double> board = new ConcurrentHashMap<>();

        Dispatcher() {
            super("dispatcher");
            setDaemon(true);
        }

        @Override public void run() {
            try {
                while (true) {
                    List<Vessel> arriving = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        arriving.add(Vessel.any());
                    }
                    arriving.forEach(this::accept);
                    while (latest.size() > 60) {
                        latest.poll().join();
                    }
                    Thread.sleep(250);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void accept(Vessel vessel) {
            long from = System.nanoTime();
            Thread t = Thread.ofPlatform().daemon().name("call-" + vessel.name()).unstarted(new Call(vessel, fairway, board));
            t.start();
            startNs.add(System.nanoTime() - from);
            calls.increment();
            latest.add(t);
        }
    }

    public static void main(String[] args) throws Exception {
        Dispatcher dispatcher = new Dispatcher();
        dispatcher.start();
        while (ended.sum() < 24) {
            Thread.sleep(100);
        }
        worstNs.set(0);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long c = calls.sum(), s = startNs.sum(), u = untilRunNs.sum(), at = System.nanoTime();
            Thread.sleep(1000);
            long k = Math.max(1, calls.sum() - c);
            System.out.printf(Locale.ROOT, "measured: %d calls begun, start() takes %.3f ms (%.2f %% of the dispatcher's time), running %.2f ms after it, %.1f ms at most; %d vessels on the board%n", k,
                (startNs.sum() - s) / 1e6 / k, 100.0 * (startNs.sum() - s) / (System.nanoTime() - at), (untilRunNs.sum() - u) / 1e6 / k, worstNs.getAndSet(0) / 1e6, dispatcher.board.size());
        }
    }
}
