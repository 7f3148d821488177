// SPDX-License-Identifier: Apache-2.0
// healthy: each search asks a server seven times one after another (looks like answers that could be asked for at the same time), but each answer has the one-time reference without which the next office does not answer, and none is asked for twice
// share: medians of 1 s on a busy machine of 2 CPUs: 45 cases/s, 73.05 ms each, 0 not begun
// judge: any finding of trouble is WRONG (ask in parallel, N+1, cache), except neutral statements that it waits for answers of a server (if it should be less), at Search.ask
// jdk: 17
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class HeirSearch {
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder done = new LongAdder(), nanos = new LongAdder();

    /** The registry offices of a country: an entry is found on microfilm, and names the office of the generation before. */
    static final class Registry {
        final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        final Map<Long, Integer> references = new ConcurrentHashMap<>();
        final AtomicLong serial = new AtomicLong(1);

        Registry() throws IOException {
            Thread t = new Thread(this::accept, "registry-door");
            t.setDaemon(true);
            t.start();
        }

        void accept() {
            try {
                while (true) {
                    Socket s = door.accept();
                    s.setTcpNoDelay(true);
                    Thread t = new Thread(() -> serve(s), "registry-clerk");
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                return;
            }
        }

        void serve(Socket s) {
            Random random = new Random(s.getPort());
            try (s) {
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
                while (true) {
                    long reference = in.readLong();
                    Integer generation = reference == 0 ? (Integer) 0 : references.remove(reference);
                    if (generation == null) throw new IOException("no such reference");
                    Thread.sleep(6 + random.nextInt(9));
                    long next = serial.getAndIncrement();
                    if (generation < 6) references.put(next, generation + 1);
                    out.writeLong(generation < 6 ? next : -1);
                    out.writeUTF("entry " + next + ", born " + (2000 - 28 * generation - random.nextInt(9)));
                    out.flush();
                }
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }

    record Ancestor(long reference, String entry) {
    }

    static final class Search implements AutoCloseable {
        final Socket socket;
        final DataInputStream in;
        final DataOutputStream out;

        Search(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }

        Ancestor ask(long reference) throws IOException {
            out.writeLong(reference);
            out.flush();
            return new Ancestor(in.readLong(), in.readUTF());
        }

        List<String> line() throws IOException {
            List<String> line = new ArrayList<>();
            long reference = 0;
            while (reference >= 0) {
                Ancestor a = ask(reference);
                line.add(a.entry());
                reference = a.reference();
            }
            return line;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    static double likeness(List<String> line) {
        double sum = 0;
        for (int turn = 0; turn < 3000; turn++) {
            for (String e : line) sum += Math.sqrt(e.length() + e.charAt((turn + e.length()) % e.length()));
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Registry registry = new Registry();
        LinkedBlockingQueue<Long> cases = new LinkedBlockingQueue<>();
        for (int i = 0; i < 6; i++) {
            Thread t = new Thread(() -> {
                try (Search s = new Search(registry.door.getLocalPort())) {
                    while (true) {
                        long came = cases.take();
                        List<String> line = s.line();
                        if (line.size() != 7 || likeness(line) < 0) throw new IOException("line is not complete");
                        nanos.add(System.nanoTime() - came);
                        done.increment();
                    }
                } catch (IOException | InterruptedException e) {
                    e.printStackTrace();
                }
            }, "genealogist-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread mail = new Thread(() -> {
            Random r = new Random(8);
            try {
                while (true) {
                    Thread.sleep((long) (Math.min(90, -22 * Math.log(1 - r.nextDouble()))));
                    cases.put(System.nanoTime());
                }
            } catch (InterruptedException e) {
                return;
            }
        }, "mail");
        mail.setDaemon(true);
        mail.start();
        Thread.sleep(2000);
        System.out.println("READY");
        done.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d cases/s, %.1f ms each, %d not begun%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n), cases.size());
        }
    }
}
