// SPDX-License-Identifier: Apache-2.0
// healthy: letters are sent as they come; the server answers at once, and the sender waits for letters most of the time
// jdk: 11
// set: seventh

import java.io.*;
import java.net.*;
import java.util.concurrent.*;

public class HealthyMailer {
    static void server() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        try (Socket one = server.accept();
             BufferedReader in = new BufferedReader(new InputStreamReader(one.getInputStream()))) {
            for (String line; (line = in.readLine()) != null; )
                one.getOutputStream().write("250 ok\n".getBytes());
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            server();
            return;
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "HealthyMailer", "server").start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        BlockingQueue<String> letters = new LinkedBlockingQueue<>();
        new Thread(() -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                 BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()))) {
                while (true) {
                    socket.getOutputStream().write((letters.take() + "\n").getBytes());
                    if (!in.readLine().startsWith("250"))
                        throw new IOException("refused");
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "smtp").start();
        ScheduledExecutorService shop = Executors.newScheduledThreadPool(2);
        shop.scheduleAtFixedRate(() -> letters.add("order confirmed"), 0, 40, TimeUnit.MILLISECONDS);
        shop.scheduleAtFixedRate(() -> letters.add("parcel sent"), 0, 130, TimeUnit.MILLISECONDS);
        System.out.println("READY");
    }
}
