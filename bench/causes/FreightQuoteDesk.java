// SPDX-License-Identifier: Apache-2.0
// cause: the pool "rates" of FreightQuoteDesk$RateService has an unbounded queue, so it keeps its core size of 2 threads and never grows to its maximum of 16; its tasks (RateService.ask) wait 18 ms for a carrier each, and 12 clerks wait for their futures in FreightQuoteDesk$RateService.best
// share: both workers have work 100 % of the time; a quote of 4 rates takes some 440 ms in place of 20 ms, nearly all of it in the queue
// expect: pool-busy pool=rates
// symptom: waiting
// judge: NAMED: the pool rates (of 2 threads) is busy all the time / too small for its tasks, threads wait for futures at RateService.best because tasks queue. SYMPTOM ONLY: waiting for a future at RateService.best, or waiting for a carrier's answer (socket) at RateService.ask or Line.rate, without the pool. WRONG: the carriers' sleep (Carrier.serve) as the cause, locks, CPUs, computing, collections, nothing stands out
// jdk: 21
// set: thirty-second
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** A forwarder's desk: for each consignment it asks several carriers for their rates and offers the best. */
public class FreightQuoteDesk {

    static final LongAdder QUOTES = new LongAdder();
    static final LongAdder QUOTING = new LongAdder();
    static final LongAdder ASKED = new LongAdder();
    static final LongAdder ASKING = new LongAdder();

    record Consignment(String from, String to, int kilos) {
    }

    /** A carrier's rate server, on the other side of the line. */
    static final class Carrier {
        private final ServerSocket server;
        private final int base;

        Carrier(String name, int base) throws IOException {
            this.base = base;
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread.ofPlatform().name(name).daemon().start(this::accept);
        }

        int port() {
            return server.getLocalPort();
        }

        private void accept() {
            try {
                while (true) {
                    Socket socket = server.accept();
                    Thread.ofPlatform().name("carrier").daemon().start(() -> serve(socket));
                }
            } catch (IOException e) {
                System.err.println("carrier closed: " + e);
            }
        }

        private void serve(Socket socket) {
            try (socket; BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
                socket.setTcpNoDelay(true);
                OutputStream out = socket.getOutputStream();
                for (String line; (line = in.readLine()) != null; ) {
                    TimeUnit.MILLISECONDS.sleep(18);
                    out.write((base + Math.abs(line.hashCode() % 900) + "\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("carrier's line ended: " + e);
            }
        }
    }

    static final class Line {
        private final BufferedReader in;
        private final OutputStream out;

        Line(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            out = socket.getOutputStream();
        }

        int rate(Consignment c) throws IOException {
            out.write((c.from() + ";" + c.to() + ";" + c.kilos() + "\n").getBytes(StandardCharsets.US_ASCII));
            return Integer.parseInt(in.readLine());
        }
    }

    static final class RateService {
        private static final AtomicInteger NUMBER = new AtomicInteger();
        private final List<Carrier> carriers;
        private final ThreadLocal<Map<Carrier, Line>> lines = ThreadLocal.withInitial(HashMap::new);
        private final ThreadPoolExecutor rates = new ThreadPoolExecutor(2, 16, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                task -> new Thread(task, "rates-" + NUMBER.incrementAndGet()));

        RateService(List<Carrier> carriers) {
            this.carriers = carriers;
        }

        private int ask(Carrier carrier, Consignment consignment) {
            long begin = System.nanoTime();
            try {
                Line line = lines.get().get(carrier);
                if (line == null) {
                    line = new Line(carrier.port());
                    lines.get().put(carrier, line);
                }
                return line.rate(consignment);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                ASKED.increment();
                ASKING.add(System.nanoTime() - begin);
            }
        }

        int best(Consignment consignment) throws InterruptedException, ExecutionException {
            List<Future<Integer>> answers = new ArrayList<>();
            for (Carrier carrier : carriers) answers.add(rates.submit(() -> ask(carrier, consignment)));
            int best = Integer.MAX_VALUE;
            for (Future<Integer> answer : answers) best = Math.min(best, answer.get());
            return best;
        }
    }

    static final class Clerk implements Runnable {
        private final RateService service;
        private final Random random;
        private long turnover;

        Clerk(RateService service, int seed) {
            this.service = service;
            random = new Random(seed);
        }

        @Override
        public void run() {
            while (true) {
                try {
                    Consignment c = new Consignment("P" + random.nextInt(80), "P" + random.nextInt(80), 50 + random.nextInt(9000));
                    long begin = System.nanoTime();
                    turnover += service.best(c) + c.kilos() / 10;
                    QUOTES.increment();
                    QUOTING.add(System.nanoTime() - begin);
                    Thread.sleep(random.nextInt(20));
                } catch (ExecutionException e) {
                    System.err.println("no quote: " + e.getCause());
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Carrier> carriers = new ArrayList<>();
        for (String name : List.of("alba", "boreal", "corvus", "dorado")) carriers.add(new Carrier(name, 300 + 20 * carriers.size()));
        RateService service = new RateService(carriers);
        for (int i = 0; i < 12; i++) Thread.ofPlatform().name("clerk-" + i).start(new Clerk(service, i));
        while (QUOTES.sum() < 30) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            QUOTES.reset();
            QUOTING.reset();
            ASKED.reset();
            ASKING.reset();
            Thread.sleep(1000);
            long n = Math.max(1, QUOTES.sum()), a = Math.max(1, ASKED.sum());
            System.out.printf("measured: %d quotes, %.0f ms each; %d questions, %.1f ms each; %d threads, %d in the queue%n", n,
                    QUOTING.sum() / 1e6 / n, a, ASKING.sum() / 1e6 / a, service.rates.getPoolSize(), service.rates.getQueue().size());
        }
    }
}
