// SPDX-License-Identifier: Apache-2.0
// cause: ReviewDesk builds its ThreadPoolExecutor with 2 core threads, 24 maximum threads and an unbounded LinkedBlockingQueue, so the pool never grows past 2 threads and claims queue while each waits on a slow register
// share: mean latency 185 ms, of it about 165 ms waiting for a pool thread, fixed 21 ms; 97 claims/s, fixed 490 claims/s
// judge: NAMED only if the finding says that the pool of ReviewDesk has too few threads in effect (2 core threads; the unbounded queue keeps the maximum of 24 from being reached; or plainly "pool reviewer-* too small / claims queue for a thread of the 2-thread pool in ReviewDesk"). Only "clerks wait in Future.get / queue is long" or "reviewer threads wait on socket read from the register" is a symptom. Blaming the register server's 20 ms as the fault, a lock, the GC, or CPU is wrong.
// expect: pool-busy pool=reviewer
// symptom: waiting
// jdk: 11
// set: seventeenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class BenefitClaims {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder decided = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static final class Claim {
        final int insured;
        final int cents;
        final String kind;

        Claim(int insured, int cents, String kind) {
            this.insured = insured;
            this.cents = cents;
            this.kind = kind;
        }
    }

    /** National register of the insured; a foreign system that takes about 20 ms. */
    static final class Register implements Runnable {
        final ServerSocket socket;

        Register() throws IOException {
            socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        }

        public void run() {
            try {
                while (true) {
                    Socket s = socket.accept();
                    s.setTcpNoDelay(true);
                    daemon(() -> answer(s), "register-" + s.getPort());
                }
            } catch (IOException e) {
                System.err.println("register closed " + e);
            }
        }

        private void answer(Socket s) {
            try {
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    int insured = in.readInt();
                    Thread.sleep(20);
                    out.writeInt(insured % 11 == 0 ? 0 : 1);
                }
            } catch (IOException | InterruptedException e) {
                // the desk has gone
            }
        }
    }

    /** Reviews claims on its own pool. */
    static final class ReviewDesk {
        private final ThreadPoolExecutor pool;
        private final ThreadLocal<Socket> line;
        private final ConcurrentMap<String, LongAdder> paidByKind = new ConcurrentHashMap<>();

        ReviewDesk(int port) {
            AtomicInteger n = new AtomicInteger();
            pool = new ThreadPoolExecutor(OPT ? 24 : 2, 24, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> {
                Thread t = new Thread(r, "reviewer-" + n.incrementAndGet());
                t.setDaemon(true);
                return t;
            });
            line = ThreadLocal.withInitial(() -> {
                try {
                    Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                    s.setTcpNoDelay(true);
                    return s;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        Future<Boolean> submit(Claim c) {
            return pool.submit(() -> decide(c));
        }

        private boolean decide(Claim c) throws IOException {
            Socket s = line.get();
            new DataOutputStream(s.getOutputStream()).writeInt(c.insured);
            boolean insured = new DataInputStream(s.getInputStream()).readInt() == 1;
            boolean pays = insured && score(c) > 20;
            if (pays) {
                paidByKind.computeIfAbsent(c.kind, k -> new LongAdder()).add(c.cents);
            }
            return pays;
        }

        private int score(Claim c) {
            int h = c.insured;
            for (int i = 0; i < 2000; i++) {
                h = h * 31 + c.cents + i;
            }
            return Math.floorMod(h, 100);
        }
    }

    static final class Clerk implements Runnable {
        final ReviewDesk desk;
        final Random r;

        Clerk(ReviewDesk desk, int seed) {
            this.desk = desk;
            this.r = new Random(seed);
        }

        public void run() {
            String[] kinds = {"dental", "glasses", "travel", "hospital"};
            try {
                while (true) {
                    Claim c = new Claim(r.nextInt(1_000_000), r.nextInt(200_000), kinds[r.nextInt(4)]);
                    long t0 = System.nanoTime();
                    desk.submit(c).get();
                    nanos.add(System.nanoTime() - t0);
                    decided.increment();
                    Thread.sleep(20);
                }
            } catch (InterruptedException | ExecutionException e) {
                System.err.println("clerk stopped " + e);
            }
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Register reg = new Register();
        daemon(reg, "register");
        ReviewDesk desk = new ReviewDesk(reg.socket.getLocalPort());
        for (int i = 0; i < 20; i++) {
            daemon(new Clerk(desk, i), "clerk-" + i);
        }
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = decided.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d claims/s, mean latency %.1f ms%n", n, n == 0 ? 0 : ns / 1e6 / n);
        }
    }
}
