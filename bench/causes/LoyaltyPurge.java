// SPDX-License-Identifier: Apache-2.0
// cause: LoyaltyPurge.purge calls HashSet.removeAll with an ArrayList at least as large as the set, so AbstractSet.removeAll iterates over the set and calls ArrayList.contains (a linear scan) for each member: quadratic.
// share: throughput: about 20,000 members/s instead of about 5,000,000 (over 99 % lost)
// judge: Right: AbstractSet.removeAll/ArrayList.contains (indexOf, String.equals) called from LoyaltyPurge.purge: linear search in a list per element, i.e. wrong data structure/quadratic removal; remedy: pass a set, or remove element by element. String.equals/indexOf as hot leaf alone is only a symptom. Wrong: hash collisions, GC, allocation, too few threads.
// expect: hot-code kind=searching-collections frame=LoyaltyPurge.purge
// symptom: hot-method hot-calls
// set: nineteenth
// jdk: 11
import java.util.*;
import java.util.concurrent.atomic.LongAdder;

public class LoyaltyPurge {
    private static final boolean DIRECT = Boolean.getBoolean("fixed");
    private static final LongAdder members = new LongAdder();
    private static final LongAdder points = new LongAdder();

    static final class Branch {
        final int number;
        final List<String> cards = new ArrayList<>();
        final Map<String, Integer> balance = new HashMap<>();

        Branch(int number, int size) {
            this.number = number;
            Random r = new Random(number);
            for (int i = 0; i < size; i++) {
                String card = String.format("LC-%04d-%07d", number, i * 3 + r.nextInt(3));
                cards.add(card);
                balance.put(card, r.nextInt(5000));
            }
        }
    }

    static final class OptOutRegister {
        private final List<String> entries = new ArrayList<>();

        void collect(List<Branch> branches, Random r) {
            for (Branch b : branches) {
                for (String card : b.cards) {
                    if (r.nextInt(4) == 0) entries.add(new String(card));
                }
            }
            Collections.shuffle(entries, r);
        }

        List<String> entries() {
            return entries;
        }
    }

    static final class Mailing {
        private final StringBuilder page = new StringBuilder();
        private int pages;

        void add(String card, int balance) {
            page.append(card).append(';').append(balance).append(';')
                .append(balance > 2500 ? "GOLD" : "STANDARD").append('\n');
            if (page.length() > 8000) {
                pages++;
                page.setLength(0);
            }
        }

        int pages() {
            return pages;
        }
    }

    private static Set<String> purge(Branch branch, OptOutRegister register) {
        Set<String> active = new HashSet<>(branch.cards);
        if (DIRECT) {
            for (String gone : register.entries()) active.remove(gone);
        } else {
            active.removeAll(register.entries());
        }
        return active;
    }

    private static int bonus(String card, int balance) {
        int check = 7;
        for (int i = 0; i < card.length(); i++) check = check * 31 + card.charAt(i);
        return balance / 50 + Math.floorMod(check, 10);
    }

    private static void campaign(List<Branch> branches, OptOutRegister register) {
        Mailing mailing = new Mailing();
        for (Branch b : branches) {
            for (String card : purge(b, register)) {
                int balance = b.balance.get(card);
                int extra = bonus(card, balance);
                points.add(extra);
                mailing.add(card, balance + extra);
            }
            members.add(b.cards.size());
        }
        if (mailing.pages() < 0) throw new IllegalStateException();
    }

    public static void main(String[] args) throws Exception {
        List<Branch> branches = new ArrayList<>();
        for (int i = 0; i < 12; i++) branches.add(new Branch(100 + i, 1200 + 20 * i));
        OptOutRegister register = new OptOutRegister();
        register.collect(branches, new Random(5));
        for (int w = 0; w < 2; w++) {
            List<Branch> share = branches.subList(w * 6, w * 6 + 6);
            Thread t = new Thread(() -> {
                while (true) campaign(share, register);
            }, "campaign-" + w);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        long before = members.sum();
        long at = System.nanoTime();
        int rest = Integer.getInteger("secs", 165);
        while (rest-- > 0) {
            Thread.sleep(1000);
            long now = members.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f members/s (%d points)%n",
                    (now - before) * 1e9 / (t - at), points.sum());
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
