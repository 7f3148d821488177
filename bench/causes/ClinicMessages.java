// SPDX-License-Identifier: Apache-2.0
// healthy: a long-poll message server on a loopback socket with 30 wards, one thread per open poll and client threads that wait for up to 5 s; nearly all threads are idle because there are few messages, and each message is delivered within a millisecond or so
// judge: RIGHT = no fault found / idle service, threads wait for messages (long poll) by design. WRONG = any claimed defect: thread leak, deadlock, slow socket I/O, starvation, missed notification, pool too small/large, "threads blocked in socketRead" as a problem.
// jdk: 8
// set: sixteenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ClinicMessages {
    static final class Mailbox {
        private final LinkedBlockingQueue<String> waiting = new LinkedBlockingQueue<>(1000);

        boolean post(String m) {
            return waiting.offer(m);
        }

        List<String> poll(long millis) throws InterruptedException {
            List<String> got = new ArrayList<>();
            String first = waiting.poll(millis, TimeUnit.MILLISECONDS);
            if (first != null) {
                got.add(first);
                waiting.drainTo(got, 20);
            }
            return got;
        }
    }

    static final class Server implements Runnable {
        final ServerSocket socket;
        final ConcurrentMap<String, Mailbox> boxes = new ConcurrentHashMap<>();
        final ExecutorService connections = Executors.newCachedThreadPool(daemon("poll"));

        Server() throws IOException {
            socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        }

        Mailbox box(String ward) {
            return boxes.computeIfAbsent(ward, w -> new Mailbox());
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket s = socket.accept();
                    s.setTcpNoDelay(true);
                    connections.execute(() -> serve(s));
                }
            } catch (IOException e) {
                System.out.println("server ends: " + e);
            }
        }

        void serve(Socket s) {
            try (Socket c = s;
                 BufferedReader in = new BufferedReader(new InputStreamReader(c.getInputStream(), StandardCharsets.UTF_8));
                 Writer out = new BufferedWriter(new OutputStreamWriter(c.getOutputStream(), StandardCharsets.UTF_8))) {
                String line;
                while ((line = in.readLine()) != null) {
                    String[] w = line.split(" ", 3);
                    if (w[0].equals("POLL")) {
                        List<String> got = box(w[1]).poll(5000);
                        out.write(got.size() + "\n");
                        for (String m : got) out.write(m + "\n");
                    } else {
                        out.write(box(w[1]).post(w[2]) ? "OK\n" : "FULL\n");
                    }
                    out.flush();
                }
            } catch (IOException e) {
                System.out.println("connection lost: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static ThreadFactory daemon(String name) {
        AtomicInteger n = new AtomicInteger();
        return r -> {
            Thread t = new Thread(r, name + "-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        };
    }

    static final class Link implements Closeable {
        final Socket socket;
        final BufferedReader in;
        final Writer out;

        Link(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
        }

        String ask(String line) throws IOException {
            out.write(line + "\n");
            out.flush();
            return in.readLine();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    final Server server = new Server();
    final LongAdder delivered = new LongAdder();
    final LongAdder polls = new LongAdder();
    final LongAdder micros = new LongAdder();

    ClinicMessages() throws IOException {
    }

    void ward(String name) {
        try (Link link = new Link(server.socket.getLocalPort())) {
            while (true) {
                int n = Integer.parseInt(link.ask("POLL " + name));
                polls.increment();
                for (int i = 0; i < n; i++) {
                    String m = link.in.readLine();
                    micros.add((System.nanoTime() - Long.parseLong(m.substring(0, m.indexOf(' ')))) / 1000);
                    delivered.increment();
                }
            }
        } catch (IOException e) {
            System.out.println(name + " ends: " + e);
        }
    }

    void doctor(int id) {
        Random r = new Random(id);
        try (Link link = new Link(server.socket.getLocalPort())) {
            while (true) {
                link.ask("POST ward" + r.nextInt(30) + " " + System.nanoTime() + " patient " + r.nextInt(5000) + " needs a visit");
                Thread.sleep(60 + r.nextInt(400));
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("doctor " + id + " ends: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        ClinicMessages c = new ClinicMessages();
        daemon("acceptor").newThread(c.server).start();
        ThreadFactory wards = daemon("ward");
        ThreadFactory doctors = daemon("doctor");
        for (int i = 0; i < 30; i++) {
            String name = "ward" + i;
            wards.newThread(() -> c.ward(name)).start();
        }
        for (int i = 0; i < 8; i++) {
            int id = i;
            doctors.newThread(() -> c.doctor(id)).start();
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = c.delivered.sumThenReset(), us = c.micros.sumThenReset();
            System.out.println("measured: " + n + " messages/s, " + (n == 0 ? 0 : us / n) + " us from post to ward, " + c.polls.sumThenReset() + " polls answered");
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
