// SPDX-License-Identifier: Apache-2.0
// healthy: idle by design: 40 pumps report twice a second; threads wait for them, each report takes ~0.1 ms
// share: 80 reports/s as sent, mean 0.2 ms
// judge: right: nothing is wrong; the program is mostly idle and answers at once
// judge: symptom: all threads wait (socket reads, sleep, timed waits), CPU nearly unused
// judge: wrong: socket reads as slow I/O, the lock of State, the watchdog's sleep, too many threads, idle pool
// jdk: 17
// set: fourteenth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Watches the pumps of a waterworks: each holds a connection open and reports pressure and flow. */
public class HealthyPumpMonitor {
    static final int PUMPS = 40;
    static final LongAdder reports = new LongAdder();
    static final LongAdder replyNanos = new LongAdder();
    static final LongAdder late = new LongAdder();
    static volatile String summary = "";

    static final class Pump {
        double pressure;
        double flow;
        long seen;
        boolean alarm;
    }

    static final class State {
        private final Map<Integer, Pump> pumps = new HashMap<>();

        synchronized boolean report(int id, double pressure, double flow) {
            Pump p = pumps.computeIfAbsent(id, k -> new Pump());
            p.pressure += 0.3 * (pressure - p.pressure);
            p.flow += 0.3 * (flow - p.flow);
            p.seen = System.nanoTime();
            p.alarm = p.pressure > 9.5 || p.flow < 0.1;
            return p.alarm;
        }

        synchronized int silent(long nanos) {
            int n = 0;
            long now = System.nanoTime();
            for (Pump p : pumps.values()) if (now - p.seen > nanos) n++;
            return n;
        }

        synchronized String summary() {
            double flow = 0;
            int alarms = 0;
            for (Pump p : pumps.values()) {
                flow += p.flow;
                if (p.alarm) alarms++;
            }
            return String.format("%d pumps, flow %.1f, %d alarms", pumps.size(), flow, alarms);
        }
    }

    static void serve(Socket s, State state) {
        try (s; DataInputStream in = new DataInputStream(s.getInputStream())) {
            s.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            byte[] frame = new byte[20];
            while (true) {
                in.readFully(frame);
                ByteBuffer b = ByteBuffer.wrap(frame);
                out.writeByte(state.report(b.getInt(), b.getDouble(), b.getDouble()) ? 1 : 0);
            }
        } catch (EOFException e) {
            System.err.println("pump left");
        } catch (IOException e) {
            System.err.println("pump lost: " + e);
        }
    }

    static void pump(int id, int port) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            TimeUnit.MILLISECONDS.sleep(r.nextInt(500));
            while (true) {
                byte[] frame = ByteBuffer.allocate(20).putInt(id).putDouble(6 + r.nextGaussian())
                        .putDouble(2 + r.nextDouble()).array();
                long t0 = System.nanoTime();
                s.getOutputStream().write(frame);
                in.readByte();
                replyNanos.add(System.nanoTime() - t0);
                reports.increment();
                TimeUnit.MILLISECONDS.sleep(500);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("pump " + id + ": " + e);
        }
    }

    static void watchdog(State state) {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(250);
                late.add(state.silent(2_000_000_000L));
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        State state = new State();
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        ExecutorService connections = Executors.newFixedThreadPool(PUMPS + 8);
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
        clock.scheduleAtFixedRate(() -> summary = state.summary(), 100, 200, TimeUnit.MILLISECONDS);
        daemon("accept", () -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    connections.execute(() -> serve(s, state));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        daemon("watchdog", () -> watchdog(state));
        for (int i = 0; i < PUMPS; i++) {
            int id = 100 + i;
            daemon("pump-" + id, () -> pump(id, server.getLocalPort()));
        }
        System.out.println("READY");
        while (true) {
            TimeUnit.SECONDS.sleep(1);
            long n = reports.sumThenReset();
            System.out.printf("measured: %d reports/s, mean %.3f ms, %d late, %s%n", n,
                    replyNanos.sumThenReset() / 1e6 / Math.max(1, n), late.sumThenReset(), summary);
        }
    }
}
