// SPDX-License-Identifier: Apache-2.0
// healthy: every two seconds a burst of 1600 positions comes in to be valued; two threads work through it in a quarter of a second or less, then all rest until the next burst: each is done long before it is due (two seconds), and queues are empty in between
// share: none: a burst of 1600 positions every two seconds takes 90 to 220 ms, none is delayed; 0.1 to 0.2 CPUs of 2
// judge: RIGHT: nothing stands out, or only neutral sentences (CPU time is in ExchangeCloseout$Valuation.value or what it calls). WRONG: a pool that is too small or busy, a growing queue, waiting for futures or for a timer as a fault, saturated threads, locks, costly JDK work, collections, starved CPUs as a fault of the program.
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Values the open positions of an exchange's members whenever their state comes in. */
public class ExchangeCloseout {
    static final AtomicInteger bursts = new AtomicInteger();
    static final AtomicInteger late = new AtomicInteger();
    static final AtomicLong lastMicros = new AtomicLong();
    static final AtomicLong busyNanos = new AtomicLong();

    record Position(int member, double spot, double strike, double years, double volatility, int lots) {
    }

    record Value(Position position, double price, double delta) {
        double margin() {
            return Math.abs(position.lots()) * (0.1 * position.spot() * Math.abs(delta) + 0.05 * price);
        }
    }

    /** An American option by a binomial tree. */
    static final class Valuation {
        static final int STEPS = 360;
        static final double RATE = 0.03;

        Value value(Position p) {
            double dt = p.years() / STEPS;
            double up = Math.exp(p.volatility() * Math.sqrt(dt));
            double down = 1 / up;
            double growth = Math.exp(RATE * dt);
            double chance = (growth - down) / (up - down);
            double[] values = new double[STEPS + 1];
            double spot = p.spot() * Math.pow(down, STEPS);
            for (int i = 0; i <= STEPS; i++) {
                values[i] = Math.max(0, p.strike() - spot);
                spot *= up * up;
            }
            double delta = 0;
            for (int step = STEPS - 1; step >= 0; step--) {
                if (step == 0) {
                    delta = (values[1] - values[0]) / (p.spot() * (up - down));
                }
                double at = p.spot() * Math.pow(down, step);
                for (int i = 0; i <= step; i++) {
                    double kept = (chance * values[i + 1] + (1 - chance) * values[i]) / growth;
                    values[i] = Math.max(kept, p.strike() - at);
                    at *= up * up;
                }
            }
            return new Value(p, values[0], delta);
        }
    }

    /** Takes a burst, spreads it over the threads, and adds up the margin. */
    static final class Closeout {
        final Valuation valuation = new Valuation();
        final ExecutorService valuers;
        final Random random = new Random(17);

        Closeout(ExecutorService valuers) {
            this.valuers = valuers;
        }

        List<Position> receive() {
            List<Position> positions = new ArrayList<>();
            for (int i = 0; i < 1600; i++) {
                double spot = 50 + random.nextInt(100);
                positions.add(new Position(random.nextInt(30), spot, spot * (0.8 + 0.4 * random.nextDouble()),
                        0.1 + random.nextDouble(), 0.1 + 0.4 * random.nextDouble(), random.nextInt(200) - 100));
            }
            return positions;
        }

        void burst() {
            long start = System.nanoTime();
            List<Future<Value>> values = new ArrayList<>();
            for (Position position : receive()) {
                values.add(valuers.submit(() -> {
                    long begin = System.nanoTime();
                    Value value = valuation.value(position);
                    busyNanos.addAndGet(System.nanoTime() - begin);
                    return value;
                }));
            }
            double[] margins = new double[30];
            try {
                for (Future<Value> value : values) {
                    margins[value.get().position().member()] += value.get().margin();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            long took = System.nanoTime() - start;
            lastMicros.set(took / 1000);
            bursts.incrementAndGet();
            if (took > 2_000_000_000L) {
                late.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger number = new AtomicInteger();
        ExecutorService valuers = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "valuer-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        Closeout closeout = new Closeout(valuers);
        closeout.burst();
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "closeout"));
        clock.scheduleWithFixedDelay(closeout::burst, 100, 1800, TimeUnit.MILLISECONDS);
        long busy = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long now = busyNanos.get();
            System.out.printf("measured: %d bursts so far, %d late; the last one of 1600 positions took %.0f ms; valuers worked %d ms in this second%n",
                    bursts.get(), late.get(), lastMicros.get() / 1e3, (now - busy) / 1_000_000);
            if (second == 5) {
                System.out.println("READY");
            }
            System.out.flush();
            busy = now;
        }
    }
}
