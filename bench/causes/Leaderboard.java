// SPDX-License-Identifier: Apache-2.0
// cause: the whole table of players is sorted again for each score
// expect: hot-calls frame=Leaderboard.add | hot-code frame=Leaderboard.add | hot-method caller=Leaderboard.add | hot-method frame=Leaderboard
// symptom: hot-method hot-calls hot-code waiting lock-contention endpoint-wait
// jdk: 25
// set: eighth
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import wick.Scope;
import wick.Wick;

public final class Leaderboard {
    private static final Comparator<Score> BEST = Comparator.comparingInt(Score::points).reversed().thenComparing(Score::player);
    private static final LongAdder ADDING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();

    private record Score(String player, int points) {}

    private final List<Score> scores = new ArrayList<>();

    private Leaderboard() {
        for (int i = 0; i < 20000; i++) {
            scores.add(new Score("player-" + i, i * 7919 % 100003));
        }
    }

    private void add(String player, int points) {
        scores.removeIf(score -> score.player().equals(player));
        scores.add((player.hashCode() & 0xfff) * 3, new Score(player, points));
        scores.sort(BEST);
    }

    private synchronized int play(String player, int points) {
        long start = System.nanoTime();
        add(player, points);
        ADDING.add(System.nanoTime() - start);
        return scores.get(0).points();
    }

    private void serve(int client) {
        try {
            for (int i = client;; i += 3) {
                long start = System.nanoTime();
                try (Scope request = Wick.span("POST /score")) {
                    play("player-" + i % 20000, i * 31 % 100003);
                }
                ALL.add(System.nanoTime() - start);
                Thread.sleep(30); // the next game
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Leaderboard board = new Leaderboard();
        for (int i = 0; i < 3; i++) {
            int client = i;
            new Thread(() -> board.serve(client), "http-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + 100 * ADDING.sum() / (ALL.sum() + 1) + " % of a request is add()");
        }
    }
}
