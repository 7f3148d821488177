// SPDX-License-Identifier: Apache-2.0
// cause: workers of a pool ask carriers in a parallel stream, and its common pool has one thread for all of them
// expect: pool-busy pool=ForkJoinPool | waiting frame=FreightRates.rate | endpoint-wait frame=FreightRates.rate | waiting sequence=FreightRates.cheapest
// symptom: waiting endpoint-wait hot-code
// jdk: 17
// jvm: -Djava.util.concurrent.ForkJoinPool.common.parallelism=1
// set: eighth
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import wick.Scope;
import wick.Wick;

/** Twelve carriers answer after 12 ms each; four requests at a time share the common pool's thread and their own. */
public final class FreightRates {
    private static final List<Integer> CARRIERS = IntStream.range(0, 12).boxed().collect(Collectors.toList());
    private static final LongAdder ASKED = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder COUNT = new LongAdder();
    private static volatile int cents;

    private final int port;
    private final Map<Thread, Map<Integer, Socket>> sockets = new ConcurrentHashMap<>();
    private final ExecutorService desks = Executors.newFixedThreadPool(4, task -> new Thread(task, "desk"));

    private FreightRates(int port) {
        this.port = port;
    }

    private Socket socket(int carrier) {
        return sockets.computeIfAbsent(Thread.currentThread(), t -> new ConcurrentHashMap<>()).computeIfAbsent(carrier, c -> {
            try {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                return socket;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private int rate(int carrier, int weight) {
        long start = System.nanoTime();
        try {
            Socket socket = socket(carrier);
            new DataOutputStream(socket.getOutputStream()).writeInt(carrier * 1000 + weight);
            int answer = new DataInputStream(socket.getInputStream()).readInt();
            ASKED.add(System.nanoTime() - start);
            return answer;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private int cheapest(int weight) {
        return CARRIERS.parallelStream().mapToInt(carrier -> rate(carrier, weight)).min().orElse(0);
    }

    private void request(int weight) {
        long start = System.nanoTime();
        try (Scope request = Wick.span("GET /freight")) {
            cents = cheapest(weight);
        }
        ALL.add(System.nanoTime() - start);
        COUNT.increment();
    }

    private void clients() throws Exception {
        for (int i = 0; i < 4; i++) {
            int client = i;
            new Thread(() -> {
                try {
                    for (int weight = client;; weight = (weight + 7) % 500) {
                        int one = weight;
                        desks.submit(() -> request(one)).get();
                        Thread.sleep(20); // the next parcel
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "client-" + i).start();
        }
    }

    private static void answer(Socket socket) {
        try (DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                int question = in.readInt();
                Thread.sleep(12);
                out.writeInt(question * 31 & 0xfff);
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void carriers() throws IOException {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        Thread listener = new Thread(() -> {
            try {
                for (;;) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    new Thread(() -> answer(socket)).start();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        listener.start();
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            carriers();
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx24m", "-cp",
                System.getProperty("java.class.path"), "FreightRates", "carriers").start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        new FreightRates(port).clients();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: a request takes " + ALL.sum() / 1000000 / (COUNT.sum() + 1) + " ms, a carrier "
                    + ASKED.sum() / 1000000 / (12 * COUNT.sum() + 1) + " ms");
        }
    }
}
