// SPDX-License-Identifier: Apache-2.0
// healthy: a catalogue service with an inverted index in memory; a pool with threads to spare answers in well below a millisecond, clients pause between requests, nothing grows, no lock is held for long
// share: 0.1 to 0.4 CPUs of 2; p50 about 0.1 ms, p99 0.2 to 3 ms on an idle machine; no request fails
// judge: right: nothing stands out, or only neutral statements of where time goes (computing in Catalogue.search, Page.render, hot calls). WRONG: any accusation (a fault of the program, the JVM or the machine other than CPUs taken by other processes).
// jdk: 21
// set: thirty-third
// jvm: -Xmx256m
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class LibraryCatalogue {

    record Book(int id, String title, String author, int year) { }

    static final class Catalogue {
        private static final String[] WORDS = ("sea night river garden stone winter letters house silent road glass summer island "
            + "clock paper mountain shadow orchard bridge harbour lantern fox history music bread").split(" ");
        private final Map<String, int[]> index = new HashMap<>();
        private final List<Book> titles = new ArrayList<>();

        Catalogue(int n) {
            Random random = new Random(7);
            Map<String, List<Integer>> lists = new TreeMap<>();
            for (int id = 0; id < n; id++) {
                StringJoiner title = new StringJoiner(" ");
                Set<String> words = new LinkedHashSet<>();
                for (int i = 0; i < 4; i++)
                    words.add(WORDS[random.nextInt(WORDS.length)] + (random.nextInt(3) == 0 ? "s" : ""));
                for (String w : words) {
                    title.add(w);
                    lists.computeIfAbsent(w, k -> new ArrayList<>()).add(id);
                }
                titles.add(new Book(id, title.toString(), "Author " + random.nextInt(900), 1900 + random.nextInt(120)));
            }
            lists.forEach((w, l) -> index.put(w, l.stream().mapToInt(Integer::intValue).toArray()));
        }

        List<Book> search(String a, String b, int limit) {
            int[] x = index.getOrDefault(a, new int[0]), y = index.getOrDefault(b, new int[0]);
            List<Book> found = new ArrayList<>();
            for (int i = 0, j = 0; i < x.length && j < y.length && found.size() < limit;) {
                if (x[i] == y[j]) {
                    found.add(titles.get(x[i]));
                    i++;
                    j++;
                } else if (x[i] < y[j]) {
                    i++;
                } else {
                    j++;
                }
            }
            found.sort(Comparator.comparingInt(Book::year).thenComparing(Book::title));
            return found;
        }
    }

    static final class Page {
        static String render(List<Book> titles) {
            StringBuilder b = new StringBuilder(64 + titles.size() * 90).append('[');
            for (Book k : titles)
                b.append(b.length() > 1 ? "," : "").append("{\"id\":").append(k.id()).append(",\"title\":\"").append(k.title())
                    .append("\",\"author\":\"").append(k.author()).append("\",\"year\":").append(k.year()).append('}');
            return b.append(']').toString();
        }
    }

    /** One line asks, one line answers; a connection is kept by its client. */
    static final class Service {
        final ServerSocket door;
        final Catalogue catalogue = new Catalogue(30_000);
        final ExecutorService readers = Executors.newCachedThreadPool(named("reader"));

        Service() throws IOException {
            door = new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1"));
            named("door").newThread(this::accept).start();
        }

        void accept() {
            for (;;) {
                try {
                    Socket s = door.accept();
                    readers.execute(() -> serve(s));
                } catch (IOException e) {
                    System.err.println("door: " + e);
                }
            }
        }

        void serve(Socket socket) {
            try (Socket s = socket;
                 BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
                 BufferedOutputStream out = new BufferedOutputStream(s.getOutputStream(), 16384)) {
                s.setTcpNoDelay(true);
                for (String line; (line = in.readLine()) != null;) {
                    String[] words = line.split(" ");
                    String page = Page.render(catalogue.search(words[0], words[1], 60));
                    out.write(page.getBytes(StandardCharsets.UTF_8));
                    out.write('\n');
                    out.flush();
                }
            } catch (IOException e) {
                // gone
            }
        }
    }

    static ThreadFactory named(String name) {
        AtomicInteger n = new AtomicInteger();
        return r -> {
            Thread t = new Thread(r, name + "-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        };
    }

    static final class Visitor implements Runnable {
        final int port;
        final Random random;
        final Queue<Long> latencies;

        Visitor(int id, int port, Queue<Long> latencies) {
            this.port = port;
            this.latencies = latencies;
            random = new Random(id);
        }

        String word() {
            return Catalogue.WORDS[random.nextInt(Catalogue.WORDS.length)];
        }

        @Override
        public void run() {
            try (Socket s = new Socket("127.0.0.1", port)) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
                OutputStream out = s.getOutputStream();
                for (;;) {
                    Thread.sleep(2 + random.nextInt(8));
                    long t = System.nanoTime();
                    out.write((word() + ' ' + word() + '\n').getBytes(StandardCharsets.UTF_8));
                    if (in.readLine() == null)
                        return;
                    latencies.add(System.nanoTime() - t);
                }
            } catch (IOException e) {
                System.err.println("visitor: " + e);
            } catch (InterruptedException e) {
                // goes home
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Service service = new Service();
        Queue<Long> latencies = new ConcurrentLinkedQueue<>();
        ThreadFactory visitors = named("visitor");
        for (int i = 0; i < 10; i++)
            visitors.newThread(new Visitor(i, service.door.getLocalPort(), latencies)).start();
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            List<Long> l = new ArrayList<>();
            for (Long x; (x = latencies.poll()) != null;)
                l.add(x);
            Collections.sort(l);
            System.out.printf("measured: %d requests, p50 %.2f ms, p99 %.2f ms%n", l.size(),
                l.isEmpty() ? 0 : l.get(l.size() / 2) / 1e6, l.isEmpty() ? 0 : l.get(l.size() * 99 / 100) / 1e6);
            if (second == 5) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
