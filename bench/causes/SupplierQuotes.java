// SPDX-License-Identifier: Apache-2.0
// cause: a quote asks six suppliers one after another, and each takes 25 ms
// expect: waiting frame=SupplierQuotes
// symptom: waiting
// jdk: 21
// set: seventh

import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;

public class SupplierQuotes {
    record Offer(String supplier, int cents) {}

    static final List<String> SUPPLIERS = List.of("norda", "belmont", "kessler", "tivoli", "ostend", "quay");

    /** What a supplier does; runs in a process of its own. */
    static void supplier() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        Thread end = new Thread(() -> {
            try {
                while (System.in.read() >= 0) { }
            } catch (IOException e) {
                // the caller is gone
            }
            System.exit(0);
        });
        end.start();
        while (true) {
            Socket one = server.accept();
            new Thread(() -> {
                try (one; BufferedReader in = new BufferedReader(new InputStreamReader(one.getInputStream()))) {
                    for (String line; (line = in.readLine()) != null; ) {
                        Thread.sleep(25);
                        one.getOutputStream().write((line.length() * 117 + "\n").getBytes());
                    }
                } catch (Exception e) {
                    // hung up
                }
            }).start();
        }
    }

    static final class Link {
        final BufferedReader in;
        final OutputStream out;

        Link(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            out = socket.getOutputStream();
        }

        Offer ask(String supplier, String article) throws IOException {
            out.write((supplier + " " + article + "\n").getBytes());
            return new Offer(supplier, Integer.parseInt(in.readLine()));
        }
    }

    static Offer quote(Map<String, Link> links, String article) throws IOException {
        Offer best = null;
        for (String supplier : SUPPLIERS) {
            Offer offer = links.get(supplier).ask(supplier, article);
            if (best == null || offer.cents() < best.cents())
                best = offer;
        }
        return best;
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            supplier();
            return;
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "SupplierQuotes", "supplier").start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        for (int n = 0; n < 4; n++) {
            int number = n;
            new Thread(() -> {
                try {
                    Map<String, Link> links = new HashMap<>();
                    for (String supplier : SUPPLIERS)
                        links.put(supplier, new Link(port));
                    for (int i = 0; ; i++) {
                        quote(links, "article-" + number + "-" + i);
                        Thread.sleep(5);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "http-" + n).start();
        }
        System.out.println("READY");
    }
}
