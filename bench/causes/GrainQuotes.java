// SPDX-License-Identifier: Apache-2.0
// cause: GrainQuotes.Visit joins the Board with a listener (Screen) and Visit.end never takes it off again, so Board.viewers grows by about 80 a second: memory grows by about 2 KB each and every publish calls all the screens of ended visits.
// share: 500 quotes/s both ways; publish time faulty: 27 us at first, 240 us at the end (166 s), lowest heap figure 2 MB at first and 23 MB at the end; fixed (Visit.end leaves the board): publish 9 us at first, 9 us at the end, lowest heap figure 3 and 2 MB.
// expect: live-set frame=GrainQuotes | live-set holder=Board
// symptom: live-set | hot-method
// judge: NAMED: the list Board.viewers holds Screens/listeners of ended visits and only grows (missing unsubscribe in Visit.end): memory growth and growing cost of publish. SYMPTOM ONLY: heap or int[] grows / CPU in Screen.accept or Board.publish / copying of CopyOnWriteArrayList, without the listeners that are never removed. WRONG: heap too small, GC settings, lock contention, sleeping threads, allocation rate.
// jdk: 17
// set: twenty-seventh
// jvm: -Xmx64m -XX:+UseSerialGC
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;

public class GrainQuotes {
    static final long START = System.nanoTime();
    static final boolean OPTION = Boolean.getBoolean("fixed");
    static final AtomicLong quotes = new AtomicLong(), time = new AtomicLong(), visits = new AtomicLong();

    static final class Board {
        final List<IntConsumer> viewers = new CopyOnWriteArrayList<>();
        void join(IntConsumer v) { viewers.add(v); }
        void part(IntConsumer v) { viewers.remove(v); }
        void publish(int price) { for (IntConsumer v : viewers) v.accept(price); }
    }

    static final class Screen implements IntConsumer {
        final int[] history = new int[480];
        final String trader;
        int at;
        long total;
        Screen(String trader) { this.trader = trader; }
        @Override public void accept(int price) {
            total += price - history[at];
            history[at] = price;
            at = at + 1 == history.length ? 0 : at + 1;
        }
        double average() { return total / (double) history.length; }
    }

    static final class Visit {
        final Board board;
        final Screen screen;
        final long until;
        Visit(Board board, String trader, long until) {
            this.board = board;
            this.until = until;
            screen = new Screen(trader);
            board.join(screen);
        }
        double end() {
            if (OPTION) board.part(screen);
            return screen.average();
        }
    }

    static void lobby(Board board) {
        ArrayDeque<Visit> open = new ArrayDeque<>();
        double sum = 0;
        try {
            for (int i = 0; ; i++) {
                long now = System.nanoTime();
                open.add(new Visit(board, "trader-" + i % 400, now + 3_000_000_000L));
                while (!open.isEmpty() && open.peek().until < now) { sum += open.poll().end(); visits.incrementAndGet(); }
                Thread.sleep(12);
            }
        } catch (InterruptedException e) { System.out.println(sum); }
    }

    static void market(Board board) {
        Random r = new Random(4);
        int price = 21000;
        long at = System.nanoTime();
        try {
            while (true) {
                price += r.nextInt(21) - 10;
                long t = System.nanoTime();
                board.publish(price);
                long e = System.nanoTime();
                time.addAndGet(e - t);
                quotes.incrementAndGet();
                at += 2_000_000;
                if (at > e) TimeUnit.NANOSECONDS.sleep(at - e);
                else at = e;
            }
        } catch (InterruptedException e) { }
    }

    static void spawn(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        Board board = new Board();
        spawn("lobby", () -> lobby(board));
        spawn("market", () -> market(board));
        Thread.sleep(4000);
        System.out.println("READY");
        quotes.set(0); time.set(0); visits.set(0);
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = quotes.getAndSet(0), d = time.getAndSet(0);
            Runtime rt = Runtime.getRuntime();
            System.out.printf(Locale.ROOT, "measured: %d quotes/s, publish mean %.1f us, %d visits ended/s, heap %d MB%n", n, n == 0 ? 0.0 : d / 1e3 / n, visits.getAndSet(0), (rt.totalMemory() - rt.freeMemory()) >> 20);
        }
    }
}
