// SPDX-License-Identifier: Apache-2.0
// healthy: looks like stages that wait for room in full queues before a slow last stage, but the bank's contract allows 120 payments a second, BankSender keeps exactly that pace by the clock, and nobody waits for the end.
// share: measures payments a second against the contract's 120 (119 to 121), and how many are ahead in the queues
// judge: WRONG: accusing the full queues, too few sender threads, the sender's rest (LockSupport.parkNanos in PayrollFeed$BankSender.pace) or the bank's answers as a fault; a leak; lock contention. ACCEPTABLE: as a neutral remark, that readers and formatters wait for room since the sender keeps a pace; that next to no CPU is used.
// jdk: 8
// set: twenty-sixth
// jvm:

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class PayrollFeed {
    static final int CONTRACT = 120;
    static final AtomicLong paid = new AtomicLong();
    static final AtomicLong refused = new AtomicLong();

    static final class Salary {
        final int person;
        final int hours;
        final int centsPerHour;

        Salary(int person, int hours, int centsPerHour) {
            this.person = person;
            this.hours = hours;
            this.centsPerHour = centsPerHour;
        }
    }

    static final class Payment {
        final String iban;
        final long cents;
        final String text;

        Payment(String iban, long cents, String text) {
            this.iban = iban;
            this.cents = cents;
            this.text = text;
        }
    }

    /** Stands in for the bank's gateway. */
    static final class Bank implements Runnable {
        private final ServerSocket server;

        Bank(ServerSocket server) {
            this.server = server;
        }

        @Override
        public void run() {
            try (Socket socket = server.accept()) {
                socket.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                while (true) {
                    String order = in.readUTF();
                    socket.getOutputStream().write(order.startsWith("DE") ? 1 : 0);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static final class SalaryReader implements Runnable {
        private final BlockingQueue<Salary> out;
        private final Random random;

        SalaryReader(BlockingQueue<Salary> out, int part) {
            this.out = out;
            this.random = new Random(part);
        }

        @Override
        public void run() {
            try {
                for (int person = 1; ; person++) {
                    out.put(new Salary(person, 80 + random.nextInt(100), 1400 + random.nextInt(4000)));
                }
            } catch (InterruptedException e) {
                System.out.println("reader stops");
            }
        }
    }

    static final class PaymentFormatter implements Runnable {
        private final BlockingQueue<Salary> in;
        private final BlockingQueue<Payment> out;

        PaymentFormatter(BlockingQueue<Salary> in, BlockingQueue<Payment> out) {
            this.in = in;
            this.out = out;
        }

        private Payment format(Salary salary) {
            long gross = (long) salary.hours * salary.centsPerHour;
            long tax = gross > 300_000 ? gross * 32 / 100 : gross * 18 / 100;
            long check = 98 - (salary.person * 97L + 131400) % 97;
            return new Payment("DE" + check + "50010517" + salary.person, gross - tax, "wages " + salary.hours + " h");
        }

        @Override
        public void run() {
            try {
                while (true) {
                    out.put(format(in.take()));
                }
            } catch (InterruptedException e) {
                System.out.println("formatter stops");
            }
        }
    }

    /** Sends what the contract allows, each payment at its time. */
    static final class BankSender implements Runnable {
        private final BlockingQueue<Payment> in;
        private final int port;

        BankSender(BlockingQueue<Payment> in, int port) {
            this.in = in;
            this.port = port;
        }

        private void pace(long due) {
            long left = due - System.nanoTime();
            while (left > 0) {
                LockSupport.parkNanos(left);
                left = due - System.nanoTime();
            }
        }

        @Override
        public void run() {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setTcpNoDelay(true);
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
                long due = System.nanoTime();
                while (true) {
                    pace(due);
                    due += 1_000_000_000L / CONTRACT;
                    Payment payment = in.take();
                    out.writeUTF(payment.iban + ' ' + payment.cents + ' ' + payment.text);
                    out.flush();
                    if (socket.getInputStream().read() == 1) {
                        paid.incrementAndGet();
                    } else {
                        refused.incrementAndGet();
                    }
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Salary> salaries = new ArrayBlockingQueue<>(64);
        BlockingQueue<Payment> payments = new ArrayBlockingQueue<>(64);
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        start(new Bank(server), "bank");
        for (int i = 0; i < 3; i++) {
            start(new SalaryReader(salaries, i), "salaries-" + i);
        }
        for (int i = 0; i < 3; i++) {
            start(new PaymentFormatter(salaries, payments), "formatter-" + i);
        }
        start(new BankSender(payments, server.getLocalPort()), "bank-sender");
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long p = paid.get();
            long begin = System.nanoTime();
            Thread.sleep(1000);
            System.out.printf("measured: %.1f payments/s (contract %d), %d ahead, %d refused%n",
                (paid.get() - p) * 1e9 / (System.nanoTime() - begin), CONTRACT, payments.size() + salaries.size(), refused.get());
        }
        System.exit(0);
    }
}
