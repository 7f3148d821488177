// SPDX-License-Identifier: Apache-2.0
// cause: WarrantyDesk.Desk hands its letters (thenAcceptAsync in Desk.handle) to a pool of two threads without a bound on its queue, while each letter waits about 20 ms for the print server: more claims arrive than two threads can send letters for
// share: as it is 102 letters/s of 190 claims/s, queue and age grow (9.2 s from claim to letter after 20 s, about half of the time since the start); fixed 190 letters/s, 19 ms (more than 400 times better)
// expect: growing-queue pool=letters
// symptom: waiting
// judge: NAMED: the queue of the pool letters-N grows steadily (its two threads are busy all the time, waiting for the print server's answer at Line.ask / PrintServer.print). SYMPTOM ONLY: waiting for a server's answer without the pool or its queue; growth of the heap. WRONG: intake or checks pools, locks, CPU, GC as the first finding.
// jdk: 11
// set: twenty-seventh
// jvm: -Xmx128m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class WarrantyDesk {
    static final LongAdder sent = new LongAdder();
    static final LongAdder ageMs = new LongAdder();

    static ThreadFactory named(String name) {
        AtomicInteger n = new AtomicInteger();
        return r -> {
            Thread t = new Thread(r, name + "-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        };
    }

    static final class Line {
        final BufferedReader in;
        final OutputStream out;

        Line(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
            out = s.getOutputStream();
        }

        String ask(String text) throws IOException {
            out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
            return in.readLine();
        }
    }

    static final class PrintServer {
        final int port;
        final ConcurrentLinkedDeque<Line> lines = new ConcurrentLinkedDeque<>();

        PrintServer() throws IOException {
            ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            port = server.getLocalPort();
            ThreadFactory f = named("printer");
            named("print-door").newThread(() -> {
                try {
                    for (;;) {
                        Socket s = server.accept();
                        s.setTcpNoDelay(true);
                        f.newThread(() -> serve(s)).start();
                    }
                } catch (IOException e) {
                    System.out.println(e);
                }
            }).start();
        }

        static void serve(Socket s) {
            try {
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
                while (in.readLine() != null) {
                    Thread.sleep(19);
                    s.getOutputStream().write("printed\n".getBytes(StandardCharsets.UTF_8));
                }
            } catch (IOException | InterruptedException e) {
                System.out.println(e);
            }
        }

        void print(String letter) {
            try {
                Line line = lines.pollFirst();
                if (line == null)
                    line = new Line(port);
                line.ask(letter);
                lines.addFirst(line);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Claim {
        final int number;
        final long at = System.nanoTime();
        int cents;

        Claim(int number) {
            this.number = number;
        }
    }

    static final class Letter {
        final Claim claim;
        final String text;

        Letter(Claim claim, String text) {
            this.claim = claim;
            this.text = text;
        }
    }

    static final class Desk {
        final ExecutorService checks = Executors.newFixedThreadPool(2, named("checks"));
        final ExecutorService letters = Executors.newFixedThreadPool(Boolean.getBoolean("fixed") ? 8 : 2, named("letters"));
        final PrintServer printer;

        Desk(PrintServer printer) {
            this.printer = printer;
        }

        Claim check(Claim c) {
            long h = c.number;
            for (int i = 0; i < 200_000; i++)
                h = h * 6364136223846793005L + i;
            c.cents = (int) (h >>> 50);
            return c;
        }

        Letter write(Claim c) {
            return new Letter(c, "Claim " + c.number + ": we pay " + c.cents / 100 + "." + c.cents % 100 + ", yours sincerely");
        }

        void post(Letter l) {
            printer.print(l.text);
            sent.increment();
            ageMs.add((System.nanoTime() - l.claim.at) / 1_000_000);
        }

        void handle(Claim c) {
            CompletableFuture.completedFuture(c).thenApplyAsync(this::check, checks).thenApply(this::write).thenAcceptAsync(this::post, letters);
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        Desk desk = new Desk(new PrintServer());
        for (int k = 0; k < 2; k++) {
            int from = k * 1_000_000;
            named("intake" + k).newThread(() -> {
                try {
                    long next = System.nanoTime();
                    for (int i = from;; i++) {
                        desk.handle(new Claim(i));
                        next += 10_500_000L;
                        long rest = next - System.nanoTime();
                        if (rest > 0)
                            Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
                    }
                } catch (InterruptedException e) {
                    System.out.println(e);
                }
            }).start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long last = sent.sum();
        long lastAge = ageMs.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = sent.sum();
            long a = ageMs.sum();
            System.out.printf("measured: %d letters/s, %d ms from claim to letter%n", s - last, (a - lastAge) / Math.max(1, s - last));
            last = s;
            lastAge = a;
        }
        System.exit(0);
    }
}
