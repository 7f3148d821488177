// SPDX-License-Identifier: Apache-2.0
// cause: senders pool has core 2, max 32 and an unbounded queue, so it never grows beyond 2 threads
// expect: pool-busy pool=sender
// symptom: waiting
// share: 160 pushes/s, mean 147 ms (134 ms of it queued); fixed: 1600/s, mean 12.3 ms
// judge: right: PushSender.senders(): ThreadPoolExecutor core size 2 + unbounded LinkedBlockingQueue, max 32 not used
// judge: symptom: requests wait in the pool's queue; campaign threads wait in FutureTask.get; senders read
// judge: wrong: the provider (sleep of the simulated gateway) is to blame; a lock; CPU; GC; too many threads
// jdk: 17
// set: fourteenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PushSender {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    record Device(String token, String locale, boolean silent) {}
    record Receipt(boolean accepted, String id) {}

    /** Stands for the phone maker's push gateway: answers after 12 ms. */
    static void provider(ServerSocket server) {
        for (int n = 0; ; n++) {
            try {
                Socket s = server.accept();
                s.setTcpNoDelay(true);
                Thread t = new Thread(() -> {
                    try (DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()))) {
                        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
                        while (true) {
                            String message = in.readUTF();
                            Thread.sleep(12);
                            String id = Integer.toHexString(message.hashCode());
                            out.writeUTF(message.length() % 97 == 0 ? "GONE" : "OK " + id);
                            out.flush();
                        }
                    } catch (Exception e) { /* closed */ }
                }, "sim-provider-" + n);
                t.setDaemon(true);
                t.start();
            } catch (IOException e) { return; }
        }
    }

    static final class Connection {
        final DataInputStream in; final DataOutputStream out;
        Connection(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }
        Receipt push(String payload) throws IOException {
            out.writeUTF(payload);
            out.flush();
            String answer = in.readUTF();
            return new Receipt(answer.startsWith("OK"), answer.substring(Math.min(3, answer.length())));
        }
    }

    final int providerPort;
    final ThreadLocal<Connection> connection;
    final ExecutorService senders = senders();
    final Map<String, AtomicInteger> badge = new ConcurrentHashMap<>();
    final Set<String> gone = ConcurrentHashMap.newKeySet();
    final LongAdder sent = new LongAdder(), nanos = new LongAdder(), queued = new LongAdder();

    PushSender(int port) {
        providerPort = port;
        connection = ThreadLocal.withInitial(() -> {
            try { return new Connection(providerPort); } catch (IOException e) { throw new UncheckedIOException(e); }
        });
    }

    static ExecutorService senders() {
        AtomicInteger n = new AtomicInteger();
        ThreadFactory factory = r -> new Thread(r, "sender-" + n.incrementAndGet());
        int core = FIXED ? 32 : 2;
        return new ThreadPoolExecutor(core, 32, 60, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    }

    String payload(Device d, String text) {
        int count = badge.computeIfAbsent(d.token, k -> new AtomicInteger()).incrementAndGet();
        StringBuilder b = new StringBuilder(200);
        b.append("{\"to\":\"").append(d.token).append("\",\"aps\":{\"badge\":").append(count);
        if (!d.silent) b.append(",\"sound\":\"chime\"");
        b.append(",\"alert\":\"");
        for (char c : text.toCharArray()) if (c == '"' || c == '\\') b.append('\\').append(c); else b.append(c);
        return b.append("\",\"loc\":\"").append(d.locale).append("\"}}").toString();
    }

    Receipt send(Device d, String text) throws Exception {
        long t = System.nanoTime();
        Future<Receipt> f = senders.submit(() -> {
            queued.add(System.nanoTime() - t);
            Receipt r = connection.get().push(payload(d, text));
            if (!r.accepted) gone.add(d.token);
            return r;
        });
        Receipt r = f.get();
        nanos.add(System.nanoTime() - t);
        sent.increment();
        return r;
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread sim = new Thread(() -> provider(server), "sim-provider-accept");
        sim.setDaemon(true);
        sim.start();
        PushSender push = new PushSender(server.getLocalPort());
        List<Device> devices = new ArrayList<>();
        Random r = new Random(11);
        for (int i = 0; i < 5000; i++)
            devices.add(new Device(Long.toHexString(r.nextLong()) + Long.toHexString(r.nextLong()),
                    i % 3 == 0 ? "de" : "en", i % 9 == 0));
        for (int c = 0; c < 24; c++) {
            int seed = c;
            new Thread(() -> {
                Random pick = new Random(seed);
                while (true) {
                    try {
                        Device d = devices.get(pick.nextInt(devices.size()));
                        push.send(d, "Your \"order\" " + pick.nextInt(100000) + " is on its way");
                        Thread.sleep(pick.nextInt(6));
                    } catch (Exception e) { System.err.println("campaign: " + e); }
                }
            }, "campaign-" + c).start();
        }
        ScheduledExecutorService house = Executors.newScheduledThreadPool(1, x -> new Thread(x, "housekeeping"));
        house.scheduleWithFixedDelay(() -> { push.gone.forEach(push.badge::remove); push.gone.clear(); }, 2, 2,
                TimeUnit.SECONDS);
        Thread.sleep(1500);
        System.out.println("READY");
        for (long s0 = push.sent.sum(), n0 = push.nanos.sum(), q0 = push.queued.sum(); ; ) {
            Thread.sleep(1000);
            long s = push.sent.sum(), n = push.nanos.sum(), q = push.queued.sum();
            System.out.printf(Locale.ROOT, "measured: %d pushes/s, mean %.1f ms, of it before sending %.1f ms%n",
                    s - s0,
                    (n - n0) / 1e6 / Math.max(1, s - s0), (q - q0) / 1e6 / Math.max(1, s - s0));
            s0 = s; n0 = n; q0 = q;
        }
    }
}
