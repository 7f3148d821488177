// SPDX-License-Identifier: Apache-2.0
// cause: the option -XX:-UseTLAB (left from an experiment) takes the threads their allocation buffers: each small object of InvoiceArchive$Reader.invoices and Ledger.post is allocated by the JVM's slow path in the shared eden of G1.
// share: 1300 to 1700 ns for each line of an invoice; without the option 105 to 200 ns (measured: 8 times faster); the two readers compute all the time.
// expect: jvm-option option=-XX:-UseTLAB
// symptom: hot-method hot-calls
// judge: NAMED: the option -XX:-UseTLAB. SYMPTOM ONLY: that CPU time is in the JVM's allocation (slow path) for Reader.invoices, Reader.position, Ledger.post or others of this class without the option; that these allocate much or are hot. WRONG: collections (gc-pauses, gc-cpu) or the heap's size as the cause, -XX:+UseG1GC or -Xmx, locks, autoboxing or HashMap as the cause, too few CPUs as more than a remark about a crowded machine.
// jdk: 8
// set: thirty-first
// jvm: -Xmx160m -XX:+UseG1GC -XX:-UseTLAB

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/** Reads the invoices of suppliers as they come in, checks them and adds them up by account. */
public class InvoiceArchive {
    static final int READERS = 2;

    static final class Field {
        final int from;
        final int to;

        Field(int from, int to) {
            this.from = from;
            this.to = to;
        }
    }

    static final class Amount {
        final long cents;

        Amount(long cents) {
            this.cents = cents;
        }

        Amount plus(Amount other) {
            return new Amount(cents + other.cents);
        }

        Amount times(int n) {
            return new Amount(cents * n);
        }

        Amount percent(int rate) {
            return new Amount((cents * rate + 50) / 100);
        }
    }

    static final class Position {
        final int account;
        final int pieces;
        final Amount net;
        final Amount tax;
        Position next;

        Position(int account, int pieces, Amount net, Amount tax) {
            this.account = account;
            this.pieces = pieces;
            this.net = net;
            this.tax = tax;
        }

        Amount gross() {
            return net.plus(tax);
        }
    }

    static final class Invoice {
        final List<Position> positions = new ArrayList<Position>();

        Amount total() {
            Amount sum = new Amount(0);
            for (Position p : positions) {
                sum = sum.plus(p.gross());
            }
            return sum;
        }
    }

    /** One file of invoice lines: account;pieces;cents;taxrate, a blank line ends an invoice. */
    static final class Reader {
        private final byte[] file;

        Reader(byte[] file) {
            this.file = file;
        }

        List<Invoice> invoices() {
            List<Invoice> all = new ArrayList<Invoice>();
            Invoice invoice = new Invoice();
            int at = 0;
            while (at < file.length) {
                if (file[at] == '\n') {
                    all.add(invoice);
                    invoice = new Invoice();
                    at++;
                    continue;
                }
                Field[] fields = new Field[4];
                for (int i = 0; i < 4; i++) {
                    int end = at;
                    while (file[end] != ';' && file[end] != '\n') {
                        end++;
                    }
                    fields[i] = new Field(at, end);
                    at = end + 1;
                }
                invoice.positions.add(position(fields));
            }
            return all;
        }

        private Position position(Field[] fields) {
            int pieces = (int) number(fields[1]);
            Amount net = new Amount(number(fields[2])).times(pieces);
            return new Position((int) number(fields[0]), pieces, net, net.percent((int) number(fields[3])));
        }

        private long number(Field f) {
            long n = 0;
            for (int i = f.from; i < f.to; i++) {
                n = n * 10 + file[i] - '0';
            }
            return n;
        }
    }

    /** Sums by account, a ledger for each reader. */
    static final class Ledger {
        private final Map<Integer, Amount> accounts = new HashMap<Integer, Amount>();

        void post(Invoice invoice) {
            for (Position p : invoice.positions) {
                Integer account = p.account;
                Amount old = accounts.get(account);
                accounts.put(account, old == null ? p.gross() : old.plus(p.gross()));
            }
        }
    }

    static final LongAdder LINES = new LongAdder();
    static final LongAdder BUSY = new LongAdder();
    static volatile long lastTotal;

    static void read(BlockingQueue<byte[]> inbox, CountDownLatch warm) {
        Ledger ledger = new Ledger();
        try {
            while (true) {
                byte[] file = inbox.take();
                long begin = System.nanoTime();
                long total = 0;
                int lines = 0;
                for (Invoice invoice : new Reader(file).invoices()) {
                    ledger.post(invoice);
                    total += invoice.total().cents;
                    lines += invoice.positions.size();
                }
                lastTotal = total;
                LINES.add(lines);
                BUSY.add(System.nanoTime() - begin);
                warm.countDown();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static byte[] sample(long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int invoice = 0; invoice < 300; invoice++) {
            for (int n = 4 + random.nextInt(12); n > 0; n--) {
                text.append(4000 + random.nextInt(120)).append(';').append(1 + random.nextInt(40)).append(';')
                        .append(100 + random.nextInt(90000)).append(';').append(random.nextBoolean() ? 19 : 7).append('\n');
            }
            text.append('\n');
        }
        return text.toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    public static void main(String[] args) throws Exception {
        final BlockingQueue<byte[]> inbox = new ArrayBlockingQueue<byte[]>(64);
        final CountDownLatch warm = new CountDownLatch(400);
        final List<byte[]> suppliers = new ArrayList<byte[]>();
        for (int i = 0; i < 24; i++) {
            suppliers.add(sample(i));
        }
        for (int i = 1; i <= READERS; i++) {
            new Thread(() -> read(inbox, warm), "reader-" + i).start();
        }
        Thread mail = new Thread(() -> {
            try {
                for (int n = 0;; n++) {
                    if (!inbox.offer(suppliers.get(n % suppliers.size()))) {
                        Thread.sleep(2);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "mailbox");
        mail.start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(1000);
            long lines = Math.max(1, LINES.sumThenReset());
            System.out.printf("measured: %d lines, %.0f ns each of a reader's time%n", lines, (double) BUSY.sumThenReset() / lines);
        }
    }
}
