// SPDX-License-Identifier: Apache-2.0
// cause: what is outstanding is a HashSet from which a longer ArrayList is removed, so each id searches the list from its start: Settlements.outstanding
// share: 81 to 94 % of a run is outstanding()
// expect: hot-method frame=Settlements.outstanding | hot-method caller=Settlements.outstanding | hot-calls frame=Settlements.outstanding | hot-calls caller=Settlements.outstanding | hot-code frame=Settlements.outstanding | endpoint-cpu frame=Settlements.outstanding
// judge: right is what names outstanding() or removeAll() or contains() called by it
// symptom: hot-method hot-calls hot-code
// jdk: 11
// set: tenth
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Trades of a desk are compared with the confirmations of the clearing house, and what is left is netted by counterparty. */
public final class Settlements {
    private static final LongAdder FINDING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder RUNS = new LongAdder();

    private static final class Trade {
        final String counterparty;
        final long cents;

        Trade(String counterparty, long cents) {
            this.counterparty = counterparty;
            this.cents = cents;
        }
    }

    private static Map<Long, Trade> trades(Random random, int desk) {
        Map<Long, Trade> trades = new HashMap<>();
        for (int i = 0; i < 2500; i++) {
            trades.put(desk * 1_000_000L + random.nextInt(900_000), new Trade("CP" + random.nextInt(60), random.nextInt(5_000_000)));
        }
        return trades;
    }

    /** Of all desks: the clearing house knows only the house. */
    private static List<Long> confirmations(Map<Long, Trade> trades, Random random, int desk) {
        List<Long> confirmed = new ArrayList<>();
        for (Long id : trades.keySet()) {
            confirmed.add((desk + 1 + random.nextInt(3)) * 1_000_000L + random.nextInt(900_000));
            if (random.nextInt(10) > 0) {
                confirmed.add(id);
            }
        }
        return confirmed;
    }

    private static Set<Long> outstanding(Map<Long, Trade> trades, List<Long> confirmed) {
        Set<Long> open = new HashSet<>(trades.keySet());
        open.removeAll(confirmed);
        return open;
    }

    private static Map<String, Long> net(Map<Long, Trade> trades, Set<Long> open) {
        Map<String, Long> totals = new TreeMap<>();
        for (Long id : open) {
            Trade trade = trades.get(id);
            totals.merge(trade.counterparty, trade.cents, Long::sum);
        }
        return totals;
    }

    private static void run(int desk) {
        Random random = new Random(desk);
        int lines = 0;
        try {
            while (lines >= 0) {
                long start = System.nanoTime();
                Map<Long, Trade> trades = trades(random, desk);
                List<Long> confirmed = confirmations(trades, random, desk);
                long found = System.nanoTime();
                Set<Long> open = outstanding(trades, confirmed);
                FINDING.add(System.nanoTime() - found);
                lines = net(trades, open).size();
                ALL.add(System.nanoTime() - start);
                RUNS.increment();
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            int desk = i;
            new Thread(() -> run(desk), "desk-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            System.out.println("measured: " + 100 * FINDING.sumThenReset() / (all + 1) + " % of a run is outstanding(), "
                    + all / (RUNS.sumThenReset() + 1) / 1000 + " us a run");
        }
    }
}
