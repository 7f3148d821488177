// SPDX-License-Identifier: Apache-2.0
// cause: FreightRateCards.Rates.perTon fetches an expired rate from the exchange (80 ms remote call) inside ConcurrentHashMap.compute, which holds the lock of the map bin, so that all agents that only need the current rate of the same port wait for the call.
// share: faulty: 125-172 offers/s, mean 62 ms; fixed (rates renewed in the background, agents only read): 1580-1940 offers/s, mean 0.01 ms (about 12 times better).
// expect: waiting waiter=Rates.perTon map=compute
// symptom: waiting | lock-contention
// judge: NAMED: agents are blocked on the bin lock of ConcurrentHashMap.compute in Rates.perTon while one of them makes the remote call (Exchange.ask) inside it; get the call out of compute. SYMPTOM ONLY: agents wait in a socket read / the exchange is slow, or "contention in ConcurrentHashMap" without the remote call under it. WRONG: too few connections (8 lines are enough), CPU, GC, map too small, hash collisions, sleeping agents.
// jdk: 21
// set: twenty-seventh
// jvm: -Xmx64m
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FreightRateCards {
    static final long START = System.nanoTime();
    static final boolean OPTION = Boolean.getBoolean("fixed");
    static final LongAdder offers = new LongAdder(), time = new LongAdder(), calls = new LongAdder();
    static final String[] PORTS = {"RTM", "HAM", "ANR", "SIN", "SHA", "LAX", "VLC", "GOA"};

    record Rate(double perTon, long until) { }

    static final class Exchange {
        final ArrayBlockingQueue<Socket> lines = new ArrayBlockingQueue<>(8);
        Exchange(int port) throws IOException {
            for (int i = 0; i < 8; i++) {
                Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                s.setTcpNoDelay(true);
                lines.add(s);
            }
        }
        Rate ask(String port) {
            try {
                Socket s = lines.take();
                try {
                    s.getOutputStream().write(port.charAt(0));
                    int v = s.getInputStream().read();
                    calls.increment();
                    return new Rate(20 + v / 10.0, System.nanoTime() + 150_000_000L);
                } finally { lines.add(s); }
            } catch (IOException | InterruptedException e) { throw new IllegalStateException(e); }
        }
    }

    static final class Rates {
        final ConcurrentHashMap<String, Rate> table = new ConcurrentHashMap<>();
        final Exchange exchange;
        Rates(Exchange exchange) {
            this.exchange = exchange;
            for (String p : PORTS) table.put(p, exchange.ask(p));
            if (OPTION) {
                for (String p : PORTS) spawn("rates-" + p, () -> {
                    while (true) {
                        table.put(p, exchange.ask(p));
                        try { Thread.sleep(50); } catch (InterruptedException e) { return; }
                    }
                });
            }
        }
        double perTon(String port) {
            if (OPTION) return table.get(port).perTon();
            return table.compute(port, (k, r) -> r != null && r.until() > System.nanoTime() ? r : exchange.ask(k)).perTon();
        }
    }

    static void serve(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            for (int c; (c = s.getInputStream().read()) >= 0; ) {
                Thread.sleep(80);
                s.getOutputStream().write((c * 7 + (int) (System.nanoTime() >>> 28)) & 0x7f);
            }
        } catch (IOException | InterruptedException e) { throw new IllegalStateException(e); }
    }

    static void agent(int n, Rates rates) {
        SplittableRandom r = new SplittableRandom(n);
        double sum = 0;
        try {
            while (sum >= 0) {
                long t = System.nanoTime();
                String from = r.nextInt(10) < 6 ? "RTM" : PORTS[r.nextInt(PORTS.length)];
                String to = PORTS[r.nextInt(PORTS.length)];
                sum = (sum + rates.perTon(from) + rates.perTon(to)) % 1e6;
                time.add(System.nanoTime() - t);
                offers.increment();
                Thread.sleep(5);
            }
        } catch (InterruptedException e) { }
    }

    static void spawn(String name, Runnable r) {
        Thread.ofPlatform().daemon().name(name).start(r);
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        ServerSocket ss = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        spawn("exchange-accept", () -> {
            try {
                for (int i = 0; ; i++) { Socket s = ss.accept(); spawn("exchange-" + i, () -> serve(s)); }
            } catch (IOException e) { throw new UncheckedIOException(e); }
        });
        Rates rates = new Rates(new Exchange(ss.getLocalPort()));
        for (int i = 0; i < 10; i++) { int n = i; spawn("agent-" + i, () -> agent(n, rates)); }
        Thread.sleep(4000);
        System.out.println("READY");
        offers.reset(); time.reset(); calls.reset();
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = offers.sumThenReset(), d = time.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d offers/s, mean %.2f ms, %d exchange calls/s%n", n, n == 0 ? 0.0 : d / 1e6 / n, calls.sumThenReset());
        }
    }
}
