// SPDX-License-Identifier: Apache-2.0
// healthy: a batch whose job is to bring bookings into order: new bookings each time, runs of 60,000 sorted once by keys that are fields, merged once with a heap, checked and summed; nothing is sorted twice, and no comparison computes or asks for anything
// share: 18 batches of 240,000 bookings a second on a free CPU, each booking sorted once in a run (60 % of the time) and merged once, none out of order; 1 CPU used
// judge: NAMED (right): nothing stands out, or neutral words (if it should be less; no fault shows) on where CPU time goes: sorting at BookingSort$Run.order (Arrays.sort), BookingSort$Merge.next, making bookings. WRONG: an accusation of sorting (costly comparisons, sorting again and again) as a fault, of searching collections, collections, a saturated thread, locks, waiting, anything else
// jdk: 17
// set: thirty-second
// jvm: -Xmx192m
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Nightly batch: brings the day's bookings, which come in no order, into the order of accounts and times. */
public class BookingSort {
    static final int RUN = 60_000;
    static final int RUNS = 4;

    static final class Booking {
        final long account;
        final int time;
        final long cents;

        Booking(long account, int time, long cents) {
            this.account = account;
            this.time = time;
            this.cents = cents;
        }
    }

    static final Comparator<Booking> BY_ACCOUNT = (a, b) -> {
        int order = Long.compare(a.account, b.account);
        return order != 0 ? order : Integer.compare(a.time, b.time);
    };

    static final class Intake {
        private final SplittableRandom random = new SplittableRandom(5);

        Booking[] next() {
            Booking[] bookings = new Booking[RUN];
            for (int i = 0; i < RUN; i++) {
                bookings[i] = new Booking(random.nextLong(1_000_000), random.nextInt(86_400), random.nextLong(100_000) - 50_000);
            }
            return bookings;
        }
    }

    static final class Run {
        private final Booking[] bookings;
        private int at;

        Run(Booking[] bookings) {
            this.bookings = bookings;
        }

        Run order() {
            Arrays.sort(bookings, BY_ACCOUNT);
            return this;
        }

        Booking head() {
            return bookings[at];
        }

        boolean advance() {
            return ++at < bookings.length;
        }
    }

    static final class Merge {
        private final PriorityQueue<Run> heads = new PriorityQueue<>((a, b) -> BY_ACCOUNT.compare(a.head(), b.head()));

        Merge(List<Run> runs) {
            heads.addAll(runs);
        }

        Booking next() {
            Run first = heads.poll();
            if (first == null) return null;
            Booking booking = first.head();
            if (first.advance()) heads.add(first);
            return booking;
        }
    }

    static final class Ledger {
        private Booking last;
        private long balance;
        private long accounts;
        private long outOfOrder;
        private long overdrawn;

        void enter(Booking booking) {
            if (last != null && BY_ACCOUNT.compare(last, booking) > 0) outOfOrder++;
            if (last == null || last.account != booking.account) {
                accounts++;
                if (balance < 0) overdrawn++;
                balance = 0;
            }
            balance += booking.cents;
            last = booking;
        }
    }

    public static void main(String[] args) {
        Intake intake = new Intake();
        long sortedNs = 0, batches = 0, bookings = 0, outOfOrder = 0, last = System.nanoTime(), started = 0;
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = os.getProcessCpuTime();
        while (true) {
            List<Run> runs = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                Booking[] part = intake.next();
                long start = System.nanoTime();
                runs.add(new Run(part).order());
                sortedNs += System.nanoTime() - start;
            }
            Ledger ledger = new Ledger();
            Merge merge = new Merge(runs);
            for (Booking booking = merge.next(); booking != null; booking = merge.next()) {
                ledger.enter(booking);
                bookings++;
            }
            outOfOrder += ledger.outOfOrder;
            batches++;
            if (++started == 5) {
                System.out.println("READY");
                System.out.flush();
            }
            long now = System.nanoTime();
            if (started > 5 && now - last > 1_000_000_000L) {
                long used = os.getProcessCpuTime();
                System.out.printf("measured: %d batches, %d bookings brought into order, %d out of order; sorting took %.0f %% of the time, each booking once; CPUs used %.2f%n",
                    batches, bookings, outOfOrder, 100.0 * sortedNs / (now - last), (double) (used - cpu) / (now - last));
                last = now; sortedNs = 0; batches = 0; bookings = 0; cpu = used;
            }
        }
    }
}
