// SPDX-License-Identifier: Apache-2.0
// cause: TillLedger$Checkout.settle updates the row hall-total, which all tills share, at the start of its transaction and only then waits for the card terminal's answer (CardTerminal.authorise, 20 ms), so that the row stays locked until the commit and all other tills wait for it in TillLedger$Transaction.update / RowLocks.lock
// share: 87 % of the time of a sale (157 ms) is waiting for the lock of the row hall-total, 13 % (20 ms) for the bank: 7 of 8 tills wait at any time; 0.1 CPUs
// expect: waiting frame=TillLedger$CardTerminal.authorise waiter=TillLedger$RowLocks.lock | waiting frame=TillLedger$RowLocks.lock holder=TillLedger$CardTerminal.authorise
// symptom: waiting
// judge: NOTE: neither H2 nor Derby is in the JDK, so the lock is that of a small in-process transactional store of the program (a ReentrantLock for each row), and its kind may be called lock. NAMED: tills wait for a (row/database) lock at TillLedger$RowLocks.lock, Transaction.update or Checkout.settle whose holder waits for a server's answer at TillLedger$CardTerminal.authorise (within Checkout.settle). SYMPTOM ONLY: waiting for a lock at RowLocks.lock / Transaction.update without what its holder does; waiting for answers at CardTerminal.authorise without the lock. WRONG: the bank's server (Bank.serve, its sleep stands for the distance) as what to repair alone, Journal, basket pricing (Till.basket), LabelPrinter, CPUs, pools, collections
// jdk: 21
// set: thirty-second
// jvm: -Xmx256m

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Tills of a market hall, with their accounts in a small transactional table in the same process. */
public class TillLedger {

    static final LongAdder SALES = new LongAdder();
    static final LongAdder SALE_NS = new LongAdder();
    static final LongAdder LOCK_NS = new LongAdder();
    static final LongAdder BANK_NS = new LongAdder();
    static final LongAdder ROLLED_BACK = new LongAdder();

    static final class RowLocks {
        private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

        ReentrantLock lock(String row) {
            ReentrantLock lock = locks.computeIfAbsent(row, r -> new ReentrantLock());
            long from = System.nanoTime();
            try {
                if (!lock.tryLock(60, TimeUnit.SECONDS))
                    throw new IllegalStateException("lock timeout on row " + row);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            } finally {
                LOCK_NS.add(System.nanoTime() - from);
            }
            return lock;
        }
    }

    static final class Table {
        final Map<String, Long> rows = new ConcurrentHashMap<>();
        final RowLocks locks = new RowLocks();

        Transaction begin() {
            return new Transaction(this);
        }
    }

    static final class Transaction implements AutoCloseable {
        private final Table table;
        private final Map<String, ReentrantLock> held = new LinkedHashMap<>();
        private final Map<String, Long> changed = new LinkedHashMap<>();

        Transaction(Table table) {
            this.table = table;
        }

        void update(String row, long by) {
            if (!held.containsKey(row))
                held.put(row, table.locks.lock(row));
            changed.merge(row, changed.containsKey(row) ? by : table.rows.getOrDefault(row, 0L) + by, Long::sum);
        }

        void commit() {
            table.rows.putAll(changed);
            changed.clear();
        }

        @Override public void close() {
            held.values().forEach(ReentrantLock::unlock);
            held.clear();
        }
    }

    /** One line to the bank and one back, on a connection that each till keeps. */
    static final class CardTerminal {
        private final Socket socket;
        private final BufferedReader in;

        CardTerminal(int port) throws IOException {
            socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }

        boolean authorise(String till, long cents) {
            long from = System.nanoTime();
            try {
                socket.getOutputStream().write((till + " " + cents + "\n").getBytes(StandardCharsets.US_ASCII));
                String answer = in.readLine();
                return answer != null && answer.startsWith("OK");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                BANK_NS.add(System.nanoTime() - from);
            }
        }
    }

    static final class Bank {
        private final ServerSocket server;

        Bank() throws IOException {
            server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
            Thread.ofPlatform().name("bank-accept").start(this::accept);
        }

        private void accept() {
            try {
                for (int i = 1; ; i++) {
                    Socket till = server.accept();
                    till.setTcpNoDelay(true);
                    Thread.ofPlatform().name("bank-line-" + i).start(() -> serve(till));
                }
            } catch (IOException e) {
                System.err.println("bank: " + e);
            }
        }

        private void serve(Socket till) {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(till.getInputStream(), StandardCharsets.US_ASCII))) {
                String question;
                while ((question = in.readLine()) != null) {
                    Thread.sleep(20);
                    till.getOutputStream().write(((question.hashCode() & 63) == 0 ? "NO\n" : "OK\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("bank: " + e);
            }
        }
    }

    static final class Checkout {
        private final Table table;

        Checkout(Table table) {
            this.table = table;
        }

        void settle(String till, CardTerminal terminal, int article, long cents) {
            try (Transaction tx = table.begin()) {
                tx.update("hall-total", cents);
                tx.update("till-" + till, cents);
                if (!terminal.authorise(till, cents)) {
                    ROLLED_BACK.increment();
                    return;
                }
                tx.update("article-" + article, -1);
                tx.commit();
            }
        }
    }

    static final class Till implements Runnable {
        private final Checkout checkout;
        private final CardTerminal terminal;
        private final String name;
        private final Random customers;

        Till(Checkout checkout, CardTerminal terminal, int number) {
            this.checkout = checkout;
            this.terminal = terminal;
            this.name = "T" + number;
            this.customers = new Random(number);
        }

        @Override public void run() {
            try {
                while (true) {
                    long cents = basket();
                    long from = System.nanoTime();
                    checkout.settle(name, terminal, customers.nextInt(4000), cents);
                    SALE_NS.add(System.nanoTime() - from);
                    SALES.increment();
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private long basket() {
            long cents = 0;
            for (int i = 0; i < 30; i++) {
                long price = 99 + customers.nextInt(2400);
                for (int offer = 1; offer < 600; offer++)
                    price -= (price * offer) % 97 == 0 ? 1 : 0;
                cents += price;
            }
            return cents;
        }
    }

    /** Prints shelf labels now and then: beside the tills, and without their table. */
    static void labels() {
        long ink = 0;
        try {
            while (true) {
                for (int dot = 0; dot < 1_500_000; dot++)
                    ink += ink << 1 ^ dot;
                Thread.sleep(12);
            }
        } catch (InterruptedException e) {
            System.out.println("ink " + ink);
        }
    }

    public static void main(String[] args) throws Exception {
        Bank bank = new Bank();
        Checkout checkout = new Checkout(new Table());
        int tills = 8;
        for (int i = 1; i <= tills; i++)
            new Thread(new Till(checkout, new CardTerminal(bank.server.getLocalPort()), i), "till-" + i).start();
        new Thread(TillLedger::labels, "labels").start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = SALES.sum(), ns = SALE_NS.sum(), lock = LOCK_NS.sum(), answers = BANK_NS.sum();
            Thread.sleep(1000);
            n = Math.max(1, SALES.sum() - n);
            ns = Math.max(1, SALE_NS.sum() - ns);
            System.out.printf(Locale.ROOT, "measured: %d sales/s, %.0f ms each, %.1f %% of it for row locks, %.1f %% for the bank%n",
                    n, ns / 1e6 / n, 100.0 * (LOCK_NS.sum() - lock) / ns, 100.0 * (BANK_NS.sum() - answers) / ns);
            System.out.flush();
        }
    }
}
