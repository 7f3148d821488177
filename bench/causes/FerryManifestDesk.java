// SPDX-License-Identifier: Apache-2.0
// cause: ManifestFile.save rewrites the whole manifest (1 MB) in place for each passenger of a booking: new FileOutputStream has to empty the file whose last version is still on its way to the disk, and waits for the disk until that is written
// share: 73 to 90 % of a booking (13 to 80 ms, by what else uses the disk) is opening the file; by /proc/PID/task/*/schedstat, without lack of a CPU, 31 % (disk at rest, older setting of fewer counters) to 70 % of the wall time of the requests is sleep, waiting for the disk; the rest is CPU time of the same calls (0.3 CPUs)
// expect: waiting kind=file-write frame=FerryManifestDesk$ManifestFile.save | waiting kind=disk frame=FerryManifestDesk$ManifestFile.save | disk-wait frame=FerryManifestDesk$ManifestFile.save
// symptom: hot-calls waiting disk-wait
// judge: NAMED: waiting for the disk (kind disk, file-write or disk-wait) at ManifestFile.save (in FileOutputStream.open / <init>, write or close there), within the requests of BookingHandler.handle (/book), also named as Voyage.enter. SYMPTOM ONLY: CPU time of system calls that ManifestFile.save makes (hot-calls), that disks are waited for without any place, the clients' waiting for a server's answer at TicketCounter.book. WRONG: monitor of Voyage (each counter has its own voyage, nobody waits for it), BookingHandler.handle's or Voyage.seat's computing, the pool of the server, forced writing (nothing is forced), collections, threads (that threads lack a CPU where other processes use it is no error beside the cause)
// jdk: 8
// set: thirty-fifth
// jvm: -Xmx128m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Takes passengers on the voyages of a ferry line, and keeps a manifest of each voyage for the harbour police. */
public class FerryManifestDesk {
    static final LongAdder BOOKINGS = new LongAdder();
    static final LongAdder BOOKING_TIME = new LongAdder();
    static final LongAdder SAVES = new LongAdder();
    static final LongAdder OPEN_TIME = new LongAdder();
    static final LongAdder SAVE_TIME = new LongAdder();

    /** All records of a voyage's season, of equal length, in one file. */
    static final class ManifestFile {
        private static final int RECORD = 96;
        private static final int RECORDS = 11000;
        private final byte[] content = new byte[RECORD * RECORDS];
        private final File file;

        ManifestFile(String voyage) throws IOException {
            Arrays.fill(content, (byte) ' ');
            file = File.createTempFile("manifest-" + voyage, ".txt");
            file.deleteOnExit();
        }

        void put(int number, String passenger) {
            byte[] text = passenger.getBytes(StandardCharsets.UTF_8);
            int from = number % RECORDS * RECORD;
            Arrays.fill(content, from, from + RECORD - 1, (byte) ' ');
            System.arraycopy(text, 0, content, from, Math.min(text.length, RECORD - 1));
            content[from + RECORD - 1] = '\n';
        }

        void save() throws IOException {
            long begin = System.nanoTime();
            try (FileOutputStream out = new FileOutputStream(file)) {
                OPEN_TIME.add(System.nanoTime() - begin);
                out.write(content);
            }
            SAVE_TIME.add(System.nanoTime() - begin);
            SAVES.increment();
        }
    }

    static final class Voyage {
        private final ManifestFile manifest;
        private final int[] decks = new int[9];
        private int passengers;
        private boolean closed;

        Voyage(String name) throws IOException {
            manifest = new ManifestFile(name);
        }

        synchronized int enter(String party, int count) throws IOException {
            int last = 0;
            for (int i = 0; i < count && !closed; i++) {
                last = seat(party.hashCode() + i);
                manifest.put(passengers++, party + " " + (i + 1) + " of " + count + ", deck " + last);
                manifest.save();
            }
            return last;
        }

        synchronized void close() {
            closed = true;
            manifest.file.delete();
        }

        private int seat(int wish) {
            int best = 0;
            double least = Double.MAX_VALUE;
            for (int round = 0; round < 12; round++)
                for (int deck = 0; deck < decks.length; deck++) {
                    double full = decks[deck] / 1000.0 + Math.abs(Math.sin(wish + deck + round)) / 50;
                    if (full < least) {
                        least = full;
                        best = deck;
                    }
                }
            decks[best] = (decks[best] + 1) % 1000;
            return best;
        }
    }

    static final class BookingHandler implements HttpHandler {
        private final Voyage[] voyages;

        BookingHandler(Voyage[] voyages) {
            this.voyages = voyages;
        }

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            String[] query = exchange.getRequestURI().getQuery().split(",");
            int deck = voyages[Integer.parseInt(query[0])].enter(query[1], Integer.parseInt(query[2]));
            byte[] answer = ("deck " + deck).getBytes(StandardCharsets.UTF_8);
            BOOKING_TIME.add(System.nanoTime() - begin);
            BOOKINGS.increment();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        }
    }

    /** A counter in the harbour that sells tickets for one voyage. */
    static final class TicketCounter implements Runnable {
        private final int port;
        private final int voyage;

        TicketCounter(int port, int voyage) {
            this.port = port;
            this.voyage = voyage;
        }

        private int book() throws IOException {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            String party = "party" + Integer.toHexString(random.nextInt());
            URL url = new URL("http://127.0.0.1:" + port + "/book?" + voyage + "," + party + "," + random.nextInt(6, 13));
            HttpURLConnection link = (HttpURLConnection) url.openConnection();
            link.setReadTimeout(60000);
            try (InputStream in = link.getInputStream()) {
                int length = 0;
                while (in.read() >= 0)
                    length++;
                return length;
            }
        }

        @Override
        public void run() {
            while (true)
                try {
                    book();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(40, 80));
                } catch (IOException e) {
                    System.err.println("again: " + e);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
        Voyage[] voyages = new Voyage[6];
        for (int i = 0; i < voyages.length; i++)
            voyages[i] = new Voyage("V" + i);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            for (Voyage voyage : voyages)
                voyage.close();
        }));
        server.createContext("/book", new BookingHandler(voyages));
        final AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(10, new ThreadFactory() {
            @Override
            public Thread newThread(Runnable task) {
                return new Thread(task, "http-" + number.incrementAndGet());
            }
        });
        server.setExecutor(pool);
        server.start();
        for (int i = 0; i < voyages.length; i++)
            new Thread(new TicketCounter(server.getAddress().getPort(), i), "counter-" + i).start();
        for (int second = 0;; second++) {
            long bookings = BOOKINGS.sum(), time = BOOKING_TIME.sum(), open = OPEN_TIME.sum(), save = SAVE_TIME.sum(), saves = SAVES.sum();
            Thread.sleep(1000);
            bookings = BOOKINGS.sum() - bookings;
            time = BOOKING_TIME.sum() - time;
            open = OPEN_TIME.sum() - open;
            save = SAVE_TIME.sum() - save;
            saves = SAVES.sum() - saves;
            System.out.printf("measured: %d bookings, %.1f ms each; %d manifests saved, %.2f ms each, of which %.2f ms to open the file%n", bookings,
                time / 1e6 / Math.max(1, bookings), saves, save / 1e6 / Math.max(1, saves), open / 1e6 / Math.max(1, saves));
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
