// SPDX-License-Identifier: Apache-2.0
// cause: Registry.publish holds the read lock of Registry.lock while it sends the whole registry page by page to the port authority and waits 25 ms for each acknowledgement (about 400 ms a report); as soon as the gauges thread queues for the write lock (Registry.tide), every pilot that calls Registry.find waits for the read lock until the report is done, though only readers hold it.
// share: 300 to 400 berths found a second with a mean of 27 to 31 ms (faulty); 2400 to 2490 a second with a mean of 0.01 ms (fixed: publish copies the list under the lock and sends it without)
// expect: waiting frame=HarbourBerths$Authority.send via=a_read_lock | waiting kind=read-lock chain=HarbourBerths$Authority.send
// symptom: waiting lock-contention
// judge: NAMED: threads wait for the read lock in HarbourBerths$Registry.find (and for the write lock in tide) because Registry.publish (pages, Authority.send) keeps the read lock during its socket round trips. SYMPTOM ONLY: waits for the read lock at Registry.find or the write lock at Registry.tide without publish; the socket read in Authority.send without the lock. WRONG: the search in find is slow, tide holds the write lock for long, too few threads, the authority's sleep as a cause of its own, the pauses of pilots, gauges or occupancy, collections.
// jdk: 17
// set: thirtieth
// jvm:
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.*;

/** Berth planning of a harbour: pilots ask for berths, tide gauges update them, and the port authority gets the occupancy. */
public class HarbourBerths {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;

    static final class Berth {
        final int number;
        final int length;
        volatile double depth;
        volatile String ship = "";
        Berth(int number, int length, double depth) {
            this.number = number;
            this.length = length;
            this.depth = depth;
        }
    }

    static final class Registry {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final TreeMap<Integer, Berth> berths = new TreeMap<>();

        Registry(int count) {
            Random random = new Random(11);
            for (int i = 0; i < count; i++) berths.put(i, new Berth(i, 80 + random.nextInt(300), 6 + random.nextInt(12)));
        }

        int find(int length, double draught) {
            lock.readLock().lock();
            try {
                int best = -1;
                int spare = Integer.MAX_VALUE;
                for (Berth berth : berths.values()) {
                    int over = berth.length - length;
                    if (over >= 0 && over < spare && berth.depth >= draught) {
                        spare = over;
                        best = berth.number;
                    }
                }
                return best;
            } finally {
                lock.readLock().unlock();
            }
        }

        void tide(int number, double depth) {
            lock.writeLock().lock();
            try {
                Berth berth = berths.get(number);
                if (berth != null) berth.depth = depth;
            } finally {
                lock.writeLock().unlock();
            }
        }

        int publish(Authority authority) throws IOException {
            if (FIXED) {
                List<Berth> all;
                lock.readLock().lock();
                try {
                    all = new ArrayList<>(berths.values());
                } finally {
                    lock.readLock().unlock();
                }
                return pages(all, authority);
            }
            lock.readLock().lock();
            try {
                return pages(berths.values(), authority);
            } finally {
                lock.readLock().unlock();
            }
        }

        private int pages(Collection<Berth> all, Authority authority) throws IOException {
            StringBuilder page = new StringBuilder();
            int rows = 0;
            int pages = 0;
            for (Berth berth : all) {
                page.append(berth.number).append(' ').append(berth.length).append(' ').append(berth.depth).append(';');
                if (++rows % 50 == 0) {
                    authority.send(page.toString());
                    page.setLength(0);
                    pages++;
                }
            }
            return pages;
        }
    }

    /** The connection to the port authority, which acknowledges each page. */
    static final class Authority implements Closeable {
        private final Socket socket;
        private final BufferedWriter out;
        private final BufferedReader in;

        Authority(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        void send(String page) throws IOException {
            out.write(page);
            out.write('\n');
            out.flush();
            if (!"ok".equals(in.readLine())) throw new IOException("page refused");
        }

        @Override public void close() throws IOException {
            socket.close();
        }
    }

    static void authority(ServerSocket server) {
        try (Socket socket = server.accept()) {
            socket.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            OutputStream out = socket.getOutputStream();
            long rows = 0;
            for (String line; (line = in.readLine()) != null; ) {
                rows += line.chars().filter(c -> c == ';').count();
                Thread.sleep(25);
                out.write("ok\n".getBytes(StandardCharsets.UTF_8));
            }
            if (rows < 0) throw new IllegalStateException();
        } catch (IOException | InterruptedException e) {
            if (open) e.printStackTrace();
        }
    }

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Registry registry = new Registry(800);
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("authority", () -> authority(server));
        Authority authority = new Authority(server.getLocalPort());
        LongAdder asked = new LongAdder();
        LongAdder nanos = new LongAdder();
        LongAdder published = new LongAdder();
        for (int i = 0; i < 10; i++)
            start("pilot-" + i, () -> {
                ThreadLocalRandom random = ThreadLocalRandom.current();
                while (open) {
                    long begin = System.nanoTime();
                    registry.find(80 + random.nextInt(280), 5 + random.nextInt(10));
                    nanos.add(System.nanoTime() - begin);
                    asked.increment();
                    pause(4);
                }
            });
        start("gauges", () -> {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            while (open) {
                registry.tide(random.nextInt(800), 6 + random.nextDouble() * 12);
                pause(6);
            }
        });
        start("occupancy", () -> {
            try {
                while (open) {
                    registry.publish(authority);
                    published.increment();
                    pause(60);
                }
            } catch (IOException e) {
                if (open) e.printStackTrace();
            }
        });
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            long n = asked.sumThenReset();
            long t = nanos.sumThenReset();
            System.out.printf("measured: %d berths found, mean %.2f ms, %d reports%n", n, n == 0 ? 0 : t / 1e6 / n, published.sumThenReset());
        }
        open = false;
        authority.close();
        server.close();
    }
}
