// SPDX-License-Identifier: Apache-2.0
// cause: each order is described at length for a debug message whose level is off: DebugDump.describe
// expect: hot-method frame=DebugDump.describe | hot-method caller=DebugDump.describe | hot-calls frame=DebugDump.describe | hot-code frame=DebugDump.describe | endpoint-cpu frame=DebugDump.describe
// symptom: hot-method hot-calls hot-code
// jdk: 11
// set: ninth
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;

public final class DebugDump {
    private static final Logger LOG = Logger.getLogger("orders");
    private static final LongAdder LOGGING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static volatile long totals;

    private static final class Line {
        private final String article;
        private final int pieces;
        private final double price;

        private Line(String article, int pieces, double price) {
            this.article = article;
            this.pieces = pieces;
            this.price = price;
        }
    }

    private static String describe(List<Line> order) {
        StringBuilder text = new StringBuilder();
        for (Line line : order) {
            text.append("Line{article=").append(line.article).append(", pieces=").append(line.pieces)
                    .append(", price=").append(line.price).append(", sum=").append(line.price * line.pieces)
                    .append("}\n");
        }
        return text.toString();
    }

    private static List<Line> parse(int number) {
        List<Line> order = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            order.add(new Line("article", 1 + (number + i) % 9, (number * 31 + i * 17) % 10_000 / 7.0));
        }
        return order;
    }

    private static long process(List<Line> order) {
        long start = System.nanoTime();
        LOG.fine("processing " + describe(order));
        LOGGING.add(System.nanoTime() - start);
        double total = 0;
        for (Line line : order) {
            total += line.pieces * line.price * (line.pieces > 5 ? 0.95 : 1);
        }
        return Math.round(total * 100);
    }

    private static void serve(int worker) {
        try {
            for (int number = worker;; number += 2) {
                long start = System.nanoTime();
                totals += process(parse(number));
                ALL.add(System.nanoTime() - start);
                if (number % 100 < 2) {
                    Thread.sleep(1); // the next orders
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        LOG.setLevel(Level.INFO);
        for (int i = 0; i < 2; i++) {
            int worker = i;
            new Thread(() -> serve(worker), "order-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * LOGGING.sum() / (ALL.sum() + 1)
                    + " % of an order is a message that is not logged");
        }
    }
}
