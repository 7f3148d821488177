// SPDX-License-Identifier: Apache-2.0
// cause: CardAuthDesk.AuditTrail.record keeps the last 6000 decisions in a ConcurrentLinkedQueue and calls size() for each authorisation, and size() walks the whole linked list (6000 nodes) each time.
// share: faulty authorisations/s 53254, mean_us 40; fixed authorisations/s 3131423, mean_us 0.58 (means over seconds 3 to 11); throughput 58.8 times better when fixed
// expect: hot-code callee=ConcurrentLinkedQueue.size
// symptom: hot-code
// judge: NAMED: ConcurrentLinkedQueue.size() called in CardAuthDesk.AuditTrail.record (the trim loop) for each authorisation is O(n) over some 6000 entries; use a counter or another structure. SYMPTOM ONLY: CPU in ConcurrentLinkedQueue.size/succ/first; low authorisations per second; cache misses. WRONG: lock contention, the queue leaking (it is bounded), GC or heap size, the risk rules (Rules.score) as the main cause, too few threads.
// jdk: 11
// set: twenty-third
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class CardAuthDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int KEEP = 6000;

    static final class Request {
        final long card;
        final int amountCents;
        final int merchant;
        final String country;

        Request(long card, int amountCents, int merchant, String country) {
            this.card = card;
            this.amountCents = amountCents;
            this.merchant = merchant;
            this.country = country;
        }
    }

    static final class Decision {
        final Request request;
        final boolean approved;
        final int score;

        Decision(Request request, boolean approved, int score) {
            this.request = request;
            this.approved = approved;
            this.score = score;
        }
    }

    static final class AuditTrail {
        final ConcurrentLinkedQueue<Decision> recent = new ConcurrentLinkedQueue<>();
        final AtomicInteger held = new AtomicInteger();

        void record(Decision d) {
            recent.add(d);
            held.incrementAndGet();
            while ((FIXED ? held.get() : recent.size()) > KEEP) {
                if (recent.poll() == null) {
                    break;
                }
                held.decrementAndGet();
            }
        }

        int declinedShare() {
            int n = 0, declined = 0;
            for (Decision d : recent) {
                n++;
                if (!d.approved) {
                    declined++;
                }
            }
            return n == 0 ? 0 : 1000 * declined / n;
        }
    }

    static final class Rules {
        final int[] merchantRisk = new int[512];
        final List<String> watched = List.of("XX", "YY", "ZZ", "QQ");

        Rules() {
            Random rnd = new Random(8);
            for (int i = 0; i < merchantRisk.length; i++) {
                merchantRisk[i] = rnd.nextInt(300);
            }
        }

        int score(Request r) {
            int s = merchantRisk[r.merchant & 511];
            s += watched.contains(r.country) ? 200 : 0;
            s += r.amountCents > 100_000 ? 250 : r.amountCents / 500;
            long h = r.card;
            for (int i = 0; i < 200; i++) {
                h = h * 6364136223846793005L + 1442695040888963407L;
                s += (int) (h >>> 62);
            }
            return s;
        }
    }

    final AuditTrail trail = new AuditTrail();
    final Rules rules = new Rules();
    final LongAdder handled = new LongAdder();
    final LongAdder nanos = new LongAdder();
    final List<String> countries = new ArrayList<>(List.of("DE", "FR", "XX", "NL", "PL", "YY", "IT", "ES"));

    boolean authorise(Request r) {
        int score = rules.score(r);
        boolean ok = score < 800;
        trail.record(new Decision(r, ok, score));
        return ok;
    }

    void terminal() {
        ThreadLocalRandom rnd = ThreadLocalRandom.current();
        while (true) {
            Request r = new Request(rnd.nextLong(1L << 50), rnd.nextInt(200_000), rnd.nextInt(4096),
                    countries.get(rnd.nextInt(countries.size())));
            long t = System.nanoTime();
            authorise(r);
            nanos.add(System.nanoTime() - t);
            handled.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        CardAuthDesk desk = new CardAuthDesk();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(desk::terminal, "terminal-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long lastN = 0, lastT = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = desk.handled.sum(), t = desk.nanos.sum();
            long dn = n - lastN;
            System.out.printf("measured: authorisations/s=%d mean_us=%.2f declined_permille=%d%n", dn,
                    dn == 0 ? 0.0 : (t - lastT) / 1000.0 / dn, desk.trail.declinedShare());
            lastN = n;
            lastT = t;
        }
        System.exit(0);
    }
}
