// SPDX-License-Identifier: Apache-2.0
// cause: The left-over JVM option -XX:CompileCommand=exclude,TariffBoard.charge keeps the JIT compiler away from the rating method TariffBoard.charge, so its inner loop runs in the interpreter for ever and is many times slower.
// share: throughput 55,000 calls/s vs 780,000-950,000/s fixed (2,200,000/s when simply run without the option on a quieter machine)
// judge: Must say that TariffBoard.charge runs interpreted (is never JIT-compiled), because of the -XX:CompileCommand=exclude option; naming either the option or "charge is excluded from compilation / interpreted" counts. "charge is hot" or "loop in charge is expensive" alone does not count.
// set: eighteenth
// expect: hot-method frame=TariffBoard.charge mode=interpreted | jvm-option
// symptom: hot-method
// jdk: 11
// jvm: -XX:CompileCommand=exclude,TariffBoard.charge
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TariffBoard {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder priced = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static final class Table {
        final double[] rates = new double[1024];
        final String zone;
        Table(String zone) { this.zone = zone; }
        double rate(int minute) { return rates[minute & 1023]; }
    }

    static final class TariffStore {
        private final Map<Integer, Table> tables = new ConcurrentHashMap<>();

        Table table(int zone) { return tables.computeIfAbsent(zone, this::build); }

        private Table build(int zone) {
            Table t = new Table("Z" + zone);
            double base = 0.03 + (zone % 17) * 0.001;
            for (int m = 0; m < t.rates.length; m++) t.rates[m] = base * (1 + Math.sin(m * 0.004 + zone) / 3);
            return t;
        }
    }

    static double charge(Table t, int startMinute, int seconds) {
        double sum = 0;
        for (int s = 0; s < seconds; s += 10) {
            double step = t.rate(startMinute + s / 60) / 6;
            sum += s < 600 ? step : step * 0.9;
        }
        return sum;
    }

    static double chargeB(Table t, int startMinute, int seconds) {
        double sum = 0;
        for (int s = 0; s < seconds; s += 10) {
            double step = t.rate(startMinute + s / 60) / 6;
            sum += s < 600 ? step : step * 0.9;
        }
        return sum;
    }

    static final class CallRecord {
        final int zone;
        final int startMinute;
        final int seconds;
        final String subscriber;
        CallRecord(int zone, int startMinute, int seconds, String subscriber) {
            this.zone = zone;
            this.startMinute = startMinute;
            this.seconds = seconds;
            this.subscriber = subscriber;
        }
    }

    static final class Rater implements Runnable {
        private final TariffStore store;
        private final Map<String, Double> balances = new HashMap<>();
        Rater(TariffStore store) { this.store = store; }

        @Override public void run() {
            while (true) {
                long t0 = System.nanoTime();
                List<CallRecord> batch = receive(200);
                for (CallRecord c : batch) book(c, price(c));
                nanos.add(System.nanoTime() - t0);
                priced.add(batch.size());
            }
        }

        private List<CallRecord> receive(int n) {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            List<CallRecord> list = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                String line = r.nextInt(400) + "," + r.nextInt(1440) + "," + r.nextInt(5, 2400) + ",+49" + (1700000 + r.nextInt(4000));
                String[] f = line.split(",");
                list.add(new CallRecord(Integer.parseInt(f[0]), Integer.parseInt(f[1]), Integer.parseInt(f[2]), f[3]));
            }
            return list;
        }

        private double price(CallRecord c) {
            Table t = store.table(c.zone);
            double sum = FIXED ? chargeB(t, c.startMinute, c.seconds) : charge(t, c.startMinute, c.seconds);
            return Math.round(sum * 10_000) / 10_000.0;
        }

        private void book(CallRecord c, double amount) {
            balances.merge(c.subscriber, amount, Double::sum);
        }
    }

    public static void main(String[] args) throws Exception {
        TariffStore store = new TariffStore();
        for (int z = 0; z < 400; z++) store.table(z);
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Rater(store), "rater-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long c = priced.sumThenReset(), n = nanos.sumThenReset();
            System.out.println("measured: calls rated/s " + c + " mean us per call " + (c == 0 ? 0 : n / c) / 1000.0);
        }
        System.exit(0);
    }
}
