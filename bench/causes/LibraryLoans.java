// SPDX-License-Identifier: Apache-2.0
// healthy: a virtual thread for each request, which waits 5 to 15 ms for the central catalogue on sockets of its own, without a monitor, and computes some hundredths of a millisecond; carriers are free most of the time
// share: 10.6 ms a request, of it 10.3 ms for the catalogue, which takes 5 to 15 ms; 0.03 ms computing; 0.2 CPUs
// judge: RIGHT: nothing stands out, or a neutral statement that requests wait for the catalogue's answers (LibraryLoans$CatalogueClient.title). WRONG: any accusation: pinned virtual threads, lack of carriers, locks or semaphores, too few connections, Nagle, CPU, collections, the sleep in Catalogue.serve (which stands for the distance) as a fault, thread locals
// jdk: 21
// set: thirty-second
// jvm: -Xmx256m

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Loan desk of a town library: readers' terminals ask it over sockets, and it asks the central catalogue. */
public class LibraryLoans {

    static final LongAdder REQUESTS = new LongAdder();
    static final LongAdder REQUEST_NS = new LongAdder();
    static final LongAdder CATALOGUE_NS = new LongAdder();
    static final LongAdder COMPUTE_NS = new LongAdder();

    /** A line to the other side and one back. */
    static final class Line implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;

        Line(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            this.socket = socket;
            this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8), 1024);
        }

        static Line to(int port) throws IOException {
            return new Line(new Socket(InetAddress.getByName("127.0.0.1"), port));
        }

        String read() throws IOException {
            return in.readLine();
        }

        void write(String text) throws IOException {
            socket.getOutputStream().write((text + "\n").getBytes(StandardCharsets.UTF_8));
        }

        String ask(String question) throws IOException {
            write(question);
            String answer = read();
            if (answer == null)
                throw new IOException("closed");
            return answer;
        }

        @Override public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                System.err.println("close: " + e);
            }
        }
    }

    interface Service {
        void serve(Line line) throws IOException, InterruptedException;
    }

    static int listen(String name, ExecutorService threads, Service service) throws IOException {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
        Thread.ofPlatform().name(name).start(() -> {
            while (true) {
                try {
                    Line line = new Line(server.accept());
                    threads.submit(() -> {
                        try (line) {
                            service.serve(line);
                        } catch (IOException | InterruptedException e) {
                            System.err.println(name + ": " + e);
                        }
                    });
                } catch (IOException e) {
                    System.err.println(name + ": " + e);
                }
            }
        });
        return server.getLocalPort();
    }

    static final class Catalogue {
        void serve(Line line) throws IOException, InterruptedException {
            for (String isbn; (isbn = line.read()) != null; ) {
                Thread.sleep(ThreadLocalRandom.current().nextInt(5, 16));
                line.write("title of " + isbn + ";" + (isbn.hashCode() & 0xFF));
            }
        }
    }

    static final class CatalogueClient {
        private final int port;
        private final ConcurrentLinkedDeque<Line> idle = new ConcurrentLinkedDeque<>();

        CatalogueClient(int port) {
            this.port = port;
        }

        String title(String isbn) throws IOException {
            Line line = idle.poll();
            if (line == null)
                line = Line.to(port);
            long from = System.nanoTime();
            String title = line.ask(isbn);
            CATALOGUE_NS.add(System.nanoTime() - from);
            idle.push(line);
            return title;
        }
    }

    static final class LoanDesk {
        private final CatalogueClient catalogue;
        private final ExecutorService perRequest = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("request-", 0).factory());
        private final Map<String, String> loans = new ConcurrentHashMap<>();

        LoanDesk(CatalogueClient catalogue) {
            this.catalogue = catalogue;
        }

        void serve(Line line) throws IOException {
            for (String request; (request = line.read()) != null; ) {
                String question = request;
                perRequest.submit(() -> {
                    try {
                        loan(line, question);
                    } catch (IOException e) {
                        System.err.println("request: " + e);
                        line.close();
                    }
                });
            }
        }

        private void loan(Line line, String request) throws IOException {
            String[] part = request.split(" ");
            String title = catalogue.title(part[1]);
            long from = System.nanoTime();
            String shelf = shelf(title);
            loans.merge(part[0], part[1], (before, now) -> now);
            COMPUTE_NS.add(System.nanoTime() - from);
            line.write(title + ";" + shelf + ";" + loans.size());
        }

        private String shelf(String title) {
            long mark = 7;
            for (int round = 0; round < 900; round++)
                for (int i = 0; i < title.length(); i++)
                    mark = mark * 31 + title.charAt(i) * round;
            return Long.toString(mark & 0xFFFF, 36);
        }
    }

    static void terminal(int port, int number) {
        Random readers = new Random(number);
        while (true) {
            try (Line line = Line.to(port)) {
                while (true) {
                    long from = System.nanoTime();
                    line.ask("reader" + readers.nextInt(3000) + " 978" + (100_000 + readers.nextInt(800_000)));
                    REQUEST_NS.add(System.nanoTime() - from);
                    REQUESTS.increment();
                    Thread.sleep(20 + readers.nextInt(60));
                }
            } catch (IOException e) {
                System.err.println("terminal: " + e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService lines = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("line-", 0).factory());
        int catalogue = listen("catalogue-accept", lines, new Catalogue()::serve);
        LoanDesk desk = new LoanDesk(new CatalogueClient(catalogue));
        int port = listen("desk-accept", lines, desk::serve);
        for (int i = 1; i <= 30; i++) {
            int number = i;
            Thread.ofVirtual().name("terminal-" + i).start(() -> terminal(port, number));
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = REQUESTS.sum(), ns = REQUEST_NS.sum(), asked = CATALOGUE_NS.sum(), computed = COMPUTE_NS.sum();
            Thread.sleep(1000);
            n = Math.max(1, REQUESTS.sum() - n);
            System.out.printf(Locale.ROOT, "measured: %d requests/s, %.1f ms each, of it %.1f ms for the catalogue (5 to 15 ms) and %.3f ms computing%n",
                    n, (REQUEST_NS.sum() - ns) / 1e6 / n, (CATALOGUE_NS.sum() - asked) / 1e6 / n, (COMPUTE_NS.sum() - computed) / 1e6 / n);
            System.out.flush();
        }
    }
}
