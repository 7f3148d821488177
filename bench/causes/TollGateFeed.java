// SPDX-License-Identifier: Apache-2.0
// healthy: Intake.accept looks up each passage in the map of those seen lately, finds nothing in nearly all cases and stores the passage that it has then checked and priced, which takes most CPU time; it looks like a cache that never hits, but it is there to refuse passages that the gates send twice (about 1 %), so each key comes once and the work in between has to be done once for each passage.
// share: measures passages per second (about 6000, the pace at which gates send), the duplicates found and the mean time of one passage (some ten microseconds)
// judge: WRONG: the map misses by a fault (missing equals()/hashCode(), key with a part that never repeats, entries dropped too early), make it larger, PassageKey is wrong, seen leaks (it is bounded to 60000), lock on seen contended, SHA-256 superfluous. ACCEPTABLE: a neutral remark that the lookup nearly always finds nothing, if it says that this is right where each key comes once only; a neutral remark that CPU time is spent in SHA-256/Ticket.seal or in Intake.accept; nothing stands out.
// jdk: 11
// set: twenty-fifth
// jvm: -Xmx96m
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TollGateFeed {
    static final class PassageKey {
        final int gate;
        final long number;
        PassageKey(int gate, long number) {
            this.gate = gate;
            this.number = number;
        }
        @Override public boolean equals(Object o) {
            return o instanceof PassageKey && ((PassageKey) o).gate == gate && ((PassageKey) o).number == number;
        }
        @Override public int hashCode() {
            return Long.hashCode(number * 31 + gate);
        }
    }

    static class Passage {
        final PassageKey key;
        final String plate;
        final int axles, kilos;
        Passage(PassageKey key, String plate, int axles, int kilos) {
            this.key = key;
            this.plate = plate;
            this.axles = axles;
            this.kilos = kilos;
        }
        static Passage parse(String line) {
            String[] f = line.split(",");
            return new Passage(new PassageKey(Integer.parseInt(f[0]), Long.parseLong(f[1])), f[2], Integer.parseInt(f[3]), Integer.parseInt(f[4]));
        }
    }

    static class Ticket {
        final int cents;
        final byte[] seal;
        Ticket(Passage p, MessageDigest digest) {
            cents = 120 * p.axles + Math.max(0, p.kilos - 3500) / 50;
            seal = seal(p, digest);
        }
        private byte[] seal(Passage p, MessageDigest digest) {
            byte[] b = (p.key.gate + "|" + p.key.number + "|" + p.plate + "|" + cents).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 40; i++) b = digest.digest(b);
            return Arrays.copyOf(b, 8);
        }
    }

    static class Intake {
        private final Map<PassageKey, Ticket> seen = new LinkedHashMap<>();
        final LongAdder twice = new LongAdder(), cents = new LongAdder();
        private final ThreadLocal<MessageDigest> digest = ThreadLocal.withInitial(() -> {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        });

        Ticket find(PassageKey k) {
            synchronized (seen) {
                return seen.get(k);
            }
        }
        boolean accept(Passage p) {
            Ticket t = find(p.key);
            if (t == null) {
                t = new Ticket(p, digest.get());
                cents.add(t.cents);
                store(p.key, t);
                return true;
            }
            twice.increment();
            return false;
        }
        private void store(PassageKey k, Ticket t) {
            synchronized (seen) {
                seen.put(k, t);
                if (seen.size() > 60_000) {
                    Iterator<PassageKey> i = seen.keySet().iterator();
                    i.next();
                    i.remove();
                }
            }
        }
    }

    static class Gate implements Runnable {
        private final int id;
        private final Intake intake;
        private final LongAdder done, nanos;
        private final Random r;
        private long number;
        private String previous;
        Gate(int id, Intake intake, LongAdder done, LongAdder nanos) {
            this.id = id;
            this.intake = intake;
            this.done = done;
            this.nanos = nanos;
            r = new Random(id);
        }
        private String next() {
            if (previous != null && r.nextInt(100) == 0) return previous;
            previous = id + "," + ++number + ",K" + Integer.toString(r.nextInt(1 << 24), 36).toUpperCase() + "," + (2 + r.nextInt(4)) + "," + (900 + r.nextInt(30_000));
            return previous;
        }
        @Override public void run() {
            try {
                long due = System.nanoTime();
                while (true) {
                    for (int i = 0; i < 30; i++) {
                        long t = System.nanoTime();
                        intake.accept(Passage.parse(next()));
                        nanos.add(System.nanoTime() - t);
                        done.increment();
                    }
                    due += 20_000_000L;
                    long rest = due - System.nanoTime();
                    if (rest > 0) TimeUnit.NANOSECONDS.sleep(rest);
                    else due = System.nanoTime();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Intake intake = new Intake();
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int i = 0; i < 4; i++) {
            Thread t = new Thread(new Gate(i, intake, done, nanos), "gate-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d passages/s, %.1f us each, %d sent twice, %.2f EUR%n",
                d, d == 0 ? 0 : t / 1e3 / d, intake.twice.sumThenReset(), intake.cents.sumThenReset() / 100.0);
        }
        System.exit(0);
    }
}
