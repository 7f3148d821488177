// SPDX-License-Identifier: Apache-2.0
// healthy: forty gates report at the same moment, once a second, by new connections: a burst that the listening socket's queue (backlog 128) holds with much room, and that a thread which only accepts empties at once; one more thread asks now and then whether the standby office is up, which is refused, as it is expected
// share: no queue overflows (the kernel's ListenOverflows does not grow by this program), connections take a few milliseconds at most; about 0.02 to 0.1 CPUs (see "measured")
// judge: NAMED: that nothing stands out (or that it does next to nothing). WRONG: any accusation: listen-overflow, slow accept, waiting for connections to be made or refused connections (ParkingGates$Gate.report, ParkingGates$Standby.up), making connections as a fault, the pool, waits for the office's answers. (If another program of the machine lets listening sockets overflow, a neutral mention of that is not counted.)
// jdk: 8
// set: thirty-fourth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class ParkingGates {
    static final int GATES = 40;
    static final LongAdder reports = new LongAdder(), connectNs = new LongAdder(), failed = new LongAdder(), refused = new LongAdder();
    static final AtomicLong worstConnectNs = new AtomicLong();

    /** Takes the reports of all gates. */
    static final class Office extends Thread {
        private final ServerSocket door;
        private final ExecutorService clerks = Executors.newFixedThreadPool(8, r -> {
            Thread t = new Thread(r, "clerk");
            t.setDaemon(true);
            return t;
        });
        final LongAdder cars = new LongAdder();

        Office() throws IOException {
            super("office-door");
            door = new ServerSocket(0, 128, InetAddress.getByName("127.0.0.1"));
            setDaemon(true);
        }

        InetSocketAddress address() {
            return new InetSocketAddress(door.getInetAddress(), door.getLocalPort());
        }

        @Override public void run() {
            while (true) {
                try {
                    Socket s = door.accept();
                    clerks.execute(() -> serve(s));
                } catch (IOException e) {
                    System.err.println("door: " + e);
                }
            }
        }

        private void serve(Socket socket) {
            try (Socket s = socket) {
                s.setSoTimeout(30000);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                String line = in.readLine();
                if (line == null) {
                    return;
                }
                String[] f = line.split(" ");
                cars.add(Integer.parseInt(f[1]));
                s.getOutputStream().write(("noted " + f[0] + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (IOException | NumberFormatException e) {
                System.err.println("office: " + e);
            }
        }
    }

    /** A gate counts its cars and reports the number at each full second. */
    static final class Gate extends Thread {
        private final int number;
        private final InetSocketAddress office;

        Gate(int number, InetSocketAddress office) {
            super("gate-" + number);
            this.number = number;
            this.office = office;
            setDaemon(true);
        }

        @Override public void run() {
            while (true) {
                try {
                    Thread.sleep(1000 - System.currentTimeMillis() % 1000);
                    report((number * 7 + (int) (System.currentTimeMillis() / 1000)) % 23);
                    reports.increment();
                } catch (IOException e) {
                    failed.increment();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void report(int cars) throws IOException {
            try (Socket s = new Socket()) {
                long from = System.nanoTime();
                s.connect(office, 20000);
                long took = System.nanoTime() - from;
                connectNs.add(took);
                worstConnectNs.accumulateAndGet(took, Math::max);
                s.setSoTimeout(30000);
                OutputStream out = s.getOutputStream();
                out.write(("G" + number + " " + cars + "\n").getBytes(StandardCharsets.US_ASCII));
                String answer = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII)).readLine();
                if (answer == null || !answer.startsWith("noted")) {
                    throw new IOException("answer " + answer);
                }
            }
        }
    }

    /** Looks whether the office of the next town, which takes over at night, is up. */
    static final class Standby extends Thread {
        private final InetSocketAddress address;

        Standby() throws IOException {
            super("standby");
            try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
                address = new InetSocketAddress(s.getInetAddress(), s.getLocalPort());
            }
            setDaemon(true);
        }

        @Override public void run() {
            try {
                while (true) {
                    if (!up()) {
                        refused.increment();
                    }
                    Thread.sleep(500);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private boolean up() {
            try (Socket s = new Socket()) {
                s.connect(address, 2000);
                return true;
            } catch (IOException e) {
                return false;
            }
        }
    }

    private static long overflows() {
        try {
            List<String> lines = Files.readAllLines(Paths.get("/proc/net/netstat"));
            String[] names = lines.get(0).split(" "), values = lines.get(1).split(" ");
            for (int i = 0; i < names.length; i++) {
                if (names[i].equals("ListenOverflows")) {
                    return Long.parseLong(values[i]);
                }
            }
        } catch (IOException | RuntimeException e) {
            return -1;
        }
        return -1;
    }

    public static void main(String[] args) throws Exception {
        Office office = new Office();
        office.start();
        for (int i = 0; i < GATES; i++) {
            new Gate(i, office.address()).start();
        }
        new Standby().start();
        while (reports.sum() < 3 * GATES) {
            Thread.sleep(100);
        }
        worstConnectNs.set(0);
        System.out.println("READY");
        System.out.flush();
        long before = overflows();
        while (true) {
            long r = reports.sum(), c = connectNs.sum();
            Thread.sleep(1000);
            long k = reports.sum() - r;
            System.out.printf(Locale.ROOT, "measured: %d reports, connecting takes %.2f ms, %.1f ms at most; %d failed; %d queue overflows in this network since READY; standby refused %d times%n",
                k, (connectNs.sum() - c) / 1e6 / Math.max(1, k), worstConnectNs.getAndSet(0) / 1e6, failed.sum(), overflows() - before, refused.sum());
        }
    }
}
