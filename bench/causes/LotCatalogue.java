// SPDX-License-Identifier: Apache-2.0
// cause: LotCatalogue$LineFormat.parse matches catalogue lines with a regular expression that has a repetition within a repetition, (?:[\p{L}\d]+[ ,.-]?)+ with an optional separator; a title with a sign that it does not allow (& or a slash) is divided in ever more ways before the match fails
// share: 95 % or more of the work of the thread catalogue, which computes all the time (nearly all of the CPU time of the process), is in LineFormat.parse; some 3 to 10 ms for each line with & or a slash, microseconds for others
// expect: hot-code kind=nested-repetitions frame=LotCatalogue$LineFormat.parse
// symptom: hot-code hot-calls hot-method
// judge: NAMED: matching regular expressions (with a repetition within a repetition, or backtracking) for LotCatalogue$LineFormat.parse (hot-code nested-repetitions or regular-expressions, or any sentence that says that the regular expression in LineFormat.parse takes the CPU time). SYMPTOM ONLY: CPU time in java.util.regex.Pattern$... (hot-method) or LineFormat.parse (hot-calls) without a word of regular expressions; one saturated thread "catalogue". WRONG: all else as first finding (Valuation, Register, waits, collections).
// jdk: 17
// set: thirty-sixth
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes the consignors' lists of an auction house into the catalogue, one list after another. */
public class LotCatalogue {
    static final AtomicLong parsing = new AtomicLong();
    static final AtomicLong working = new AtomicLong();
    static final AtomicLong lines = new AtomicLong();
    static final AtomicLong byHand = new AtomicLong();

    static final class Lot {
        final String title;
        final int year;
        final int estimate;

        Lot(String title, int year, int estimate) {
            this.title = title;
            this.year = year;
            this.estimate = estimate;
        }
    }

    /** A line is TITLE;YEAR;ESTIMATE, the title with or without quotes of either kind. */
    static final class LineFormat {
        private static final Pattern LINE =
            Pattern.compile("^([\"']?)((?:[\\p{L}\\d]+[ ,.-]?)+)\\1;(\\d{4});(\\d+)$");

        Lot parse(String line) {
            Matcher m = LINE.matcher(line);
            if (!m.matches())
                return null;
            return new Lot(m.group(2).trim(), Integer.parseInt(m.group(3)), Integer.parseInt(m.group(4)));
        }
    }

    /** Lists as consignors send them. */
    static final class Consignor {
        private static final String[] KINDS = {"Oaken", "Walnut", "Pewter", "Delft", "Copper", "Ebony", "Rococo", "Silver"};
        private static final String[] THINGS = {"settle", "teapots", "bureau", "tankard", "plate", "lantern", "casket", "cabinet"};
        private final Random random;

        Consignor(long seed) {
            random = new Random(seed);
        }

        private String one(String[] of) {
            return of[random.nextInt(of.length)];
        }

        List<String> list() {
            List<String> list = new ArrayList<>();
            for (int i = 0; i < 25; i++) {
                StringBuilder title = new StringBuilder(one(KINDS)).append(' ');
                if (random.nextBoolean())
                    title.append("inlaid ");
                title.append(one(THINGS));
                if (random.nextInt(100) < 8)
                    title.append(random.nextBoolean() ? " & " : " / ").append(one(THINGS));
                else if (random.nextInt(3) == 0)
                    title.append(" with ").append(one(KINDS)).append(" base");
                String quote = random.nextInt(4) == 0 ? "\"" : "";
                list.add(quote + title + quote + ";" + (1650 + random.nextInt(250)) + ";" + (20 + random.nextInt(4000)));
            }
            return list;
        }
    }

    /** What similar lots went for. */
    static final class Valuation {
        private final double[] factors = new double[300];

        Valuation() {
            for (int i = 0; i < factors.length; i++)
                factors[i] = 1 + Math.sin(i * 0.1) * 0.2;
        }

        int reserve(Lot lot) {
            double sum = 0;
            for (int i = 0; i < factors.length; i++)
                sum += factors[i] * Math.exp(-Math.abs(lot.year - 1650 - i) / 25.0);
            return (int) (lot.estimate * 0.7 * sum / 50);
        }
    }

    /** The catalogue: the latest lots by their kind. */
    static final class Register {
        private final Map<String, List<Lot>> byKind = new HashMap<>();
        private long reserves;

        void enter(Lot lot, int reserve) {
            String kind = lot.title.substring(0, Math.max(1, lot.title.indexOf(' ')));
            List<Lot> lots = byKind.computeIfAbsent(kind, k -> new ArrayList<>());
            if (lots.size() >= 2000)
                lots.clear();
            lots.add(lot);
            reserves += reserve;
        }
    }

    static final class Intake implements Runnable {
        private final Consignor consignor = new Consignor(41);
        private final LineFormat format = new LineFormat();
        private final Valuation valuation = new Valuation();
        private final Register register = new Register();
        private final List<String> desk = new ArrayList<>();

        @Override
        public void run() {
            while (true) {
                long start = System.nanoTime();
                for (String line : consignor.list())
                    take(line);
                working.addAndGet(System.nanoTime() - start);
            }
        }

        private void take(String line) {
            long start = System.nanoTime();
            Lot lot = format.parse(line);
            parsing.addAndGet(System.nanoTime() - start);
            lines.incrementAndGet();
            if (lot == null) {
                byHand.incrementAndGet();
                if (desk.size() >= 500)
                    desk.clear();
                desk.add(line);
                return;
            }
            register.enter(lot, valuation.reserve(lot));
        }
    }

    public static void main(String[] args) throws Exception {
        Thread catalogue = new Thread(new Intake(), "catalogue");
        catalogue.setDaemon(true);
        catalogue.start();
        for (int second = 1; ; second++) {
            long p = parsing.get(), w = working.get(), n = lines.get(), h = byHand.get();
            Thread.sleep(1000);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
            long did = lines.get() - n, odd = byHand.get() - h;
            System.out.printf("measured: %d lines, %d of them for the desk; %.0f ms in LineFormat.parse, %.0f ms of work in all%n",
                did, odd, (parsing.get() - p) / 1e6, (working.get() - w) / 1e6);
            System.out.flush();
        }
    }
}
