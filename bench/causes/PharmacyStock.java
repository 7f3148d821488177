// SPDX-License-Identifier: Apache-2.0
// cause: Wholesaler.packs tries the first site (which has hung: it accepts no connections and its backlog is full) anew for each question, and waits in Wholesaler.open (Socket.connect) for the whole connect time-out of 150 ms before it asks the second site; it never remembers that the first one is down.
// share: 64 to 72 answers a second with a mean of 157 ms (faulty); 322 to 333 a second with a mean of 6.1 to 6.9 ms (fixed: a site that did not answer is left alone for 60 s)
// expect: waiting kind=connect frame=PharmacyStock$Wholesaler.open
// symptom: listen-overflow
// judge: NAMED: the tills wait for connecting at PharmacyStock$Wholesaler.open, called by packs, which ends by its time-out: the first site's listening socket takes no connections, and each question tries it again. Also right: connects that time out to an address whose listener does not accept (its queue is full), with that place. SYMPTOM ONLY: answers take 157 ms; a time-out is too long; listen queue overflows without the place that connects. WRONG: the second site or its workers (sleep of 5 ms) are slow, reading the answer is slow, DNS, the tills' own pause, a lack of threads, the backlog of the second site.
// jdk: 21
// set: thirtieth
// jvm:
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Tills of pharmacies ask a wholesaler for stock: it has two sites, of which either knows all articles. */
public class PharmacyStock {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;

    /** A site of the wholesaler: a line with an article's number is answered by the number of packs. */
    static final class Site {
        private final ServerSocket server;
        private final ExecutorService workers = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        });
        private final Map<Integer, Integer> packs = new ConcurrentHashMap<>();

        Site(int backlog) throws IOException {
            server = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
            for (int i = 0; i < 20_000; i++) packs.put(i, i * 7 % 31);
        }

        SocketAddress address() {
            return server.getLocalSocketAddress();
        }

        void serve() {
            Thread thread = new Thread(() -> {
                while (open) {
                    try {
                        Socket socket = server.accept();
                        workers.execute(() -> answer(socket));
                    } catch (IOException e) {
                        if (open) e.printStackTrace();
                    }
                }
            }, "site");
            thread.setDaemon(true);
            thread.start();
        }

        private void answer(Socket socket) {
            try (socket) {
                socket.setSoTimeout(2000);
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                String line = in.readLine();
                if (line == null) return;
                int article = Integer.parseInt(line.trim());
                Thread.sleep(5);
                socket.getOutputStream().write((packs.getOrDefault(article, 0) + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (IOException | InterruptedException e) {
                if (open) e.printStackTrace();
            }
        }
    }

    static final class Wholesaler {
        private static final int CONNECT_MILLIS = 150;
        private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);
        private final List<SocketAddress> sites;
        private final Map<SocketAddress, Long> resting = new ConcurrentHashMap<>();
        final LongAdder second = new LongAdder();

        Wholesaler(List<SocketAddress> sites) {
            this.sites = sites;
        }

        int packs(int article) throws IOException {
            IOException last = null;
            for (SocketAddress site : sites) {
                Long since = resting.get(site);
                if (since != null && System.nanoTime() - since < REST_NANOS) continue;
                try (Socket socket = open(site)) {
                    int packs = ask(socket, article);
                    if (site != sites.get(0)) second.increment();
                    return packs;
                } catch (SocketTimeoutException | ConnectException e) {
                    if (FIXED) resting.put(site, System.nanoTime());
                    last = e;
                }
            }
            throw last == null ? new IOException("no site") : last;
        }

        private Socket open(SocketAddress site) throws IOException {
            Socket socket = new Socket();
            try {
                socket.connect(site, CONNECT_MILLIS);
                socket.setSoTimeout(1000);
                return socket;
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        }

        private int ask(Socket socket, int article) throws IOException {
            socket.getOutputStream().write((article + "\n").getBytes(StandardCharsets.US_ASCII));
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
            if (line == null) throw new EOFException();
            return Integer.parseInt(line);
        }
    }

    public static void main(String[] args) throws Exception {
        Site north = new Site(1);
        Site south = new Site(200);
        south.serve();
        List<Socket> earlier = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Socket socket = new Socket();
            try {
                socket.connect(north.address(), 200);
                earlier.add(socket);
            } catch (SocketTimeoutException e) {
                socket.close();
                break;
            }
        }
        Wholesaler wholesaler = new Wholesaler(List.of(north.address(), south.address()));
        LongAdder asked = new LongAdder();
        LongAdder failed = new LongAdder();
        LongAdder nanos = new LongAdder();
        for (int i = 0; i < 12; i++) {
            int seed = i;
            Thread till = new Thread(() -> {
                Random random = new Random(seed);
                while (open) {
                    long begin = System.nanoTime();
                    try {
                        wholesaler.packs(random.nextInt(20_000));
                        asked.increment();
                        nanos.add(System.nanoTime() - begin);
                        Thread.sleep(20 + random.nextInt(20));
                    } catch (IOException e) {
                        failed.increment();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            }, "till-" + i);
            till.setDaemon(true);
            till.start();
        }
        System.out.println("READY");
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            long n = asked.sumThenReset();
            System.out.printf("measured: %d answers, mean %.1f ms, %d failed, %d by the second site%n", n, n == 0 ? 0.0 : nanos.sumThenReset() / 1e6 / n,
                    failed.sumThenReset(), wholesaler.second.sumThenReset());
        }
        open = false;
        for (Socket socket : earlier) socket.close();
    }
}
