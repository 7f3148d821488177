// SPDX-License-Identifier: Apache-2.0
// cause: CallRating$Rater.rate and CallRating$Tariff.price trace each of their calls (Logger.entering and exiting, java.util.logging), as the level of the logger is ALL and its FileHandler takes all of it, in XML: four records of the log for each call record that is rated
// share: about 99 % of the time of rating (15 to 20 us a call with the trace, less than 0.1 us without), and at least 90 % of the CPU time, is logging, as measured
// expect: hot-code kind=logging frame=CallRating$
// symptom: hot-calls hot-method hot-code waiting
// judge: NAMED: logging (java.util.logging: Logger.entering/exiting/logp, FileHandler, XMLFormatter) for CallRating$Rater.rate or CallRating$Tariff.price (or both, or Rater.run/batch, which calls them). SYMPTOM ONLY: hot calls in Rater.rate/Tariff.price without saying that it is logging; writing to a file, formatting of dates or strings, the lock of the handler, or allocation, without the logging behind it. WRONG: the rating itself (Tariff.zone/CallSource.next), collections, the disk as too slow, the machine, that nothing is wrong
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx128m
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.FileHandler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** Rates the call records of a telephone company: zone, time of day, price; sums for each customer. */
public class CallRating {
    static final LongAdder rated = new LongAdder(), rateNanos = new LongAdder();

    record Call(long customer, String number, int startMinute, int seconds) { }

    /** Call records, as exchanges deliver them. */
    static final class CallSource {
        private final Random random = new Random(7);

        List<Call> next(int count) {
            List<Call> calls = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                String number = "00" + (30 + random.nextInt(60)) + (1_000_000 + random.nextInt(9_000_000));
                calls.add(new Call(random.nextInt(5000), number, random.nextInt(1440), 5 + random.nextInt(1800)));
            }
            return calls;
        }
    }

    static final class Tariff {
        private static final String NAME = Tariff.class.getName();
        private final Logger log;
        private final int[] centsByZone = new int[100];

        Tariff(Logger log) {
            this.log = log;
            for (int i = 0; i < centsByZone.length; i++)
                centsByZone[i] = 3 + i * 7 % 41;
        }

        private int zone(String number) {
            int zone = 0;
            for (int i = 2; i < 4; i++)
                zone = zone * 10 + number.charAt(i) - '0';
            return zone;
        }

        long price(String number, int minute, int seconds) {
            if (log.isLoggable(Level.FINER))
                log.entering(NAME, "price", new Object[] {number, minute, seconds});
            int cents = centsByZone[zone(number)];
            if (minute < 360 || minute >= 1200)
                cents = cents * 2 / 3;
            long price = (long) cents * ((seconds + 59) / 60);
            if (log.isLoggable(Level.FINER))
                log.exiting(NAME, "price", price);
            return price;
        }
    }

    static final class Rater implements Runnable {
        private static final String NAME = Rater.class.getName();
        private final Logger log;
        private final Tariff tariff;
        private final CallSource source = new CallSource();
        private final long[] owed = new long[5000];

        Rater(Logger log) {
            this.log = log;
            tariff = new Tariff(log);
        }

        private long rate(Call call) {
            log.entering(NAME, "rate", call);
            long price = tariff.price(call.number(), call.startMinute(), call.seconds());
            owed[(int) call.customer()] += price;
            log.exiting(NAME, "rate", price);
            return price;
        }

        private void batch(List<Call> calls) {
            long begin = System.nanoTime(), sum = 0;
            for (Call call : calls)
                sum += rate(call);
            if (sum < 0)
                throw new IllegalStateException("overflow");
            rated.add(calls.size());
            rateNanos.add(System.nanoTime() - begin);
        }

        @Override public void run() {
            try {
                while (true) {
                    batch(source.next(300));
                    Thread.sleep(8);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void remove(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator)
                Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            System.err.println("cannot remove " + directory + ": " + e);
        }
    }

    private static double nanosEach(Level level, Logger log) {
        log.setLevel(level);
        Rater rater = new Rater(log);
        CallSource source = new CallSource();
        List<Call> calls = source.next(2000);
        for (int i = 0; i < 300; i++)
            rater.batch(calls);
        long begin = System.nanoTime();
        rater.batch(calls);
        return (System.nanoTime() - begin) / (double) calls.size();
    }

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("rating");
        FileHandler file = new FileHandler(directory + "/rating.%g.log", 16 << 20, 2);
        file.setLevel(Level.ALL);
        Logger log = Logger.getLogger("rating");
        log.setUseParentHandlers(false);
        log.addHandler(file);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            log.removeHandler(file);
            file.close();
            remove(directory);
        }));
        double info = nanosEach(Level.INFO, log);
        log.setLevel(Level.ALL);
        rated.reset();
        rateNanos.reset();
        new Thread(new Rater(log), "rater").start();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, rated.sumThenReset());
            double each = rateNanos.sumThenReset() / (double) n;
            System.out.printf("measured: %d calls rated, %.1f us each; %.2f us at level INFO, so %.0f %% is the trace%n",
                n, each / 1e3, info / 1e3, 100 * Math.max(0, 1 - info / each));
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
