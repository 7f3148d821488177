// SPDX-License-Identifier: Apache-2.0
// cause: CatalogueShelf$Order.newestFirst sorts rows by a comparator that parses the text of the date of both rows for each comparison (Row.acquired)
// share: medians of 1 s on a busy machine of 2 CPUs: 237 pages/s, 7.78 ms each; with -Dfixed=true: 2199 pages/s, 0.59 ms each
// expect: hot-code sorter=Order.newestFirst
// symptom: hot-code | hot-method | gc-pauses
// judge: NAMED: sorting by what each comparison computes anew, or parsing dates for each comparison of a sort, at Order.newestFirst / Row.acquired; SYMPTOM ONLY: sorting, without what its comparisons cost; date parsing without the sort; allocation, GC; WRONG: locks, too few threads, the filter
// jdk: 21
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseParallelGC
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

public class CatalogueShelf {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder done = new LongAdder(), nanos = new LongAdder();
    static volatile int shown;

    static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("dd.MM.uuuu HH:mm", Locale.ROOT);

    /** A row as it came from the card index. */
    record Row(int id, String title, String stamp, int shelf) {
        LocalDateTime acquired() {
            return LocalDateTime.parse(stamp, STAMP);
        }
    }

    record Query(int shelfFrom, int shelfTo, String part) implements Predicate<Row> {
        @Override
        public boolean test(Row r) {
            return r.shelf >= shelfFrom && r.shelf < shelfTo && r.title.contains(part);
        }
    }

    static final class Order {
        record Dated(LocalDateTime at, Row row) {
        }

        List<Row> newestFirst(List<Row> rows) {
            if (FIXED) {
                return rows.stream().map(r -> new Dated(r.acquired(), r))
                        .sorted(Comparator.comparing(Dated::at).reversed().thenComparing(d -> d.row().id()))
                        .map(Dated::row).toList();
            }
            List<Row> list = new ArrayList<>(rows);
            list.sort(Comparator.comparing(Row::acquired).reversed().thenComparing(Row::id));
            return list;
        }
    }

    static final class Index {
        final List<Row> rows = new ArrayList<>();

        Index(int n) {
            Random r = new Random(2);
            String[] words = {"harbour", "atlas", "letters", "flora", "guild", "chronicle", "maps", "organ"};
            LocalDateTime start = LocalDateTime.of(1950, 1, 1, 8, 0);
            for (int i = 0; i < n; i++) {
                String title = words[r.nextInt(8)] + " of " + words[r.nextInt(8)] + " " + (1600 + r.nextInt(400));
                rows.add(new Row(i, title, STAMP.format(start.plusMinutes(r.nextInt(35000000))), r.nextInt(40)));
            }
        }

        List<Row> find(Query q) {
            List<Row> found = new ArrayList<>();
            for (Row r : rows) if (q.test(r)) found.add(r);
            return found;
        }
    }

    static final class ReadingRoom {
        final Index index = new Index(6000);
        final Order order = new Order();

        String page(Query q, int from) {
            List<Row> sorted = order.newestFirst(index.find(q));
            StringBuilder page = new StringBuilder();
            for (int i = from; i < Math.min(sorted.size(), from + 25); i++) {
                Row r = sorted.get(i);
                page.append(r.id()).append('\t').append(r.title()).append('\t').append(r.stamp()).append('\n');
            }
            return page.toString();
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        ReadingRoom room = new ReadingRoom();
        SynchronousQueue<Query> slips = new SynchronousQueue<>();
        Thread reader = new Thread(() -> {
            Random r = new Random(9);
            String[] parts = {"a", "o", "s", "er", "of"};
            try {
                while (true) {
                    int from = r.nextInt(30);
                    slips.put(new Query(from, from + 5 + r.nextInt(8), parts[r.nextInt(5)]));
                }
            } catch (InterruptedException e) {
                return;
            }
        }, "readers");
        reader.setDaemon(true);
        reader.start();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> {
                try {
                    while (true) {
                        Query q = slips.take();
                        long s = System.nanoTime();
                        shown += room.page(q, 0).length();
                        nanos.add(System.nanoTime() - s);
                        done.increment();
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }, "librarian-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        done.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d pages/s, %.2f ms each%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n));
        }
    }
}
