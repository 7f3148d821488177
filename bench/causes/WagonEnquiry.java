// SPDX-License-Identifier: Apache-2.0
// cause: replies of the yards have wagon numbers without leading zeros, but WagonEnquiry$YardLink.ask registers its future under the number as it was asked for; so WagonEnquiry$YardLink.deliver finds no future for every third wagon, never completes it, and ask waits until its time-out of 700 ms
// share: 98 to 100 % of the time of enquiries is waiting for answers that never come, 700 ms each, for a third of the wagons; the others are answered in 0.1 to 0.3 ms; hardly any CPU used
// expect: waiting kind=future frame=WagonEnquiry$YardLink.ask
// symptom: waiting
// judge: NAMED: waiting for a future at WagonEnquiry$YardLink.ask (or its callers Planner.plan / Planner.run), especially with the remark that time-outs end these waits, i.e. what they wait for does not come. SYMPTOM ONLY: a neutral "time goes to waiting for futures" without place; that the yard (thread yard-bus, Yard.run) is slow or has nothing to do. WRONG: computing, collections, too few threads in a pool, the queue of the yard-bus, timers (Thread.sleep) elsewhere, the machine.
// jdk: 25
// set: thirty-sixth
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/** Plans trains of goods wagons, for which it asks the yards where each wagon stands. */
public class WagonEnquiry {
    static final LongAdder trains = new LongAdder();
    static final LongAdder asked = new LongAdder();
    static final LongAdder unknown = new LongAdder();
    static final LongAdder askNanos = new LongAdder();
    static final LongAdder unknownNanos = new LongAdder();
    static final LongAdder planNanos = new LongAdder();

    record Position(int yard, int track, int metres, int tons) { }

    record Telegram(String text) { }

    /** The yards' computer: reads telegrams and answers them in its own form. */
    static final class Yard implements Runnable {
        private final LinkedBlockingQueue<Telegram> incoming = new LinkedBlockingQueue<>();
        private YardLink link;

        void send(Telegram telegram) {
            incoming.add(telegram);
        }

        @Override public void run() {
            try {
                while (true) {
                    Telegram telegram = incoming.take();
                    long number = Long.parseLong(telegram.text().substring(telegram.text().indexOf(' ') + 1));
                    int h = Long.hashCode(number * 2654435761L);
                    link.deliver("AT " + number + " " + Math.floorMod(h, 40) + " " + Math.floorMod(h >> 6, 24) + " " + Math.floorMod(h >> 9, 700) + " " + (12 + Math.floorMod(h >> 4, 70)));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Questions to the yards, and who waits for their answers. */
    static final class YardLink {
        private final Map<String, CompletableFuture<Position>> open = new ConcurrentHashMap<>();
        private final Yard yard;

        YardLink(Yard yard) {
            this.yard = yard;
            yard.link = this;
        }

        Position ask(String wagon) throws InterruptedException {
            long t0 = System.nanoTime();
            CompletableFuture<Position> answer = open.computeIfAbsent(wagon, w -> new CompletableFuture<>());
            yard.send(new Telegram("WHERE " + wagon));
            Position position = null;
            try {
                position = answer.get(700, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                unknown.increment();
                unknownNanos.add(System.nanoTime() - t0);
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } finally {
                open.remove(wagon, answer);
                asked.increment();
                askNanos.add(System.nanoTime() - t0);
            }
            return position;
        }

        void deliver(String text) {
            String[] part = text.split(" ");
            CompletableFuture<Position> waiting = open.remove(part[1]);
            if (waiting != null) {
                waiting.complete(new Position(Integer.parseInt(part[2]), Integer.parseInt(part[3]), Integer.parseInt(part[4]), Integer.parseInt(part[5])));
            }
        }
    }

    /** Puts the wagons of a train in order. */
    static final class Planner implements Runnable {
        private final YardLink link;
        private final Random random;
        private double cost;

        Planner(YardLink link, int seed) {
            this.link = link;
            this.random = new Random(seed);
        }

        @Override public void run() {
            try {
                while (true) {
                    long t0 = System.nanoTime();
                    plan(5 + random.nextInt(8));
                    planNanos.add(System.nanoTime() - t0);
                    trains.increment();
                    Thread.sleep(20 + random.nextInt(40));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void plan(int length) throws InterruptedException {
            List<Position> wagons = new ArrayList<>();
            for (int i = 0; i < length; i++) {
                String number = (random.nextInt(3) == 0 ? "00" : "21") + String.format(Locale.ROOT, "%08d", random.nextInt(100_000_000));
                Position position = link.ask(number);
                wagons.add(position != null ? position : new Position(0, 0, 350, 45));
            }
            double best = Double.MAX_VALUE;
            for (int attempt = 0; attempt < 30_000; attempt++) {
                int a = random.nextInt(wagons.size()), b = random.nextInt(wagons.size());
                Position swap = wagons.get(a);
                wagons.set(a, wagons.get(b));
                wagons.set(b, swap);
                double sum = 0;
                for (int i = 1; i < wagons.size(); i++) {
                    Position p = wagons.get(i - 1), q = wagons.get(i);
                    sum += Math.abs(p.yard() - q.yard()) * 40 + Math.hypot(p.track() - q.track(), p.metres() - q.metres()) + Math.max(0, q.tons() - p.tons());
                }
                best = Math.min(best, sum);
            }
            cost += best;
        }
    }

    public static void main(String[] args) throws Exception {
        Yard yard = new Yard();
        YardLink link = new YardLink(yard);
        Thread bus = new Thread(yard, "yard-bus");
        bus.setDaemon(true);
        bus.start();
        for (int i = 1; i <= 40; i++) new Thread(new Planner(link, i), "planner-" + i).start();
        while (trains.sum() < 60) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long n0 = asked.sum(), u0 = unknown.sum(), a0 = askNanos.sum(), un0 = unknownNanos.sum(), p0 = planNanos.sum(), t0 = trains.sum();
        while (true) {
            Thread.sleep(1000);
            long n = asked.sum(), u = unknown.sum(), a = askNanos.sum(), un = unknownNanos.sum(), t = trains.sum();
            long known = Math.max(1, n - n0 - (u - u0));
            System.out.println(String.format(Locale.ROOT, "measured: %d trains; %d wagons asked for, %d without an answer after %.0f ms each, the others %.2f ms each; %.1f %% of the time of enquiries is in those without an answer",
                t - t0, n - n0, u - u0, (un - un0) / 1e6 / Math.max(1, u - u0), (a - a0 - un + un0) / 1e6 / known, 100.0 * (un - un0) / Math.max(1, a - a0)));
            n0 = n; u0 = u; a0 = a; un0 = un; t0 = t;
        }
    }
}
