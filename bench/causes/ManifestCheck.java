// SPDX-License-Identifier: Apache-2.0
// cause: ManifestCheck$CustomsLine.status asks the customs registry (another process) for each container by itself and waits for the answer, some 25 ms, before ManifestCheck$Inspector.inspect asks for the next one of the manifest; the inspectors do next to nothing else
// share: asking takes 99 to 100 % of the 6 inspectors' time, 240 answers a second of 25 ms each; about 0.02 CPUs used
// expect: waiting kind=socket frame=ManifestCheck$CustomsLine.status
// symptom: waiting
// judge: NAMED: waiting for answers of a server (socket read, reply of the registry) at ManifestCheck$CustomsLine.status, with or without "one after another" in Inspector.inspect. SYMPTOM ONLY: Inspector.inspect or run is slow or "waits" without what for; "nothing stands out, but threads wait for a socket". WRONG: Nagle's algorithm or held back data, connecting, locks, CPU, parsing, the process or its start, a pool too small, anything else
// jdk: 25
// set: thirty-second
// jvm: -Xmx192m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Checks ships' manifests at a port: each container's status is known to the customs registry. */
public class ManifestCheck {
    static final int INSPECTORS = 6;

    static final AtomicLong manifests = new AtomicLong();
    static final AtomicLong answers = new AtomicLong();
    static final AtomicLong askingNs = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(100);

    record Container(String number, int weight, String goods) {
        boolean wellFormed() {
            int sum = 0;
            for (int i = 0; i < 10; i++) {
                char c = number.charAt(i);
                int value = c >= 'A' ? c - 'A' + 10 + (c - 'A' + 9) / 10 : c - '0';
                sum += value << i;
            }
            return sum % 11 % 10 >= 0 && weight < 32_500;
        }
    }

    record Manifest(String ship, List<Container> containers) {
    }

    static final class CustomsLine {
        private final Socket socket;
        private final OutputStream out;
        private final BufferedReader in;

        CustomsLine(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            out = socket.getOutputStream();
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }

        String status(String container) throws IOException {
            long start = System.nanoTime();
            out.write(("STATUS " + container + "\n").getBytes(StandardCharsets.US_ASCII));
            String answer = in.readLine();
            askingNs.addAndGet(System.nanoTime() - start);
            answers.incrementAndGet();
            warm.countDown();
            if (answer == null) throw new IOException("registry closed");
            return answer.substring(answer.indexOf(' ') + 1);
        }
    }

    static final class Inspector implements Runnable {
        private final CustomsLine line;
        private final Random random;

        Inspector(CustomsLine line, int seed) {
            this.line = line;
            this.random = new Random(seed);
        }

        private Manifest nextManifest() {
            List<Container> containers = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                StringBuilder number = new StringBuilder("MSKU");
                for (int d = 0; d < 7; d++) number.append((char) ('0' + random.nextInt(10)));
                containers.add(new Container(number.toString(), 2000 + random.nextInt(30_000), "HS" + random.nextInt(9999)));
            }
            return new Manifest("ship-" + random.nextInt(500), containers);
        }

        private int inspect(Manifest manifest) throws IOException {
            int held = 0;
            for (Container container : manifest.containers()) {
                if (!container.wellFormed()) {
                    held++;
                    continue;
                }
                if (!line.status(container.number()).equals("FREE")) held++;
            }
            return held;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    inspect(nextManifest());
                    manifests.incrementAndGet();
                }
            } catch (IOException e) {
                System.out.println("inspector off duty: " + e);
            }
        }
    }

    /** The registry, a process of its own, which ends with the check. */
    static final class Registry {
        public static void main(String[] args) throws Exception {
            ServerSocket door = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
            System.out.println(door.getLocalPort());
            Thread acceptor = new Thread(() -> {
                try {
                    while (true) {
                        Socket client = door.accept();
                        Thread clerk = new Thread(() -> answer(client));
                        clerk.setDaemon(true);
                        clerk.start();
                    }
                } catch (IOException e) {
                    Runtime.getRuntime().halt(1);
                }
            });
            acceptor.setDaemon(true);
            acceptor.start();
            while (System.in.read() >= 0) { }
            Runtime.getRuntime().halt(0);
        }

        static void answer(Socket client) {
            Random random = new Random();
            try {
                client.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
                OutputStream out = client.getOutputStream();
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    Thread.sleep(18 + random.nextInt(14));
                    String reply = line.substring(7) + (line.hashCode() % 20 == 0 ? " HELD\n" : " FREE\n");
                    out.write(reply.getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException e) {
                // the client has left
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Process registry = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx32m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), Registry.class.getName()))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(registry.getInputStream())).readLine().trim());
        for (int i = 0; i < INSPECTORS; i++) new Thread(new Inspector(new CustomsLine(port), i), "inspector-" + i).start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        long last = System.nanoTime(), done = manifests.get(), count = answers.get(), asking = askingNs.get();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), m = manifests.get(), c = answers.get(), a = askingNs.get();
            System.out.printf("measured: %d manifests, %d answers of %.1f ms; asking took %.0f %% of the inspectors' time%n",
                m - done, c - count, (a - asking) / 1e6 / Math.max(1, c - count), 100.0 * (a - asking) / (now - last) / INSPECTORS);
            last = now; done = m; count = c; asking = a;
        }
    }
}
