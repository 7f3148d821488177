// SPDX-License-Identifier: Apache-2.0
// cause: Lane.select, called by Lane.pass for every vehicle, makes and closes a TCP connection to each of the three account nodes (Lane.distance) to see which is nearest, before it charges through a connection that is open anyway; making three connections costs many times the one short exchange.
// share: faulty 5533 vehicles charged a second, mean 722 us; fixed 26388 vehicles charged a second, mean 152 us (4.8 times better in throughput; medians of 11 s runs on a crowded machine of 2 CPUs)
// expect: hot-code frame=TollPlazaLink$Lane.distance kind=connecting
// symptom: waiting hot-calls hot-code
// judge: NAMED: connections are made anew for each vehicle in TollPlazaLink$Lane.distance (Socket.connect), called by select/pass; probe rarely or in the background. SYMPTOM ONLY: the doors (AccountNode.open) accept and close connections all the time; CPU time in the kernel; lanes wait for answers (Cable.charge) or for connections to be made; many sockets in TIME_WAIT. WRONG: a backlog that is too small, balance.merge, the exchange over kept connections, Nagle's algorithm, name lookups.
// jdk: 8
// set: twenty-ninth
// jvm:
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class TollPlazaLink {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final int LANES = 4;
    static final LongAdder PASSED = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    static final class AccountNode {
        private final ServerSocket door;
        private final String name;

        AccountNode(String name) throws IOException {
            this.name = name;
            door = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
            Thread t = new Thread(this::open, name + "-door");
            t.setDaemon(true);
            t.start();
        }

        int port() {
            return door.getLocalPort();
        }

        private void open() {
            try {
                for (int n = 0; ; n++) {
                    Socket s = door.accept();
                    s.setTcpNoDelay(true);
                    if (n < LANES) {
                        Thread t = new Thread(() -> serve(s), name + "-" + n);
                        t.setDaemon(true);
                        t.start();
                    } else {
                        s.close();
                    }
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }

        private void serve(Socket s) {
            Map<String, Integer> balance = new HashMap<>();
            try (Socket socket = s) {
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                OutputStream out = socket.getOutputStream();
                String plate;
                while ((plate = in.readLine()) != null) {
                    int cents = balance.merge(plate, -180, Integer::sum);
                    if (cents < -20000) {
                        balance.put(plate, 5000);
                    }
                    out.write((cents + "\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    static final class Cable {
        private final BufferedReader in;
        private final OutputStream out;

        Cable(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
            out = s.getOutputStream();
        }

        int charge(String plate) throws IOException {
            out.write((plate + "\n").getBytes(StandardCharsets.US_ASCII));
            return Integer.parseInt(in.readLine());
        }
    }

    static final class Lane {
        private final int[] ports;
        private final Cable[] cables;
        private int nearest;
        private long checked;

        Lane(int[] ports) throws IOException {
            this.ports = ports;
            cables = new Cable[ports.length];
            for (int i = 0; i < ports.length; i++) {
                cables[i] = new Cable(ports[i]);
            }
            checked = System.nanoTime() - 2_000_000_000L;
        }

        int pass(String plate) throws IOException {
            long now = System.nanoTime();
            if (!REVISED || now - checked > 1_000_000_000L) {
                nearest = select();
                checked = now;
            }
            return cables[nearest].charge(plate);
        }

        private int select() {
            int best = 0;
            long shortest = Long.MAX_VALUE;
            for (int i = 0; i < ports.length; i++) {
                long t = distance(ports[i]);
                if (t < shortest) {
                    shortest = t;
                    best = i;
                }
            }
            return best;
        }

        private long distance(int port) {
            long from = System.nanoTime();
            try (Socket s = new Socket()) {
                s.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
                return System.nanoTime() - from;
            } catch (IOException e) {
                return Long.MAX_VALUE;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        int[] ports = new int[3];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = new AccountNode("accounts-" + (char) ('a' + i)).port();
        }
        List<Lane> lanes = new ArrayList<>();
        for (int l = 0; l < LANES; l++) {
            lanes.add(new Lane(ports));
        }
        for (int l = 0; l < LANES; l++) {
            Lane lane = lanes.get(l);
            Random r = new Random(l);
            Thread t = new Thread(() -> {
                while (System.nanoTime() < end) {
                    String plate = "KX" + (1000 + r.nextInt(3000));
                    long from = System.nanoTime();
                    try {
                        lane.pass(plate);
                        NANOS.add(System.nanoTime() - from);
                        PASSED.increment();
                    } catch (IOException e) {
                        System.err.println(e);
                    }
                }
            }, "lane-" + l);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = PASSED.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d vehicles charged a second, mean %.0f us%n", n, n == 0 ? 0 : ns / 1e3 / n);
        }
    }
}
