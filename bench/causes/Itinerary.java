// SPDX-License-Identifier: Apache-2.0
// cause: hotels are searched by a pool of two, for which the plans of eight threads wait
// expect: pool-busy pool=hotels
// symptom: waiting
// jdk: 21
// set: seventh

import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;

public class Itinerary {
    static final ExecutorService FLIGHTS = pool("flights", 8);
    static final ExecutorService HOTELS = pool("hotels", 2);
    static final ExecutorService MAIL = pool("mail", 6);
    static final ThreadLocal<Socket> LINK = ThreadLocal.withInitial(Itinerary::connect);
    static int port;

    static ExecutorService pool(String name, int size) {
        AtomicInteger number = new AtomicInteger();
        return Executors.newFixedThreadPool(size, task -> new Thread(task, name + "-" + number.incrementAndGet()));
    }

    static Socket connect() {
        try {
            return new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void provider() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        while (true) {
            Socket one = server.accept();
            new Thread(() -> {
                try (one; InputStream in = one.getInputStream()) {
                    while (in.read() >= 0) {
                        Thread.sleep(14);
                        one.getOutputStream().write(5);
                    }
                } catch (Exception e) {
                    // hung up
                }
                System.exit(0);
            }).start();
        }
    }

    static int search(String what) throws IOException {
        Socket link = LINK.get();
        link.getOutputStream().write(what.length());
        return link.getInputStream().read();
    }

    static int plan(String city) throws Exception {
        Future<Integer> flight = FLIGHTS.submit(() -> search("flight " + city));
        Future<Integer> hotel = HOTELS.submit(() -> search("hotel " + city));
        int sum = flight.get() + hotel.get();
        MAIL.execute(() -> city.hashCode());
        return sum;
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            provider();
            return;
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "Itinerary", "provider").start();
        port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        for (int n = 0; n < 8; n++) {
            String city = "city " + n;
            new Thread(() -> {
                try {
                    while (true)
                        plan(city);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "http-" + n).start();
        }
        System.out.println("READY");
    }
}
