// SPDX-License-Identifier: Apache-2.0
// cause: TournamentLobby.Match.play subscribes the match to ScoreFeed and never unsubscribes it, so ScoreFeed.subscribers retains every finished match and ScoreFeed.publish has to call ever more of them.
// share: throughput, growing with time: about 2,700 matches/s just after READY and 1,100 matches/s 20 s later with the fault (still falling), 17,000 to 25,000 matches/s and not falling with time without it, measured while a faulty one ran beside it (90 % lost and more); live heap grows from a few MB to 14 MB after 37 s and on.
// judge: right = finished Match objects stay registered in ScoreFeed.subscribers (missing unsubscribe in Match.play/close): live heap and the cost of ScoreFeed.publish grow with time; half right = "ScoreFeed.subscribers grows without bound" without the missing removal; symptom only = CPU in ScoreFeed.publish/Match.onScore or copying in CopyOnWriteArrayList.add; wrong = GC settings, contention, too small a heap.
// symptom: hot-method hot-calls memory-growth
// set: nineteenth
// jdk: 11
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TournamentLobby {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong finished = new AtomicLong();

    static final class Score {
        final long match;
        final int player;
        final int points;

        Score(long match, int player, int points) {
            this.match = match;
            this.player = player;
            this.points = points;
        }
    }

    interface Subscriber {
        void onScore(Score score);
    }

    static final class ScoreFeed {
        private final CopyOnWriteArrayList<Subscriber> subscribers = new CopyOnWriteArrayList<>();

        void subscribe(Subscriber s) {
            subscribers.add(s);
        }

        void unsubscribe(Subscriber s) {
            subscribers.remove(s);
        }

        void publish(Score score) {
            for (Subscriber s : subscribers) {
                s.onScore(score);
            }
        }
    }

    static final class Match implements Subscriber {
        final long id;
        final ScoreFeed feed;
        final int[] totals = new int[8];
        final short[] rounds = new short[48];
        int round;
        boolean open = true;

        Match(long id, ScoreFeed feed) {
            this.id = id;
            this.feed = feed;
        }

        @Override
        public void onScore(Score score) {
            if (score.match == id) {
                totals[score.player] += score.points;
                rounds[round++] = (short) score.points;
            }
        }

        int play(Random dice) {
            feed.subscribe(this);
            for (int n = 0; n < 12; n++) {
                feed.publish(new Score(id, dice.nextInt(8), settle(dice)));
            }
            return close();
        }

        int settle(Random dice) {
            int acc = 1;
            for (int i = 0; i < 400; i++) {
                acc = acc * 31 + dice.nextInt(6);
            }
            return (acc >>> 8) % 100;
        }

        int close() {
            open = false;
            if (FIXED) {
                feed.unsubscribe(this);
            }
            int best = 0;
            for (int t : totals) {
                best = Math.max(best, t);
            }
            return best;
        }
    }

    static final class Table implements Runnable {
        static final AtomicLong ids = new AtomicLong();
        final ScoreFeed feed;
        final BlockingQueue<Integer> results;

        Table(ScoreFeed feed, BlockingQueue<Integer> results) {
            this.feed = feed;
            this.results = results;
        }

        public void run() {
            Random dice = new Random(Thread.currentThread().getName().hashCode());
            try {
                while (true) {
                    results.put(new Match(ids.incrementAndGet(), feed).play(dice));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void rank(BlockingQueue<Integer> results) {
        int[] histogram = new int[2048];
        try {
            while (true) {
                histogram[Math.min(2047, results.take())]++;
                finished.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ScoreFeed feed = new ScoreFeed();
        BlockingQueue<Integer> results = new ArrayBlockingQueue<>(256);
        start("table-a", new Table(feed, results));
        start("table-b", new Table(feed, results));
        start("ranking", () -> rank(results));
        Thread.sleep(5000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = finished.get();
            Thread.sleep(1000);
            System.out.println("measured: " + (finished.get() - a) + " matches/s total=" + finished.get());
        }
        System.exit(0);
    }
}
