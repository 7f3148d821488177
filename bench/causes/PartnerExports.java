// SPDX-License-Identifier: Apache-2.0
// healthy: twelve export threads mostly sleep in Pace.await or wait in take() or a socket read, and the outbox fills to some 350 every two seconds; but the contract allows 200 exports/s, 180/s come in (in lots of 360), each lot is out before the next one and within the 2 s allowed.
// share: 180 exports/s on average of 200 allowed, 0 refused in 166 s, mean age 946 ms (highest second 1392) of 2000 ms allowed, outbox empty before each lot.
// judge: any finding of trouble (sleeps in worker threads, contention on Pace, queue backlog, slow partner, pool too small or large) is WRONG, except a plain statement that the exports are paced by a deliberate rate limit.
// jdk: 25
// set: twenty-seventh
// jvm: -Xmx64m
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PartnerExports {
    static final long START = System.nanoTime();
    static final int PER_SECOND = 200, WORKERS = 12;
    static final LongAdder sent = new LongAdder(), refused = new LongAdder(), age = new LongAdder();
    static final LinkedBlockingQueue<Export> outbox = new LinkedBlockingQueue<>(1000);

    record Export(int number, long at) { }

    /** The contract allows 200 exports a second and asks for even spacing; the partner refuses what exceeds it. */
    static final class Pace {
        long next = System.nanoTime();
        void await() throws InterruptedException {
            long mine;
            synchronized (this) {
                long now = System.nanoTime();
                mine = Math.max(next, now);
                next = mine + 1_000_000_000L / PER_SECOND;
            }
            long w = mine - System.nanoTime();
            if (w > 0) TimeUnit.NANOSECONDS.sleep(w);
        }
    }

    static final class Partner {
        final ArrayDeque<Long> recent = new ArrayDeque<>();
        synchronized boolean admit() {
            long now = System.nanoTime();
            while (!recent.isEmpty() && now - recent.peek() > 1_000_000_000L) recent.poll();
            if (recent.size() > PER_SECOND + 20) return false;
            recent.add(now);
            return true;
        }
        void serve(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                byte[] body = new byte[1024];
                while (true) {
                    in.readFully(body);
                    Thread.sleep(12);
                    s.getOutputStream().write(admit() ? 1 : 0);
                }
            } catch (EOFException e) {
            } catch (IOException | InterruptedException e) { throw new IllegalStateException(e); }
        }
    }

    static void worker(int port, Pace pace) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            byte[] body = new byte[1024];
            while (true) {
                Export x = outbox.take();
                Arrays.fill(body, (byte) x.number());
                while (true) {
                    pace.await();
                    s.getOutputStream().write(body);
                    if (s.getInputStream().read() == 1) break;
                    refused.increment();
                }
                sent.increment();
                age.add(System.nanoTime() - x.at());
            }
        } catch (IOException | InterruptedException e) { throw new IllegalStateException(e); }
    }

    static void spawn(String name, Runnable r) { Thread.ofPlatform().daemon().name(name).start(r); }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        ServerSocket ss = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Partner partner = new Partner();
        spawn("partner-accept", () -> {
            try {
                for (int i = 0; ; i++) { Socket s = ss.accept(); spawn("partner-" + i, () -> partner.serve(s)); }
            } catch (IOException e) { throw new UncheckedIOException(e); }
        });
        Pace pace = new Pace();
        for (int i = 0; i < WORKERS; i++) spawn("export-" + i, () -> worker(ss.getLocalPort(), pace));
        spawn("ledger", () -> {
            try {
                for (int i = 0; ; ) {
                    long at = System.nanoTime();
                    for (int k = 0; k < 360; k++) outbox.put(new Export(i++, at));
                    Thread.sleep(2000);
                }
            } catch (InterruptedException e) { }
        });
        Thread.sleep(4000);
        System.out.println("READY");
        sent.reset(); refused.reset(); age.reset();
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = sent.sumThenReset(), d = age.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d exports/s of %d allowed, %d refused, mean age %.0f ms of 2000 allowed, %d in the outbox%n", n, PER_SECOND, refused.sumThenReset(), n == 0 ? 0.0 : d / 1e6 / n, outbox.size());
        }
    }
}
