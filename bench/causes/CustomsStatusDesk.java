// SPDX-License-Identifier: Apache-2.0
// cause: CustomsStatusDesk$Desk.outcome, on the virtual thread of each request, looks for the verdict, which is there after some 6 ms, only every 250 ms (Thread.sleep in $Desk.outcome, called by $Desk.handle) in place of waiting for it to be put into $Verdicts
// share: about 95 % of the time of a request (250 ms or more on average) its virtual thread is unmounted and sleeps in $Desk.outcome, though the verdict is ready after 6 ms on average
// expect: waiting kind=sleep frame=CustomsStatusDesk$Desk.outcome
// symptom: unmounted-wait waiting
// judge: NAMED: requests (GET /status, the handling of requests, an endpoint) wait, or their virtual threads are unmounted, in a timer / Thread.sleep at CustomsStatusDesk$Desk.outcome. SYMPTOM ONLY: that virtual threads of the requests are unmounted most of the time without the place, or that the clients ($Broker.ask) wait for answers of this very process. WRONG: $Examiner.assess (the workers that decide, which are idle mostly), a lack of carriers or CPUs, pinned threads, the pool "examiner" as too small, the network or a partner's server as slow
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx256m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Answers brokers whether a consignment may pass, is to be weighed or to be opened. */
public class CustomsStatusDesk {
    enum Verdict { PASS, WEIGH, OPEN }

    record Consignment(long number, int tariff, int kilograms, long askedAt) { }

    record Finding(Verdict verdict, double risk) { }

    static final LongAdder decided = new LongAdder();
    static final LongAdder decisionNanos = new LongAdder();
    static final LongAdder answered = new LongAdder();
    static final LongAdder requestNanos = new LongAdder();

    /** What was decided and has not been reported yet. */
    static final class Verdicts {
        final Map<Long, Finding> open = new ConcurrentHashMap<>();

        void put(long number, Finding finding) {
            open.put(number, finding);
        }

        Finding take(long number) {
            return open.remove(number);
        }
    }

    static final class Examiner extends Thread {
        final BlockingQueue<Consignment> inbox;
        final Verdicts verdicts;

        Examiner(int number, BlockingQueue<Consignment> inbox, Verdicts verdicts) {
            super("examiner-" + number);
            this.inbox = inbox;
            this.verdicts = verdicts;
            setDaemon(true);
        }

        Finding assess(Consignment c) {
            double risk = 0;
            for (int rule = 1; rule <= 20_000; rule++) {
                long h = (c.number() * 31 + c.tariff()) * rule;
                risk += (h >>> 7 & 1023) / 1024.0 / rule;
            }
            risk /= Math.log1p(c.kilograms());
            return new Finding(risk > 1.2 ? Verdict.OPEN : risk > 0.8 ? Verdict.WEIGH : Verdict.PASS, risk);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Consignment c = inbox.take();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(3, 9)); // the scales at the gate
                    verdicts.put(c.number(), assess(c));
                    decided.increment();
                    decisionNanos.add(System.nanoTime() - c.askedAt());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Desk {
        static final int INTERVAL_MS = 250;
        final BlockingQueue<Consignment> inbox;
        final Verdicts verdicts;
        final AtomicLong numbers = new AtomicLong();

        Desk(BlockingQueue<Consignment> inbox, Verdicts verdicts) {
            this.inbox = inbox;
            this.verdicts = verdicts;
        }

        Finding outcome(long number) throws InterruptedException {
            Finding f = verdicts.take(number);
            while (f == null) {
                Thread.sleep(INTERVAL_MS);
                f = verdicts.take(number);
            }
            return f;
        }

        void handle(HttpExchange x) throws IOException {
            long begin = System.nanoTime();
            try (x) {
                String query = x.getRequestURI().getQuery();
                int tariff = Integer.parseInt(query.substring(query.indexOf('=') + 1));
                long number = numbers.incrementAndGet();
                inbox.put(new Consignment(number, tariff, 20 + tariff % 900, System.nanoTime()));
                Finding f = outcome(number);
                byte[] body = ("{\"number\":" + number + ",\"verdict\":\"" + f.verdict() + "\",\"risk\":" + f.risk() + "}")
                        .getBytes(StandardCharsets.UTF_8);
                x.getResponseHeaders().set("Content-Type", "application/json");
                x.sendResponseHeaders(200, body.length);
                x.getResponseBody().write(body);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                answered.increment();
                requestNanos.add(System.nanoTime() - begin);
            }
        }
    }

    /** A broker's office that asks for one consignment after another. */
    static final class Broker extends Thread {
        final int port;

        Broker(int number, int port) {
            super("broker-" + number);
            this.port = port;
            setDaemon(true);
        }

        String ask(int tariff) throws IOException {
            HttpURLConnection c = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/status?tariff=" + tariff).toURL().openConnection();
            try (InputStream in = c.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }

        @Override
        public void run() {
            while (true) {
                try {
                    ask(ThreadLocalRandom.current().nextInt(1_000, 9_999));
                    Thread.sleep(ThreadLocalRandom.current().nextInt(20, 60));
                } catch (IOException e) {
                    // asked again
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        BlockingQueue<Consignment> inbox = new ArrayBlockingQueue<>(500);
        Verdicts verdicts = new Verdicts();
        for (int i = 0; i < 12; i++) new Examiner(i, inbox, verdicts).start();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 100);
        server.createContext("/status", new Desk(inbox, verdicts)::handle);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        for (int i = 0; i < 40; i++) new Broker(i, server.getAddress().getPort()).start();
        Thread.sleep(1_500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            decided.reset();
            decisionNanos.reset();
            answered.reset();
            requestNanos.reset();
            Thread.sleep(1_000);
            System.out.printf("measured: %d requests, %.1f ms each; %d verdicts, ready after %.1f ms each; %d in the inbox%n", answered.sum(),
                    requestNanos.sum() / 1e6 / Math.max(1, answered.sum()), decided.sum(), decisionNanos.sum() / 1e6 / Math.max(1, decided.sum()), inbox.size());
            System.out.flush();
        }
    }
}
