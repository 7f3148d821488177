// SPDX-License-Identifier: Apache-2.0
// cause: Rates.cost logs every reading at FINE, which the configuration of the program (configure: grid.settle.level=ALL) left on, so that each reading is formatted with MessageFormat and written and flushed to settle.N.log by a FileHandler; that costs many times the pricing of a reading.
// share: faulty 36000 readings settled a second; fixed 9396500 readings settled a second (261.0 times better in throughput; medians of 11 s runs on a crowded machine of 2 CPUs)
// expect: hot-code frame=MeterSettlement$Rates.cost kind=logging
// symptom: hot-code saturated-thread waiting
// judge: NAMED: CPU time of thread settlement is logging (java.util.logging, Logger.log at level FINE, FileHandler) for MeterSettlement$Rates.cost, for each reading; raise the level of grid.settle (or log per delivery). SYMPTOM ONLY: MessageFormat formatting in Plain.format; many small writes and flushes to a file; the thread settlement is saturated and head-end waits for room in the queue. WRONG: the search for callers of log methods (there is none: Plain does not ask for it), the loop of steps in Rates.cost, a slow disk (writes go to the page cache), the lock of the handler (one thread logs), queue size.
// jdk: 11
// set: twenty-ninth
// jvm:
import java.io.ByteArrayInputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

public class MeterSettlement {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final LongAdder READINGS = new LongAdder();
    static final Logger SETTLE = Logger.getLogger("grid.settle");
    static final Logger RATES = Logger.getLogger("grid.settle.rates");

    static final class Plain extends Formatter {
        @Override
        public String format(LogRecord record) {
            String text = record.getMessage();
            Object[] values = record.getParameters();
            if (values != null && values.length > 0) {
                text = MessageFormat.format(text, values);
            }
            return record.getMillis() + " " + record.getLevel().getName() + " " + record.getLoggerName() + " " + text + "\n";
        }
    }

    static final class Delivery {
        final int concentrator;
        final int[] meter;
        final int[] wattHours;
        final byte[] quarter;

        Delivery(int concentrator, int size, Random r) {
            this.concentrator = concentrator;
            meter = new int[size];
            wattHours = new int[size];
            quarter = new byte[size];
            for (int i = 0; i < size; i++) {
                meter[i] = concentrator * 1000 + i;
                wattHours[i] = r.nextInt(2400);
                quarter[i] = (byte) r.nextInt(96);
            }
        }
    }

    static final class Rates {
        private final int[] milliCents = new int[96];

        Rates() {
            for (int q = 0; q < 96; q++) {
                milliCents[q] = 21000 + (int) (9000 * Math.sin(q / 96.0 * Math.PI * 2));
            }
        }

        long cost(int meter, int quarter, int wattHours) {
            long amount = 0;
            int rest = wattHours;
            for (int step = 0; rest > 0; step++) {
                int part = Math.min(rest, 150);
                amount += (long) part * (milliCents[quarter] + step * 40L) / 1000;
                rest -= part;
            }
            RATES.log(Level.FINE, "meter {0} quarter {1}: {2} Wh cost {3}", new Object[] {meter, quarter, wattHours, amount});
            return amount;
        }
    }

    static final class Settlement implements Runnable {
        private final BlockingQueue<Delivery> intake;
        private final Rates rates;
        private final long[] account = new long[64 * 1000];

        Settlement(BlockingQueue<Delivery> intake, Rates rates) {
            this.intake = intake;
            this.rates = rates;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    settle(intake.take());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void settle(Delivery d) {
            long sum = 0;
            for (int i = 0; i < d.meter.length; i++) {
                long cost = rates.cost(d.meter[i], d.quarter[i], d.wattHours[i]);
                account[d.meter[i]] += cost;
                sum += cost;
            }
            READINGS.add(d.meter.length);
            if (sum < 0) {
                SETTLE.log(Level.WARNING, "concentrator {0} has a negative sum", d.concentrator);
            }
        }
    }

    static void configure(Path folder) throws Exception {
        String text = "grid.settle.level=" + (REVISED ? "INFO" : "ALL") + "\n"
            + "grid.settle.useParentHandlers=false\n";
        LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
        FileHandler file = new FileHandler(folder.resolve("settle.%g.log").toString(), 4_000_000, 3, false);
        file.setFormatter(new Plain());
        file.setLevel(Level.ALL);
        SETTLE.addHandler(file);
    }

    static void remove(Path folder) {
        File[] files = folder.toFile().listFiles();
        if (files != null) {
            for (File f : files) {
                f.delete();
            }
        }
        folder.toFile().delete();
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        Path folder = Files.createTempDirectory("settlement");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder)));
        configure(folder);
        BlockingQueue<Delivery> intake = new ArrayBlockingQueue<>(16);
        Rates rates = new Rates();
        Thread settlement = new Thread(new Settlement(intake, rates), "settlement");
        settlement.setDaemon(true);
        settlement.start();
        Thread head = new Thread(() -> {
            Random r = new Random(58);
            try {
                for (int n = 0; System.nanoTime() < end; n++) {
                    intake.put(new Delivery(n % 64, 500, r));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "head-end");
        head.setDaemon(true);
        head.start();
        SETTLE.info("settlement begins");
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            System.out.printf("measured: %d readings settled a second%n", READINGS.sumThenReset());
        }
    }
}
