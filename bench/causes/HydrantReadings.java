// SPDX-License-Identifier: Apache-2.0
// healthy: a quarter of the readings are refused by an exception made without a stack trace, and one in fifty by a NumberFormatException of a broken field: thousands of exceptions a second, which cost some per cent of the work at most
// share: some 4300 refused and 360 broken readings a second, 0.6 to 1.5 % of the work with all the parsing before them; 97 to 99 % is balancing the network; 0.5 CPUs
// judge: RIGHT: nothing stands out, or neutral statements of where CPU time goes (Network.balance, Network.relax, Gauge parsing). WRONG: any accusation, above all of exceptions (hot-code exceptions, Refused, NumberFormatException, deoptimisations by exceptions), also of parsing, locks, queues, collections
// jdk: 25
// set: thirty-second
// jvm: -Xmx256m

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Takes the pressure readings of a town's hydrants, refuses what cannot be right, and balances the network with the rest. */
public class HydrantReadings {

    static final LongAdder READINGS = new LongAdder();
    static final LongAdder REFUSED = new LongAdder();
    static final LongAdder BROKEN = new LongAdder();
    static final LongAdder REFUSED_NS = new LongAdder();
    static final LongAdder BALANCE_NS = new LongAdder();
    static final LongAdder WORK_NS = new LongAdder();

    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String why) {
            super(why, null, false, false);
        }
    }

    record Reading(int hydrant, double bar, double flow) { }

    static final class Rules {
        private static final Refused TOO_LOW = new Refused("no pressure: the gauge is off");
        private static final Refused TOO_HIGH = new Refused("more than the main can have");

        Reading check(Reading reading) {
            if (reading.bar() < 0.5)
                throw TOO_LOW;
            if (reading.bar() > 9)
                throw TOO_HIGH;
            return reading;
        }
    }

    static final class Gauge {
        Reading parse(String line) {
            String[] part = line.split(";");
            return new Reading(Integer.parseInt(part[0]), Double.parseDouble(part[1]), Double.parseDouble(part[2]));
        }
    }

    static final class Network {
        private final double[] pressure = new double[600];
        private final double[] demand = new double[600];

        void balance(Reading reading) {
            int at = reading.hydrant() % pressure.length;
            pressure[at] += (reading.bar() - pressure[at]) * 0.3;
            demand[at] += (reading.flow() - demand[at]) * 0.1;
            for (int round = 0; round < 10; round++)
                relax();
        }

        private void relax() {
            for (int i = 1; i < pressure.length - 1; i++) {
                double mean = (pressure[i - 1] + pressure[i + 1]) / 2;
                pressure[i] += (mean - Math.sqrt(demand[i]) * 0.01 - pressure[i]) * 0.2;
            }
        }
    }

    static final class Station implements Runnable {
        private final BlockingQueue<List<String>> telegrams;
        private final Gauge gauge = new Gauge();
        private final Rules rules = new Rules();
        private final Network network = new Network();

        Station(BlockingQueue<List<String>> telegrams) {
            this.telegrams = telegrams;
        }

        @Override public void run() {
            try {
                while (true)
                    for (String line : telegrams.take())
                        take(line);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void take(String line) {
            long from = System.nanoTime();
            READINGS.increment();
            try {
                Reading reading = rules.check(gauge.parse(line));
                long parsed = System.nanoTime();
                network.balance(reading);
                BALANCE_NS.add(System.nanoTime() - parsed);
            } catch (Refused e) {
                REFUSED.increment();
                REFUSED_NS.add(System.nanoTime() - from);
            } catch (NumberFormatException e) {
                BROKEN.increment();
                REFUSED_NS.add(System.nanoTime() - from);
            }
            WORK_NS.add(System.nanoTime() - from);
        }
    }

    static void radio(BlockingQueue<List<String>> telegrams) {
        Random town = new Random(2);
        try {
            while (true) {
                if (telegrams.size() > 20) {
                    Thread.sleep(3);
                    continue;
                }
                List<String> telegram = new ArrayList<>();
                for (int i = 0; i < 60; i++) {
                    double bar = town.nextInt(4) == 0 ? town.nextInt(2) * 12 : 2 + town.nextDouble() * 5;
                    String flow = town.nextInt(50) == 0 ? "-.-" : Integer.toString(town.nextInt(90));
                    telegram.add(town.nextInt(6000) + ";" + Math.round(bar * 100) / 100.0 + ";" + flow);
                }
                telegrams.put(telegram);
                Thread.sleep(3);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<List<String>> telegrams = new ArrayBlockingQueue<>(100);
        new Thread(new Station(telegrams), "station").start();
        new Thread(() -> radio(telegrams), "radio").start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = READINGS.sum(), no = REFUSED.sum(), broken = BROKEN.sum(), ns = REFUSED_NS.sum(), all = WORK_NS.sum(), balance = BALANCE_NS.sum(), from = System.nanoTime();
            Thread.sleep(1000);
            all = Math.max(1, WORK_NS.sum() - all);
            System.out.printf(Locale.ROOT, "measured: %d readings/s, %d refused, %d broken: %.1f %% of the work, network %.1f %%; station busy %.0f %%%n",
                    READINGS.sum() - n, REFUSED.sum() - no, BROKEN.sum() - broken, 100.0 * (REFUSED_NS.sum() - ns) / all,
                    100.0 * (BALANCE_NS.sum() - balance) / all, 100.0 * all / (System.nanoTime() - from));
            System.out.flush();
        }
    }
}
