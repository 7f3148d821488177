// SPDX-License-Identifier: Apache-2.0
// cause: the ThreadPoolExecutor of Registry (threads clerk-N) has a core size of 2, a maximum of 12 and a LinkedBlockingQueue without limit, so that it never makes a third thread: 303 deeds a second come in, two clerks that wait 9 ms for each answer of the authority do some 200, and the queue and the age of deeds grow without end.
// share: faulty 212 deeds stamped a second, mean 2070.6 ms from intake to stamp after some 7 s (it grows by about 0.3 s each second); fixed 304 deeds stamped a second, mean 9.7 ms from intake to stamp (213.5 times better in latency; medians of 11 s runs on a crowded machine of 2 CPUs)
// expect: growing-queue pool=clerk | pool-busy pool=clerk
// symptom: waiting live-set
// judge: NAMED: the queue of the pool clerk (DeedStamping$Registry.clerks) has no limit and grows steadily, by about 100 tasks a second, as its 2 threads (core size; the maximum of 12 is never used with an unbounded queue) have work all the time; more core threads or a bounded queue. SYMPTOM ONLY: the clerks wait for the answer of the authority on loopback (Line.stamp, socket read); the heap in use rises. WRONG: the intake thread as the bottleneck, SHA-256 or Base64, a lock, a lack of CPUs, the parked threads authority-N as a fault of their own (they stand for a remote device that takes 9 ms).
// jdk: 11
// set: twenty-ninth
// jvm:
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class DeedStamping {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final LongAdder DONE = new LongAdder();
    static final LongAdder AGE = new LongAdder();

    static ThreadFactory named(String prefix) {
        AtomicInteger n = new AtomicInteger();
        return r -> {
            Thread t = new Thread(r, prefix + "-" + n.getAndIncrement());
            t.setDaemon(true);
            return t;
        };
    }

    static final class Authority {
        private final ServerSocket door;
        private final ThreadFactory seats = named("authority");

        Authority() throws IOException {
            door = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
            Thread t = new Thread(this::open, "authority-door");
            t.setDaemon(true);
            t.start();
        }

        int port() {
            return door.getLocalPort();
        }

        private void open() {
            try {
                while (true) {
                    Socket s = door.accept();
                    s.setTcpNoDelay(true);
                    seats.newThread(() -> serve(s)).start();
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }

        private void serve(Socket s) {
            try (Socket socket = s) {
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                OutputStream out = socket.getOutputStream();
                String digest;
                while ((digest = in.readLine()) != null) {
                    LockSupport.parkNanos(9_000_000L);
                    out.write((digest.hashCode() + ":" + System.currentTimeMillis() + "\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    static final class Line {
        private final BufferedReader in;
        private final OutputStream out;

        Line(int port) {
            try {
                Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                s.setTcpNoDelay(true);
                in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                out = s.getOutputStream();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        String stamp(String digest) throws IOException {
            out.write((digest + "\n").getBytes(StandardCharsets.US_ASCII));
            return in.readLine();
        }
    }

    static final class Deed {
        final int number;
        final byte[] text;
        final long received = System.nanoTime();
        volatile String stamp;

        Deed(int number, byte[] text) {
            this.number = number;
            this.text = text;
        }
    }

    static final class Registry {
        private final ThreadPoolExecutor clerks;
        private final ThreadLocal<Line> line;

        Registry(int port) {
            int most = 12;
            clerks = new ThreadPoolExecutor(REVISED ? most : 2, most, 60, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), named("clerk"));
            line = ThreadLocal.withInitial(() -> new Line(port));
        }

        void accept(Deed deed) {
            clerks.execute(() -> {
                try {
                    byte[] sum = MessageDigest.getInstance("SHA-256").digest(deed.text);
                    deed.stamp = line.get().stamp(Base64.getEncoder().encodeToString(sum));
                    AGE.add(System.nanoTime() - deed.received);
                    DONE.increment();
                } catch (Exception e) {
                    System.err.println("deed " + deed.number + ": " + e);
                }
            });
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        Registry registry = new Registry(new Authority().port());
        Thread intake = new Thread(() -> {
            Random r = new Random(58);
            long due = System.nanoTime();
            for (int n = 0; System.nanoTime() < end; n++) {
                byte[] text = new byte[300 + r.nextInt(500)];
                r.nextBytes(text);
                registry.accept(new Deed(n, text));
                due += 3_300_000L;
                long rest = due - System.nanoTime();
                if (rest > 0) {
                    LockSupport.parkNanos(rest);
                }
            }
        }, "intake");
        intake.setDaemon(true);
        intake.start();
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = DONE.sumThenReset();
            long age = AGE.sumThenReset();
            System.out.printf("measured: %d deeds stamped a second, from intake to stamp %.1f ms on average%n",
                n, n == 0 ? 0 : age / 1e6 / n);
        }
    }
}
