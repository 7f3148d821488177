// SPDX-License-Identifier: Apache-2.0
// cause: all threads format dates with one SimpleDateFormat, one at a time
// expect: waiting kind=monitor frame=TicketStamps.stamp | lock-contention frame=TicketStamps.stamp | lock-contention caller=TicketStamps.stamp | hot-code kind=formatting frame=TicketStamps.stamp
// symptom: waiting lock-contention hot-code hot-method hot-calls
// jdk: 8
// set: eighth
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.concurrent.atomic.LongAdder;

public final class TicketStamps {
    private static final SimpleDateFormat FORMAT = new SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS zzz");
    private static final LongAdder STAMPING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static volatile int length;

    private static String stamp(long millis) {
        synchronized (FORMAT) {
            return FORMAT.format(new Date(millis));
        }
    }

    private static String row(int ticket, long millis) {
        StringBuilder row = new StringBuilder(100);
        row.append("ticket-").append(ticket).append(";seat ").append(ticket * 37 % 500).append(';');
        long start = System.nanoTime();
        row.append(stamp(millis));
        STAMPING.add(System.nanoTime() - start);
        return row.append(";paid").toString();
    }

    private static void export(int worker) {
        try {
            for (int ticket = worker;; ticket += 6) {
                long start = System.nanoTime();
                length = row(ticket, 1700000000000L + ticket * 60000L).length();
                ALL.add(System.nanoTime() - start);
                if (ticket % 3000 < 6) {
                    Thread.sleep(2); // the next page
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 6; i++) {
            int worker = i;
            new Thread(() -> export(worker), "export-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + 100 * STAMPING.sum() / (ALL.sum() + 1) + " % of a row is its stamp");
        }
    }
}
