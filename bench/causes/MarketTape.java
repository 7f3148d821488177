// SPDX-License-Identifier: Apache-2.0
// cause: SubmissionPublisher.submit blocks the feed threads while the archive subscriber's small buffer is full
// share: feed threads are in submit ~90 % of the time; archive.onNext takes ~3 ms a tick, the others microseconds
// expect: waiting frame=MarketTape$Archive waiter=MarketTape.feed | waiting kind=queue-full frame=MarketTape.feed | endpoint-wait kind=queue-full frame=MarketTape.feed
// symptom: waiting
// judge: right: feed threads wait in publish (SubmissionPublisher.submit, buffer full) for the slow subscriber, or
// judge: Archive.onNext named as the slow consumer that holds up the feed. symptom: Archive waits for its vault's
// judge: answer (socket) without the feed. wrong: CPU, GC, risk or chart, the vault's threads, an idle pool.
// jdk: 21
// set: thirteenth

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class MarketTape {
    record Tick(String symbol, long cents, int size) { }

    static final LongAdder blocked = new LongAdder(), ticks = new LongAdder();

    abstract static class Sink implements Flow.Subscriber<Tick> {
        Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription s) {
            subscription = s;
            s.request(1);
        }

        @Override
        public void onNext(Tick t) {
            take(t);
            subscription.request(1);
        }

        @Override
        public void onError(Throwable e) {
            e.printStackTrace();
        }

        @Override
        public void onComplete() {
        }

        abstract void take(Tick t);
    }

    static class Risk extends Sink {
        final Map<String, Long> exposure = new ConcurrentHashMap<>();

        @Override
        void take(Tick t) {
            exposure.merge(t.symbol, t.cents * t.size, (a, b) -> (a * 9 + b) / 10);
        }
    }

    static class Chart extends Sink {
        final long[] bars = new long[4096];

        @Override
        void take(Tick t) {
            for (int i = 0; i < 200; i++) {
                bars[(t.symbol.hashCode() + i & 0xfff)] = Math.max(bars[i], t.cents - i);
            }
        }
    }

    static class Archive extends Sink {
        final DataInputStream in;
        final DataOutputStream out;

        Archive(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(s.getInputStream());
            out = new DataOutputStream(s.getOutputStream());
        }

        @Override
        void take(Tick t) {
            try {
                out.writeLong(t.cents);
                if (in.readLong() != t.cents) {
                    throw new IllegalStateException("not archived");
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void vault(ServerSocket listener) {
        try (Socket s = listener.accept()) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            while (true) {
                long cents = in.readLong();
                Thread.sleep(3);
                out.writeLong(cents);
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void feed(SubmissionPublisher<Tick> tape, String market) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                Tick t = new Tick(market + r.nextInt(500), 1000 + r.nextInt(90_000), 1 + r.nextInt(100));
                long from = System.nanoTime();
                tape.submit(t);
                blocked.add(System.nanoTime() - from);
                ticks.increment();
                Thread.sleep(0, 200_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        new Thread(() -> vault(listener), "vault").start();
        ExecutorService pool = Executors.newFixedThreadPool(6);
        SubmissionPublisher<Tick> tape = new SubmissionPublisher<>(pool, 64);
        tape.subscribe(new Risk());
        tape.subscribe(new Chart());
        tape.subscribe(new Archive(listener.getLocalPort()));
        for (String market : new String[] {"XE", "FR", "LN", "NY"}) {
            new Thread(() -> feed(tape, market), "feed-" + market).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d ticks/s, 4 feeds blocked for %d ms/s%n", ticks.sumThenReset(),
                    blocked.sumThenReset() / 1_000_000);
        }
    }
}
