// SPDX-License-Identifier: Apache-2.0
// cause: KitchenPass$Station.isUp opens (and closes) a connection to the station's printer to see whether it answers; KitchenPass$Pass.pick does so for all twelve stations for each line of each order, though tickets then go over a connection that is kept
// share: 0.30 CPUs of the 0.31 used, for 7200 connections a second (a ticket itself costs next to nothing)
// expect: hot-code what=connections frame=KitchenPass$
// symptom: hot-code hot-calls
// judge: NAMED: connecting (opening sockets, Socket.connect, making and closing connections) for KitchenPass$Station.isUp, or for its callers Pass.pick / Pass.serve with connecting said. SYMPTOM ONLY: hot-calls or hot-method that says only that CPU time is in what isUp calls, or in system calls or the kernel, without connecting; many ports in TIME_WAIT. WRONG: formatting of tickets, building strings, writing tickets (Station.print), exceptions, waiting for the stations, a slow server, anything else
// jdk: 8
// set: thirty-second
// jvm: -Xmx192m
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** The pass of a large kitchen: routes the lines of orders to the ticket printers of its stations. */
public class KitchenPass {
    static final int STATIONS = 12;

    static final AtomicLong orders = new AtomicLong();
    static final AtomicLong checks = new AtomicLong();
    static final AtomicLong pickingCpu = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(60);

    static final class Line {
        final int table;
        final String dish;
        final int course;

        Line(int table, String dish, int course) {
            this.table = table;
            this.dish = dish;
            this.course = course;
        }
    }

    static final class Station {
        final int number;
        private final InetSocketAddress address;
        private final OutputStream paper;
        private int printed;

        Station(int number, int port) throws IOException {
            this.number = number;
            this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            Socket kept = new Socket(address.getAddress(), port);
            this.paper = new BufferedOutputStream(kept.getOutputStream(), 4096);
        }

        boolean isUp() {
            checks.incrementAndGet();
            try (Socket probe = new Socket()) {
                probe.setSoLinger(true, 0);
                probe.connect(address, 2000);
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        int load(int course) {
            return (number + course) % STATIONS;
        }

        synchronized void print(Line line) throws IOException {
            String ticket = "table " + line.table + "  course " + line.course + "  " + line.dish + '\n';
            paper.write(ticket.getBytes(StandardCharsets.UTF_8));
            if (++printed % 8 == 0) paper.flush();
        }
    }

    static final class Pass implements Runnable {
        private static final String[] DISHES = {"sole meuniere", "rack of lamb", "gnocchi", "beet salad", "lemon tart", "duck leg"};
        private final List<Station> stations;
        private final Random random;

        Pass(List<Station> stations, int seed) {
            this.stations = stations;
            this.random = new Random(seed);
        }

        private List<Line> nextOrder() {
            List<Line> lines = new ArrayList<>();
            int table = 1 + random.nextInt(80);
            for (int i = 0; i < 3; i++) lines.add(new Line(table, DISHES[random.nextInt(DISHES.length)], i));
            return lines;
        }

        private Station pick(int course) {
            Station best = null;
            for (Station station : stations) {
                if (station.isUp() && (best == null || station.load(course) < best.load(course))) best = station;
            }
            return best;
        }

        private void serve(List<Line> order) throws IOException {
            for (Line line : order) {
                Station station = pick(line.course);
                if (station != null) station.print(line);
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long start = System.nanoTime();
                    long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                    serve(nextOrder());
                    pickingCpu.addAndGet(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu);
                    orders.incrementAndGet();
                    warm.countDown();
                    long rest = 9 - (System.nanoTime() - start) / 1_000_000;
                    Thread.sleep(Math.max(1, rest));
                }
            } catch (IOException e) {
                System.out.println("pass closed: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The printers of the stations, a process of their own, which ends with the pass. */
    static final class Printers {
        public static void main(String[] args) throws Exception {
            StringBuilder ports = new StringBuilder();
            for (int i = 0; i < STATIONS; i++) {
                ServerSocket door = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
                ports.append(door.getLocalPort()).append(' ');
                Thread clerk = new Thread(() -> take(door), "printer-" + i);
                clerk.setDaemon(true);
                clerk.start();
            }
            System.out.println(ports);
            while (System.in.read() >= 0) { }
            Runtime.getRuntime().halt(0);
        }

        static void take(ServerSocket door) {
            boolean first = true;
            while (true) {
                try {
                    Socket client = door.accept();
                    if (first) {
                        first = false;
                        Thread feed = new Thread(() -> feed(client));
                        feed.setDaemon(true);
                        feed.start();
                    } else {
                        client.close();
                    }
                } catch (IOException e) {
                    // gone already
                }
            }
        }

        static void feed(Socket client) {
            byte[] paper = new byte[8192];
            try {
                while (client.getInputStream().read(paper) >= 0) { }
            } catch (IOException e) {
                // out of paper
            }
        }
    }

    static long processCpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] args) throws Exception {
        Process printers = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx32m", "-XX:+UseSerialGC",
            "-cp", System.getProperty("java.class.path"), Printers.class.getName()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String[] ports = new BufferedReader(new InputStreamReader(printers.getInputStream())).readLine().trim().split(" ");
        List<Station> stations = new ArrayList<>();
        for (int i = 0; i < STATIONS; i++) stations.add(new Station(i, Integer.parseInt(ports[i])));
        for (int i = 0; i < 2; i++) new Thread(new Pass(stations, i), "pass-" + i).start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        long last = System.nanoTime(), count = orders.get(), asked = checks.get(), picking = pickingCpu.get(), cpu = processCpu();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), c = orders.get(), a = checks.get(), p = pickingCpu.get(), u = processCpu();
            System.out.printf("measured: %d orders, %d stations looked for; serving took %.2f CPUs of the %.2f used%n",
                c - count, a - asked, (double) (p - picking) / (now - last), (double) (u - cpu) / (now - last));
            last = now; count = c; asked = a; picking = p; cpu = u;
        }
    }
}
