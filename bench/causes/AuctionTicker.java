// SPDX-License-Identifier: Apache-2.0
// healthy: An auction price ticker that renders short-lived text messages at a fixed rate; the allocation rate is some 60 MB/s in a 64 MB heap and young collections run one to two times a second, but each takes only a few milliseconds, nothing is promoted, and every tick is on time.
// share: none; 500 ticks/s at mean lateness 0.00 ms, GC takes about 1 % of the time
// judge: Right is "no fault found", or the remark that allocation is high yet harmless. Wrong: any finding that GC pressure, allocation in TickRenderer, string building, heap size, a memory leak, or the lock/queue of Feed causes slowness; the throughput is set by the fixed tick rate.
// jdk: 17
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.*;

public class AuctionTicker {
    static final LongAdder ticks = new LongAdder(), late = new LongAdder(), chars = new LongAdder();

    public static void main(String[] args) throws Exception {
        SaleRoom room = new SaleRoom(400);
        TickRenderer renderer = new TickRenderer();
        Feed feed = new Feed();
        Thread screens = new Thread(feed, "wall-screens");
        screens.setDaemon(true);
        screens.start();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, r -> {
            Thread t = new Thread(r, "sale-clock");
            t.setDaemon(true);
            return t;
        });
        long period = 2_000_000L;
        long[] tick = {0, 0};
        clock.scheduleAtFixedRate(() -> {
            if (tick[0] == 0) tick[1] = System.nanoTime();
            long due = tick[1] + tick[0]++ * period;
            feed.publish(renderer.render(room.bidRound()));
            ticks.increment();
            late.add(Math.max(0, System.nanoTime() - due));
        }, 10_000_000L, period, TimeUnit.NANOSECONDS);
        System.out.println("READY");
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = ticks.sumThenReset();
            System.out.printf("measured: %d ticks/s, mean lateness %.2f ms, %d k characters%n", n, late.sumThenReset() / 1e6 / Math.max(1, n), chars.sumThenReset() / 1000);
        }
    }
}

record Lot(int number, String title, long cents, int bids) {
    Lot raised(long by) { return new Lot(number, title, cents > 90_000_000 ? 10_000 : cents + by, bids + 1); }
}

class SaleRoom {
    private final Lot[] lots;
    private final Random random = new Random(2);

    SaleRoom(int n) {
        lots = IntStream.range(0, n).mapToObj(i -> new Lot(i, "lot " + i + " oil on canvas", 10_000 + i * 50L, 0)).toArray(Lot[]::new);
    }

    List<Lot> bidRound() {
        for (int i = 0; i < 60; i++) {
            int k = random.nextInt(lots.length);
            lots[k] = lots[k].raised(500 + random.nextInt(5000));
        }
        return List.of(lots);
    }
}

class TickRenderer {
    String render(List<Lot> lots) {
        Map<Integer, List<Lot>> byHall = lots.stream().collect(Collectors.groupingBy(l -> l.number() % 8));
        StringBuilder sb = new StringBuilder(1024);
        byHall.forEach((hall, list) -> {
            sb.append("hall ").append(hall).append(": ");
            sb.append(list.stream()
                    .sorted(Comparator.comparingLong(Lot::cents).reversed())
                    .limit(40)
                    .map(this::line)
                    .collect(Collectors.joining(", ", "[", "]\n")));
        });
        return sb.toString();
    }

    private String line(Lot lot) {
        return lot.title() + " EUR " + lot.cents() / 100 + "." + lot.cents() % 100 / 10 + lot.cents() % 10 + " (" + lot.bids() + ")";
    }
}

class Feed implements Runnable {
    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(50);
    private final Deque<Integer> recent = new ArrayDeque<>();

    void publish(String text) {
        while (!queue.offer(text)) queue.poll();
    }

    public void run() {
        try {
            while (true) {
                String text = queue.take();
                AuctionTicker.chars.add(text.length());
                recent.addLast(text.hashCode());
                if (recent.size() > 100) recent.removeFirst();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
