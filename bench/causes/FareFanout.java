// SPDX-License-Identifier: Apache-2.0
// healthy: each search asks eight fare systems at once on virtual threads and waits for the slowest, as it has to; each system may be asked 32 times at once and about 4 are, searches arrive at 40/s and all are answered in about the time of the slowest system
// judge: True and harmless: "mostly idle, virtual threads wait for the network below FareSystem.ask", "searches wait in Future.get for their calls". Wrong: "semaphore/pool too small", "calls run one after another", "pinned virtual threads", "fare systems must be made faster / cached" , "too many threads", lock contention.
// jdk: 25
// set: fifteenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Searches for rail tickets over the fare systems of eight operators, none of which is quick. */
public final class FareFanout {
    static final int SYSTEMS = 8, AT_ONCE = 32;
    static final long PERIOD = 25_000_000L;
    static final LongAdder searches = new LongAdder(), nanos = new LongAdder(), slowest = new LongAdder(), permitWait = new LongAdder(), failed = new LongAdder();

    record Journey(String from, String to, int day, int persons) { }

    record Fare(String operator, int cents, int minutes) { }

    record Answered(Fare fare, long took) { }

    /** One operator's system: connections are kept, never more than the operator allows. */
    static final class FareSystem {
        final String operator;
        final int port;
        final Semaphore permits = new Semaphore(AT_ONCE);
        final ConcurrentLinkedDeque<Link> idle = new ConcurrentLinkedDeque<>();

        record Link(BufferedReader in, OutputStream out) { }

        FareSystem(String operator, int port) {
            this.operator = operator;
            this.port = port;
        }

        private Link link() throws IOException {
            Link l = idle.pollFirst();
            if (l != null) return l;
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            return new Link(new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII), 256), s.getOutputStream());
        }

        Answered ask(Journey j) throws IOException, InterruptedException {
            long t0 = System.nanoTime();
            permits.acquire();
            try {
                permitWait.add(System.nanoTime() - t0);
                Link l = link();
                l.out().write((operator + ' ' + j.from() + ' ' + j.to() + ' ' + j.day() + ' ' + j.persons() + '\n').getBytes(StandardCharsets.US_ASCII));
                String answer = l.in().readLine();
                if (answer == null) throw new EOFException(operator);
                idle.addFirst(l);
                int blank = answer.indexOf(' ');
                Fare fare = new Fare(operator, Integer.parseInt(answer, 0, blank, 10), Integer.parseInt(answer, blank + 1, answer.length(), 10));
                return new Answered(fare, System.nanoTime() - t0);
            } finally {
                permits.release();
            }
        }
    }

    static final class Search implements Runnable {
        final List<FareSystem> systems;
        final ExecutorService calls;
        final Journey journey;

        Search(List<FareSystem> systems, ExecutorService calls, Journey journey) {
            this.systems = systems;
            this.calls = calls;
            this.journey = journey;
        }

        @Override public void run() {
            long t0 = System.nanoTime();
            List<Future<Answered>> open = new ArrayList<>(systems.size());
            for (FareSystem s : systems) open.add(calls.submit(() -> s.ask(journey)));
            List<Fare> fares = new ArrayList<>(systems.size());
            long longest = 0;
            for (Future<Answered> f : open) {
                try {
                    Answered a = f.get(2, TimeUnit.SECONDS);
                    fares.add(a.fare());
                    longest = Math.max(longest, a.took());
                } catch (ExecutionException | TimeoutException e) {
                    failed.increment();                    // shown without this operator
                } catch (InterruptedException e) {
                    return;
                }
            }
            fares.sort(Comparator.comparingInt(Fare::cents).thenComparingInt(Fare::minutes));
            nanos.add(System.nanoTime() - t0);
            slowest.add(longest);
            searches.increment();
        }
    }

    /** The operators' side: 60 to 130 ms for a fare. */
    static void operatorSide(Socket s) {
        try (s; BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII), 256)) {
            s.setTcpNoDelay(true);
            for (String line; (line = in.readLine()) != null; ) {
                int h = line.hashCode() & 0x7fffffff;
                Thread.sleep(60 + h % 70);
                s.getOutputStream().write(((900 + h % 9000) + " " + (45 + h % 400) + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException | InterruptedException e) {
            // the portal has gone
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("operators-accept").start(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    Thread.ofVirtual().name("operator").start(() -> operatorSide(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        List<FareSystem> systems = new ArrayList<>();
        for (int i = 0; i < SYSTEMS; i++) systems.add(new FareSystem("rail-" + (char) ('a' + i), server.getLocalPort()));
        ExecutorService calls = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("fare-", 0).factory());
        String[] stations = {"Ulm", "Bern", "Lyon", "Turin", "Graz", "Brno", "Gent", "Metz"};
        SplittableRandom rnd = new SplittableRandom(9);
        ScheduledExecutorService arrivals = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("arrivals").factory());
        arrivals.scheduleAtFixedRate(() -> {
            Journey j = new Journey(stations[rnd.nextInt(8)], stations[rnd.nextInt(8)], rnd.nextInt(90), 1 + rnd.nextInt(4));
            Thread.ofVirtual().name("search").start(new Search(systems, calls, j));
        }, 0, PERIOD, TimeUnit.NANOSECONDS);
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = searches.sum(), d = Math.max(1, n);
            System.out.printf("measured: %d searches/s, %.0f ms each, slowest system %.0f ms, %.3f ms waiting for permits, %d failed%n", n - last,
                    nanos.sum() / 1e6 / d, slowest.sum() / 1e6 / d, permitWait.sum() / 1e6 / d, failed.sum());
            last = n;
        }
    }
}
