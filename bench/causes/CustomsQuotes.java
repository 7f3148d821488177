// SPDX-License-Identifier: Apache-2.0
// cause: CustomsQuotes$TariffDesk keeps its DutyTable in a ThreadLocal, but every request runs on a virtual thread of its own, so that DutyTable (8,000 chapters) is built anew by the initial value of the thread local for each request.
// share: faulty 19,400 quotes/s at 0.26 ms each; fixed 41,100 quotes/s at 0.09 ms each
// expect: hot-code kind=thread-locals
// symptom: hot-calls waiting unstarted-threads
// judge: NAMED: making the initial values of the thread local (DutyTable) for CustomsQuotes$TariffDesk.quote, once per request since each has its own virtual thread. SYMPTOM ONLY: CPU time in DutyTable's constructor or DutyTable.rate; much is allocated and collected; clients wait for futures. WRONG: too few carriers or pinned threads; the heap being too small as the cause; the clients' threads; the lookup chapter() being slow.
// jdk: 21
// set: twenty-sixth
// jvm:

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

public class CustomsQuotes {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int CHAPTERS = 8000;
    static final AtomicLong quotes = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    record Goods(int code, String origin, long cents) {
    }

    /** Duties by chapter, with room for one calculation at a time. */
    static final class DutyTable {
        private final int[] chapters = new int[CHAPTERS];
        private final int[] permille = new int[CHAPTERS];
        private final long[] sums = new long[64];

        DutyTable() {
            int code = 0;
            for (int i = 0; i < CHAPTERS; i++) {
                code += 3 + Integer.bitCount(i * 0x9E3779B9);
                chapters[i] = code;
                permille[i] = rate(code);
            }
        }

        private static int rate(int code) {
            int mix = code;
            for (int i = 0; i < 6; i++) {
                mix = mix * 1103515245 + 12345;
                mix ^= mix >>> 13;
            }
            return Math.floorMod(mix, 120);
        }

        int chapter(int code) {
            int low = 0;
            int high = CHAPTERS - 1;
            while (low < high) {
                int middle = (low + high + 1) >>> 1;
                if (chapters[middle] <= code) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return low;
        }

        long duty(List<Goods> goods) {
            java.util.Arrays.fill(sums, 0);
            for (Goods g : goods) {
                int at = chapter(g.code());
                sums[Math.floorMod(g.origin().hashCode(), 64)] += g.cents() * permille[at] / 1000;
            }
            long total = 0;
            for (long sum : sums) {
                total += sum > 15_000 ? sum : 0;
            }
            return total;
        }
    }

    static final class TariffDesk {
        private final ThreadLocal<DutyTable> tables = ThreadLocal.withInitial(DutyTable::new);
        private final BlockingQueue<DutyTable> shared = new ArrayBlockingQueue<>(8);

        TariffDesk() {
            for (int i = 0; i < 8; i++) {
                shared.add(new DutyTable());
            }
        }

        long quote(List<Goods> goods) throws InterruptedException {
            if (!FIXED) {
                return tables.get().duty(goods);
            }
            DutyTable table = shared.take();
            try {
                return table.duty(goods);
            } finally {
                shared.put(table);
            }
        }
    }

    static final class Declarations {
        List<Goods> read(String text) {
            List<Goods> goods = new ArrayList<>();
            for (String line : text.split(";")) {
                String[] fields = line.split(",");
                goods.add(new Goods(Integer.parseInt(fields[0]), fields[1], Long.parseLong(fields[2])));
            }
            return goods;
        }
    }

    static final class Gateway {
        private final Declarations declarations = new Declarations();
        private final TariffDesk desk = new TariffDesk();
        private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();

        private String answer(String text) throws InterruptedException {
            List<Goods> goods = declarations.read(text);
            long value = 0;
            for (Goods g : goods) {
                value += g.cents();
            }
            return "value " + value + " duty " + desk.quote(goods);
        }

        String ask(String text) throws Exception {
            return requests.submit(() -> answer(text)).get();
        }
    }

    static String declaration(Random random) {
        StringBuilder text = new StringBuilder();
        int lines = 8 + random.nextInt(16);
        for (int i = 0; i < lines; i++) {
            text.append(random.nextInt(140_000)).append(',').append((char) ('A' + random.nextInt(26)))
                .append((char) ('A' + random.nextInt(26))).append(',').append(1000 + random.nextInt(900_000)).append(';');
        }
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        Gateway gateway = new Gateway();
        for (int c = 0; c < 6; c++) {
            Random random = new Random(c);
            Thread client = new Thread(() -> {
                try {
                    for (int i = 0; ; i++) {
                        String text = declaration(random);
                        long begin = System.nanoTime();
                        gateway.ask(text);
                        nanos.addAndGet(System.nanoTime() - begin);
                        quotes.incrementAndGet();
                        if (i % 20 == 0) {
                            Thread.sleep(1);
                        }
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "broker-" + c);
            client.setDaemon(true);
            client.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long q = quotes.get();
            long n = nanos.get();
            Thread.sleep(1000);
            long done = quotes.get() - q;
            System.out.printf("measured: %d quotes/s, %.3f ms each%n", done, (nanos.get() - n) / 1e6 / Math.max(1, done));
        }
        System.exit(0);
    }
}
