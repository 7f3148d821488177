// SPDX-License-Identifier: Apache-2.0
// cause: TariffBoardDesk.main schedules Settlement.settle, which blocks about 185 ms in bankConfirm, on the same one-thread ScheduledThreadPoolExecutor (station-clock) that runs Board.refresh every 50 ms; all 40 refreshes are held up during each settlement
// share: 10 s means: faulty lateness 25.7 ms (worst 180 ms), fixed (own scheduler for the settlement) lateness 0.15 ms (worst 3 ms)
// expect: blocked-scheduler thread=station-clock
// symptom: waiting
// judge: NAMED: the settlement task (settle / bankConfirm, sleeping) occupies the single station-clock scheduler thread and so delays the periodic refreshes; remedy own thread/executor or more scheduler threads. 'Scheduler with a single thread blocked by a long task' with the task or the thread named counts. SYMPTOM ONLY: timers run late / scheduler lateness / station-clock sleeps in bankConfirm without saying it blocks other tasks. WRONG: Board.refresh too slow, CPU starvation, GC pauses, lock in Punctuality.note, clock drift / scheduleAtFixedRate as such, idle program nothing wrong
// jdk: 11
// set: twenty-second
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Refreshes the tariff boards of a station every 50 ms and settles the day's sales now and then. */
public class TariffBoardDesk {
    static final class Board {
        final int id;
        private final long dueFrom;
        private long refreshes;
        private final double[] tariffs = new double[400];

        Board(int id, long dueFrom) {
            this.id = id;
            this.dueFrom = dueFrom;
            for (int i = 0; i < tariffs.length; i++) tariffs[i] = 3 + (i * 7 + id) % 50;
        }

        void refresh(Punctuality p) {
            long due = dueFrom + TimeUnit.MILLISECONDS.toNanos(50 * refreshes++);
            long late = System.nanoTime() - due;
            double demand = Math.sin(refreshes * 0.01 + id);
            for (int i = 0; i < tariffs.length; i++) {
                tariffs[i] = Math.max(1, tariffs[i] * (1 + 0.001 * demand));
            }
            p.note(late);
        }
    }

    static final class Punctuality {
        final LongAdder count = new LongAdder();
        final LongAdder lateMicros = new LongAdder();
        private long worst;

        void note(long lateNanos) {
            count.increment();
            lateMicros.add(lateNanos / 1000);
            synchronized (this) { worst = Math.max(worst, lateNanos); }
        }

        synchronized double takeWorstMillis() {
            double w = worst / 1e6;
            worst = 0;
            return w;
        }
    }

    static final class Settlement {
        private long settled;

        void settle() {
            long sum = 0;
            for (int i = 0; i < 20000; i++) sum = sum * 31 + i;
            bankConfirm(sum);
            settled++;
        }

        private void bankConfirm(long sum) {
            try {
                Thread.sleep(180 + (sum & 7)); // the bank takes its time
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static ScheduledExecutorService clock(String name) {
        return Executors.newScheduledThreadPool(1, r -> {
            Thread t = new Thread(r, name);
            t.setDaemon(true);
            return t;
        });
    }

    public static void main(String[] args) throws Exception {
        Punctuality punctuality = new Punctuality();
        Settlement settlement = new Settlement();
        ScheduledExecutorService station = clock("station-clock");
        ScheduledExecutorService office = Boolean.getBoolean("fixed") ? clock("office-clock") : station;
        List<Board> boards = new ArrayList<>();
        long now = System.nanoTime();
        for (int i = 0; i < 40; i++) {
            long lead = TimeUnit.MILLISECONDS.toNanos(500 + i);
            Board b = new Board(i, now + lead);
            boards.add(b);
            station.scheduleAtFixedRate(() -> b.refresh(punctuality), now + lead - System.nanoTime(),
                    TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.NANOSECONDS);
        }
        office.scheduleWithFixedDelay(settlement::settle, 700, 450, TimeUnit.MILLISECONDS);
        Thread.sleep(3000);
        System.out.println("READY");
        punctuality.count.reset();
        punctuality.lateMicros.reset();
        punctuality.takeWorstMillis();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long n = punctuality.count.sumThenReset();
            System.out.printf("measured: %d refreshes/s, mean lateness %.2f ms, worst %.1f ms%n", n,
                    punctuality.lateMicros.sumThenReset() / 1000.0 / Math.max(1, n), punctuality.takeWorstMillis());
        }
        System.exit(0);
    }
}
