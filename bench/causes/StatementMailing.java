// SPDX-License-Identifier: Apache-2.0
// cause: StatementMailing$MailingRun.send hands the pool groups of eight statements by invokeAll and waits for each group's end, so that seven of eight threads rest until the group's slowest statement (a business account, 60 ms at the printer) is done.
// share: faulty 128 statements/s; fixed 660 statements/s
// expect: waiting barrier=invokeAll
// symptom: waiting
// judge: NAMED: waiting group by group (ExecutorService.invokeAll) in StatementMailing$MailingRun.send, each as long as its slowest task, while the threads of mailer have no work for most of the time. SYMPTOM ONLY: mailing-run waits for futures; waiting for the printer's answers in PrinterLink.print. WRONG: the pool of mailers being too small or busy; the printer's threads as a bottleneck; Renderer's CPU time; the lock of Ledger.
// jdk: 11
// set: twenty-sixth
// jvm:

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class StatementMailing {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int MAILERS = 8;
    static final AtomicLong sent = new AtomicLong();

    static final class Account {
        final long number;
        final boolean business;
        Account(long number) {
            this.number = number;
            this.business = number % 8 == 5;
        }

        int bookings() {
            return business ? 400 : 20;
        }
    }

    /** The printer's side: it answers when all pages are in its spool. */
    static final class Printer implements Runnable {
        private final ServerSocket server;
        Printer(ServerSocket server) {
            this.server = server;
        }

        private void serve(Socket socket) {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                    PrintWriter out = new PrintWriter(socket.getOutputStream())) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    Thread.sleep(line.endsWith("business") ? 60 : 5);
                    out.println("spooled " + line.length());
                    out.flush();
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }

        @Override
        public void run() {
            try {
                for (int i = 0; ; i++) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    start(() -> serve(socket), "printer-" + i);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static final class PrinterLink {
        private final PrintWriter out;
        private final BufferedReader in;
        PrinterLink(int port) {
            try {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                out = new PrintWriter(socket.getOutputStream());
                in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        boolean print(String document, boolean business) throws Exception {
            out.println(document.hashCode() + (business ? " business" : " private"));
            out.flush();
            return in.readLine().startsWith("spooled");
        }
    }

    static final class Renderer {
        String render(Account account) {
            StringWriter text = new StringWriter();
            long balance = account.number;
            for (int i = 0; i < account.bookings(); i++) {
                balance += (i * 7919L + account.number) % 20000 - 9000;
                text.append("booking ").append(Integer.toString(i)).append(' ').append(Long.toString(balance)).append('\n');
            }
            return text.toString();
        }
    }

    static final class Ledger {
        private long last;
        synchronized void mark(Account account) {
            last = Math.max(last, account.number);
            sent.incrementAndGet();
        }
    }

    static final class MailingRun {
        private final ExecutorService mailers;
        private final ThreadLocal<PrinterLink> link;
        private final Renderer renderer = new Renderer();
        private final Ledger ledger = new Ledger();
        private final AtomicInteger made = new AtomicInteger();
        private final Semaphore room = new Semaphore(2 * MAILERS);

        MailingRun(int port) {
            mailers = Executors.newFixedThreadPool(MAILERS, r -> new Thread(r, "mailer-" + made.getAndIncrement()));
            link = ThreadLocal.withInitial(() -> new PrinterLink(port));
        }

        private boolean mail(Account account) throws Exception {
            boolean done = link.get().print(renderer.render(account), account.business);
            ledger.mark(account);
            return done;
        }

        private void send(List<Account> accounts) throws Exception {
            List<Callable<Boolean>> tasks = new ArrayList<>();
            for (Account account : accounts) {
                tasks.add(() -> mail(account));
            }
            for (Future<Boolean> done : mailers.invokeAll(tasks)) {
                if (!done.get()) {
                    throw new IllegalStateException("not spooled");
                }
            }
        }

        private void hand(List<Account> accounts) throws Exception {
            for (Account account : accounts) {
                room.acquire();
                mailers.submit(() -> {
                    try {
                        return mail(account);
                    } finally {
                        room.release();
                    }
                });
            }
        }

        void all() {
            try {
                for (long first = 1; ; first += MAILERS) {
                    List<Account> group = new ArrayList<>();
                    for (int i = 0; i < MAILERS; i++) {
                        group.add(new Account(first + i));
                    }
                    if (FIXED) {
                        hand(group);
                    } else {
                        send(group);
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
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(new Printer(server), "printer-door");
        start(new MailingRun(server.getLocalPort())::all, "mailing-run");
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long s = sent.get();
            Thread.sleep(1000);
            System.out.printf("measured: %d statements/s%n", sent.get() - s);
        }
        System.exit(0);
    }
}
