// SPDX-License-Identifier: Apache-2.0
// cause: Settlement.bookFor picks a book by account number modulo 8, but account numbers are customer * 1000 + sub-account and nine of ten sub-accounts are 000, so nearly all orders go to Book 0, whose only thread settles them one after another while the seven others have nothing to do.
// share: faulty about 480 settlements/s, mean latency 33 ms; fixed about 2750 settlements/s, 5.8 ms (5.7 times)
// expect: waiting uneven=book-0
// symptom: waiting
// judge: NAMED: the work is spread unevenly: thread book-0 (Book 0, by Settlement.bookFor) has nearly all of it while the other ledgers are idle, so the key that distributes (account number modulo 8) is the cause. SYMPTOM ONLY: traders wait for replies (CompletableFuture) in Settlement.settle; book-0 waits for the answer of the register in Register.enter; the queue of book-0 is long. WRONG: the register is slow (2 ms by design), too few threads as such, CPU, GC, lock contention.
// jdk: 25
// set: twenty-fifth
// jvm:
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class BrokerSettlement {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final int LEDGERS = 8;

    record Order(long account, String paper, int pieces, CompletableFuture<String> receipt) { }

    static class RegisterServer implements Runnable {
        final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        RegisterServer() throws IOException { }
        @Override public void run() {
            try {
                for (int n = 0; ; n++) {
                    Socket s = door.accept();
                    daemon(() -> serve(s), "register-" + n);
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
        void serve(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                OutputStream out = s.getOutputStream();
                long entries = 0;
                while (in.readLine() != null) {
                    Thread.sleep(2);
                    out.write(("E" + ++entries + "\n").getBytes());
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static class Register {
        final BufferedReader in;
        final OutputStream out;
        Register(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            out = s.getOutputStream();
        }
        String enter(long account, String paper, long position) throws IOException {
            out.write((account + ";" + paper + ";" + position + "\n").getBytes());
            return in.readLine();
        }
    }

    static class Book implements Runnable {
        private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>(200);
        private final Map<String, Long> positions = new HashMap<>();
        private final Register register;
        Book(Register register) {
            this.register = register;
        }
        void put(Order o) throws InterruptedException {
            orders.put(o);
        }
        @Override public void run() {
            try {
                while (true) {
                    Order o = orders.take();
                    long position = positions.merge(o.account() + o.paper(), (long) o.pieces(), Long::sum);
                    o.receipt().complete(register.enter(o.account(), o.paper(), position));
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static class Settlement {
        private final Book[] desks = new Book[LEDGERS];
        Settlement(int port) throws IOException {
            for (int i = 0; i < LEDGERS; i++) {
                desks[i] = new Book(new Register(port));
                daemon(desks[i], "book-" + i);
            }
        }
        Book bookFor(long account) {
            return desks[REVISED ? (int) (account * 0x9E3779B97F4A7C15L >>> 61) : (int) (account % LEDGERS)];
        }
        String settle(long account, String paper, int pieces) throws Exception {
            Order o = new Order(account, paper, pieces, new CompletableFuture<>());
            bookFor(account).put(o);
            return o.receipt().get();
        }
    }

    static class Trader implements Runnable {
        static final String[] PAPERS = {"ACM", "BRN", "CTX", "DLF", "ELM"};
        final Settlement settlement;
        final Random r;
        final LongAdder done, nanos;
        Trader(Settlement settlement, int id, LongAdder done, LongAdder nanos) {
            this.settlement = settlement;
            this.done = done;
            this.nanos = nanos;
            r = new Random(id);
        }
        @Override public void run() {
            long checked = 0;
            try {
                while (true) {
                    long account = (100 + r.nextInt(700)) * 1000L + (r.nextInt(10) == 0 ? 1 + r.nextInt(5) : 0);
                    long t = System.nanoTime();
                    String receipt = settlement.settle(account, PAPERS[r.nextInt(PAPERS.length)], r.nextInt(200) - 100);
                    nanos.add(System.nanoTime() - t);
                    checked += receipt.hashCode();
                    done.increment();
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        RegisterServer server = new RegisterServer();
        daemon(server, "register-door");
        Settlement settlement = new Settlement(server.door.getLocalPort());
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int i = 0; i < 16; i++) daemon(new Trader(settlement, i, done, nanos), "trader-" + i);
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d settlements/s, mean latency %.2f ms%n", d, d == 0 ? 0 : t / 1e6 / d);
        }
        System.exit(0);
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
