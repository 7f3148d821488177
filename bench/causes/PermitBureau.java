// SPDX-License-Identifier: Apache-2.0
// cause: PermitBureau.clerks builds a ThreadPoolExecutor with 2 core threads, a maximum of 12 and an unbounded LinkedBlockingQueue; the pool only grows past its core size when the queue is full, so it always stays at 2 threads and the 16 applicants wait in the queue while the registry calls of 15 ms run two at a time.
// share: faulty 116-130 permits/s, mean 121-131 ms; fixed (12 core threads) 520-778 permits/s, mean 18-27 ms: about 6 times better
// expect: pool-busy
// symptom: waiting
// judge: NAMED: the executor made in PermitBureau.clerks has effectively only 2 threads (core 2 with unbounded queue, maximum 12 never used), tasks queue for it; raise the core size or bound the queue. 'Pool of clerk threads too small / tasks queue before 2 clerk threads' with the pool named counts as NAMED. SYMPTOM ONLY: applicants wait in Future.get; clerks wait in a socket read for the registry; the registry answers in 15 ms. WRONG: the connection pool (links) is too small, lock contention, CPU, GC, Nagle, the applicants' short sleep.
// jdk: 17
// set: twenty-third
// jvm:
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class PermitBureau {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int MAX_CLERKS = 12;
    private static final int APPLICANTS = 16;
    private static final long RUN_SECONDS = 170;
    private static final AtomicLong DONE = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();

    static final class Registry implements Runnable {
        private final ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());

        Registry() throws IOException {
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket s = server.accept();
                    start(() -> answer(s), "registry-conn");
                }
            } catch (IOException e) {
                System.out.println("registry closed " + e);
            }
        }

        private void answer(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                OutputStream out = s.getOutputStream();
                String line;
                while ((line = in.readLine()) != null) {
                    Thread.sleep(15);
                    out.write((line + " VALID\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("connection ended " + e);
            }
        }
    }

    static final class Link {
        private final Socket socket;
        private final BufferedReader in;

        Link(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }

        String ask(String question) throws IOException {
            socket.getOutputStream().write((question + "\n").getBytes(StandardCharsets.US_ASCII));
            return in.readLine();
        }
    }

    static final class Application implements Callable<Boolean> {
        private final BlockingQueue<Link> links;
        private final int parcel;

        Application(BlockingQueue<Link> links, int parcel) {
            this.links = links;
            this.parcel = parcel;
        }

        @Override
        public Boolean call() throws Exception {
            Link link = links.take();
            try {
                return link.ask("parcel " + parcel).endsWith("VALID");
            } finally {
                links.put(link);
            }
        }
    }

    static ThreadPoolExecutor clerks() {
        AtomicInteger number = new AtomicInteger();
        ThreadFactory factory = r -> {
            Thread t = new Thread(r, "clerk-" + number.incrementAndGet());
            t.setDaemon(true);
            return t;
        };
        int base = FIXED ? MAX_CLERKS : 2;
        return new ThreadPoolExecutor(base, MAX_CLERKS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    static void apply(ThreadPoolExecutor clerks, BlockingQueue<Link> links, int seed) {
        Random random = new Random(seed);
        try {
            while (true) {
                long t = System.nanoTime();
                Future<Boolean> f = clerks.submit(new Application(links, random.nextInt(100000)));
                if (f.get()) {
                    DONE.incrementAndGet();
                    NANOS.addAndGet(System.nanoTime() - t);
                }
                Thread.sleep(1 + random.nextInt(4));
            }
        } catch (Exception e) {
            System.out.println("applicant stopped " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        Registry registry = new Registry();
        start(registry, "registry");
        BlockingQueue<Link> links = new ArrayBlockingQueue<>(MAX_CLERKS);
        for (int i = 0; i < MAX_CLERKS; i++) {
            links.put(new Link(registry.port()));
        }
        ThreadPoolExecutor clerks = clerks();
        for (int i = 0; i < APPLICANTS; i++) {
            int seed = i;
            start(() -> apply(clerks, links, seed), "applicant-" + i);
        }
        System.out.println("READY");
        long n0 = 0;
        long t0 = 0;
        for (int s = 0; s < RUN_SECONDS; s++) {
            Thread.sleep(1000);
            long n = DONE.get();
            long t = NANOS.get();
            System.out.println("measured: " + (n - n0) + " permits/s, mean "
                    + (t - t0) / Math.max(1, n - n0) / 1000 + " us");
            n0 = n;
            t0 = t;
        }
    }
}
