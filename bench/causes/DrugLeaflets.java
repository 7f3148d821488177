// SPDX-License-Identifier: Apache-2.0
// healthy: a cache with expiry in front of a slow archive: about 98 % of the lookups hit, each leaflet is loaded by one thread only, outside of any lock, and nobody else waits for long
// share: about 0.1 CPUs; less than 5 % of the requests ask the archive, 6 ms each (see "measured")
// judge: NAMED: that nothing stands out, or only neutral remarks about where CPU time goes (rendering in DrugLeaflets$Counter.render). WRONG: any accusation of the program: cache misses, waiting for locks, monitors, bins of a ConcurrentHashMap or futures, the archive's sleep as the fault, hot code as a fault. (On a crowded machine a finding of the machine that threads wait for CPUs is right if they do.)
// jdk: 8
// set: thirty-fourth
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class DrugLeaflets {
    static final int DRUGS = 2500;

    static final class Leaflet {
        final int drug;
        final String[] sections;
        final long until;

        Leaflet(int drug, String[] sections, long until) {
            this.drug = drug;
            this.sections = sections;
            this.until = until;
        }
    }

    /** The archive of the authority: its discs need some milliseconds for each leaflet. */
    static final class Archive {
        final LongAdder asked = new LongAdder();

        Leaflet load(int drug, long keepMs) throws InterruptedException {
            asked.increment();
            Thread.sleep(6);
            String[] sections = new String[12];
            for (int i = 0; i < sections.length; i++) {
                StringBuilder b = new StringBuilder(200);
                for (int w = 0; w < 30; w++) {
                    b.append(Integer.toString(Math.abs((drug * 31 + i) * 17 + w * 7919) % 40000, 36)).append(' ');
                }
                sections[i] = b.toString();
            }
            return new Leaflet(drug, sections, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(keepMs));
        }
    }

    static final class LeafletCache {
        private final Map<Integer, Leaflet> ready = new ConcurrentHashMap<>();
        private final Map<Integer, FutureTask<Leaflet>> loading = new ConcurrentHashMap<>();
        private final Archive archive;
        final LongAdder hits = new LongAdder(), misses = new LongAdder();

        LeafletCache(Archive archive) {
            this.archive = archive;
        }

        Leaflet leaflet(int drug) throws InterruptedException {
            Leaflet l = ready.get(drug);
            if (l != null && l.until - System.nanoTime() > 0) {
                hits.increment();
                return l;
            }
            misses.increment();
            FutureTask<Leaflet> mine = new FutureTask<>(() -> archive.load(drug, 60000 + ThreadLocalRandom.current().nextInt(60000)));
            FutureTask<Leaflet> other = loading.putIfAbsent(drug, mine);
            try {
                if (other != null) {
                    return other.get();
                }
                mine.run();
                l = mine.get();
                ready.put(drug, l);
                return l;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } finally {
                loading.remove(drug, mine);
            }
        }

        void prime(int drug) throws InterruptedException {
            ready.put(drug, archive.load(drug, ThreadLocalRandom.current().nextInt(5000, 120000)));
        }

        int sweep() {
            long now = System.nanoTime();
            int gone = 0;
            for (Iterator<Leaflet> i = ready.values().iterator(); i.hasNext();) {
                if (i.next().until - now < 0) {
                    i.remove();
                    gone++;
                }
            }
            return gone;
        }
    }

    /** A pharmacy's counter: its customers ask for common drugs more often than for others. */
    static final class Counter extends Thread {
        private final LeafletCache cache;
        private long letters;

        Counter(int n, LeafletCache cache) {
            super("counter-" + n);
            this.cache = cache;
            setDaemon(true);
        }

        @Override public void run() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            while (true) {
                try {
                    double x = r.nextDouble();
                    letters += render(cache.leaflet((int) (x * x * DRUGS)), r.nextInt(12)).length();
                    Thread.sleep(2 + r.nextInt(3));
                } catch (InterruptedException e) {
                    return;
                } catch (IllegalStateException e) {
                    System.err.println(getName() + ": " + e);
                }
            }
        }

        private static String render(Leaflet l, int first) {
            StringBuilder b = new StringBuilder(4000);
            b.append("<h1>").append(l.drug).append("</h1>");
            for (int i = 0; i < l.sections.length; i++) {
                b.append("<p>");
                String s = l.sections[(first + i) % l.sections.length];
                for (int at = 0; at < s.length(); at++) {
                    char c = s.charAt(at);
                    b.append(at == 0 || s.charAt(at - 1) == ' ' ? Character.toUpperCase(c) : c);
                }
                b.append("</p>");
            }
            return b.toString();
        }
    }

    public static void main(String[] args) throws Exception {
        LeafletCache cache = new LeafletCache(new Archive());
        Thread[] primers = new Thread[10];
        for (int i = 0; i < primers.length; i++) {
            int from = i;
            primers[i] = new Thread(() -> {
                try {
                    for (int d = from; d < DRUGS; d += primers.length) {
                        cache.prime(d);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "primer-" + i);
            primers[i].start();
        }
        for (Thread t : primers) {
            t.join();
        }
        for (int i = 0; i < 8; i++) {
            new Counter(i, cache).start();
        }
        Thread.sleep(1000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long h = cache.hits.sum(), m = cache.misses.sum();
            Thread.sleep(1000);
            h = cache.hits.sum() - h;
            m = cache.misses.sum() - m;
            System.out.printf(Locale.ROOT, "measured: %d leaflets, %.1f %% of them from the cache; %d dropped for their age, %d kept%n",
                h + m, 100.0 * h / Math.max(1, h + m), cache.sweep(), cache.ready.size());
        }
    }
}
