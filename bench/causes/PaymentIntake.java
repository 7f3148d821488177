// SPDX-License-Identifier: Apache-2.0
// healthy: PaymentIntake$Intake.take looks each payment up by its end-to-end id among those of the last minutes, so that none is booked twice; nearly all are new, so the lookup finds nothing, and the payment is checked, booked and stored: that is what it is for, and the few duplicates are found
// share: 0.2 to 0.5 CPUs for checking payments; 0.5 % of the lookups find something, exactly the payments that were sent twice (see "measured")
// judge: NAMED: that nothing stands out, or only neutral remarks (where CPU time goes: PaymentIntake$Checks; or that PaymentIntake$Intake.take stores what its lookup does not find, if it says that nothing is wrong when each key comes once only). WRONG: an accusation (a fault, not neutral) of the lookups, the key PaymentIntake$EndToEndId or the map as a useless cache; any other accusation: collections, locks, queues, cryptography. (On a crowded machine a finding of the machine that threads wait for CPUs is right if they do.)
// jdk: 8
// set: thirty-fourth
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class PaymentIntake {
    static final class EndToEndId {
        final String bank;
        final long reference;

        EndToEndId(String bank, long reference) {
            this.bank = bank;
            this.reference = reference;
        }

        @Override public boolean equals(Object o) {
            return o instanceof EndToEndId && ((EndToEndId) o).reference == reference && ((EndToEndId) o).bank.equals(bank);
        }

        @Override public int hashCode() {
            return Objects.hash(bank, reference);
        }
    }

    static final class Payment {
        final EndToEndId id;
        final String from, to, purpose;
        final long cents;

        Payment(EndToEndId id, String from, String to, String purpose, long cents) {
            this.id = id;
            this.from = from;
            this.to = to;
            this.purpose = purpose;
            this.cents = cents;
        }
    }

    static final class Booking {
        final long number, cents;
        final int risk;

        Booking(long number, long cents, int risk) {
            this.number = number;
            this.cents = cents;
            this.risk = risk;
        }
    }

    /** What every payment has to pass: check digits of both accounts, and the list of names. */
    static final class Checks {
        private final String[] listed = new String[300];

        Checks() {
            Random r = new Random(5);
            for (int i = 0; i < listed.length; i++) {
                listed[i] = "name" + Integer.toString(r.nextInt(1 << 28), 36);
            }
        }

        boolean account(String iban) {
            int rest = 0;
            for (int i = 0; i < iban.length(); i++) {
                char c = iban.charAt((i + 4) % iban.length());
                int v = Character.digit(c, 36);
                rest = (v > 9 ? rest * 100 + v : rest * 10 + v) % 97;
            }
            return rest >= 0;
        }

        int risk(String purpose) {
            int nearest = 99;
            for (String name : listed) {
                nearest = Math.min(nearest, distance(purpose, name));
            }
            return nearest;
        }

        private static int distance(String a, String b) {
            int[] row = new int[b.length() + 1];
            for (int j = 0; j < row.length; j++) {
                row[j] = j;
            }
            for (int i = 1; i <= a.length(); i++) {
                int diagonal = row[0];
                row[0] = i;
                for (int j = 1; j < row.length; j++) {
                    int d = Math.min(Math.min(row[j], row[j - 1]) + 1, diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1));
                    diagonal = row[j];
                    row[j] = d;
                }
            }
            return row[b.length()];
        }
    }

    static final class Intake {
        private static final int KEPT = 60000;
        private final Checks checks = new Checks();
        private final Map<EndToEndId, Booking> booked = new HashMap<>();
        private final ArrayDeque<EndToEndId> order = new ArrayDeque<>();
        private long number;
        final LongAdder taken = new LongAdder(), twice = new LongAdder(), cents = new LongAdder();

        Booking take(Payment p) {
            Booking b = booked.get(p.id);
            if (b == null) {
                b = book(p);
                booked.put(p.id, b);
                order.add(p.id);
                if (order.size() > KEPT) {
                    booked.remove(order.poll());
                }
            } else {
                twice.increment();
            }
            taken.increment();
            return b;
        }

        private Booking book(Payment p) {
            if (!checks.account(p.from) || !checks.account(p.to)) {
                return new Booking(0, 0, 100);
            }
            cents.add(p.cents);
            return new Booking(++number, p.cents, checks.risk(p.purpose));
        }
    }

    /** The line of one bank; now and then it sends again what was not acknowledged in time. */
    static final class Line extends Thread {
        private final String bank;
        private final Random random;
        final Intake intake = new Intake();
        volatile long resent;

        Line(String bank) {
            super("line-" + bank);
            this.bank = bank;
            random = new Random(bank.hashCode());
            setDaemon(true);
        }

        @Override public void run() {
            Payment earlier = null;
            try {
                for (long reference = 1;; reference++) {
                    Payment p = payment(reference);
                    intake.take(p);
                    if (reference % 200 == 0 && earlier != null) {
                        resent++;
                        intake.take(new Payment(new EndToEndId(bank, earlier.id.reference), earlier.from, earlier.to, earlier.purpose, earlier.cents));
                    }
                    earlier = reference % 50 == 0 ? p : earlier;
                    if (reference % 8 == 0) {
                        Thread.sleep(6);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Payment payment(long reference) {
            return new Payment(new EndToEndId(bank, reference), "DE" + (10 + reference % 89) + "50010517" + (1000000000L + random.nextInt(900000000)),
                "DE" + (10 + random.nextInt(89)) + "37040044" + (1000000000L + random.nextInt(900000000)), "rent " + Integer.toString(random.nextInt(1 << 28), 36), 100 + random.nextInt(500000));
        }
    }

    public static void main(String[] args) throws Exception {
        Line[] lines = {new Line("SPKB"), new Line("VOBA"), new Line("POBA")};
        for (Line l : lines) {
            l.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long taken = 0, twice = 0, resent = 0;
            for (Line l : lines) {
                taken -= l.intake.taken.sum();
            }
            Thread.sleep(1000);
            for (Line l : lines) {
                taken += l.intake.taken.sum();
                twice += l.intake.twice.sum();
                resent += l.resent;
            }
            System.out.printf(Locale.ROOT, "measured: %d payments; so far %d were sent twice, and %d found to be%n", taken, resent, twice);
        }
    }
}
