// SPDX-License-Identifier: Apache-2.0
// cause: blocking calls to the insurers run in a parallel stream, i.e. in the common pool (one worker on 2 CPUs, shared by all requests), so the calls of a request run almost one after another, at QuoteComparison$Comparison.quotes
// share: faulty: 25 comparisons/s, 230 ms for the quotes, 96 % of a desk's time; fixed (a virtual thread a call): 173 comparisons/s, 25 ms; 7x
// judge: Names the cause: "ForkJoinPool.commonPool is blocked in socket reads below QuoteComparison$Comparison.quotes / Insurer.ask", "blocking I/O in a parallel stream; the pool has too few threads for it", "the calls to insurers run one after another in Comparison.quotes". Only symptom: "request threads wait in Socket read below Insurer.ask", "CPU idle". Wrong: "the insurers are slow" (20 ms is theirs), lock contention, "virtual threads pinned", "raise the number of request threads".
// expect: waiting holder=commonPool | pool-busy pool=commonPool
// symptom: waiting
// jdk: 25
// set: fifteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** A comparison portal: asks every insurer for a premium and shows the cheapest three. */
public final class QuoteComparison {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int INSURERS = 12, DESKS = 6;
    static final LongAdder done = new LongAdder(), asking = new LongAdder(), busy = new LongAdder();

    record Car(String model, int year, int kilometres, int driverAge) { }

    record Quote(String insurer, long cents) { }

    /** One insurer's quotation service, reached over TCP: a line there, a line back. */
    record Insurer(String name, int port) {
        Quote ask(Car car) {
            try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
                s.setTcpNoDelay(true);
                Writer out = new OutputStreamWriter(s.getOutputStream());
                out.write(name + ';' + car.model() + ';' + car.year() + ';' + car.kilometres() + ';' + car.driverAge() + '\n');
                out.flush();
                String line = new BufferedReader(new InputStreamReader(s.getInputStream())).readLine();
                if (line == null) throw new EOFException(name);
                return new Quote(name, Long.parseLong(line));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Comparison {
        final List<Insurer> insurers;
        final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

        Comparison(List<Insurer> insurers) { this.insurers = insurers; }

        List<Quote> quotes(Car car) throws InterruptedException, ExecutionException {
            if (FIXED) {
                List<Future<Quote>> open = new ArrayList<>();
                for (Insurer i : insurers) open.add(calls.submit(() -> i.ask(car)));
                List<Quote> all = new ArrayList<>();
                for (Future<Quote> f : open) all.add(f.get());
                return all;
            }
            return insurers.parallelStream().map(i -> i.ask(car)).toList();
        }

        List<Quote> cheapest(Car car) throws InterruptedException, ExecutionException {
            long t0 = System.nanoTime();
            List<Quote> all = quotes(car);
            asking.add(System.nanoTime() - t0);
            return all.stream().sorted(Comparator.comparingLong(Quote::cents)).limit(3).toList();
        }
    }

    /** The insurers' side: 20 ms for a tariff calculation in their own data centre. */
    static void insurerSide(Socket s) {
        try (s) {
            String line = new BufferedReader(new InputStreamReader(s.getInputStream())).readLine();
            if (line == null) return;
            String[] f = line.split(";");
            Thread.sleep(20);
            long cents = 30_000 + (f[0].hashCode() & 0xfff) * 5L + Long.parseLong(f[3]) / 10 + (Integer.parseInt(f[4]) < 25 ? 20_000 : 0);
            s.getOutputStream().write((cents + "\n").getBytes());
        } catch (IOException | InterruptedException e) {
            // the portal has gone
        }
    }

    static void desk(int id, Comparison comparison) {
        Random rnd = new Random(id);
        String[] models = {"Astra", "Golf", "Fiesta", "Clio", "Octavia"};
        try {
            while (true) {
                long t0 = System.nanoTime();
                Car car = new Car(models[rnd.nextInt(models.length)], 2005 + rnd.nextInt(20), rnd.nextInt(200_000), 18 + rnd.nextInt(60));
                if (comparison.cheapest(car).size() != 3) throw new IllegalStateException();
                Thread.sleep(10);                          // the customer's browser
                busy.add(System.nanoTime() - t0);
                done.increment();
            }
        } catch (InterruptedException | ExecutionException e) {
            System.err.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("insurers-accept").start(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    Thread.ofVirtual().start(() -> insurerSide(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        List<Insurer> insurers = new ArrayList<>();
        for (int i = 0; i < INSURERS; i++) insurers.add(new Insurer("insurer-" + (char) ('A' + i), server.getLocalPort()));
        Comparison comparison = new Comparison(insurers);
        for (int i = 0; i < DESKS; i++) {
            int id = i;
            Thread.ofPlatform().daemon().name("desk-" + i).start(() -> desk(id, comparison));
        }
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = done.sum();
            System.out.printf("measured: %d comparisons/s, %.0f ms for the quotes, %.0f %% of a desk's time%n", n - last,
                    asking.sum() / 1e6 / Math.max(1, n), 100.0 * asking.sum() / Math.max(1, busy.sum()));
            last = n;
        }
    }
}
