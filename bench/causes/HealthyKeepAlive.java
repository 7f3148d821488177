// SPDX-License-Identifier: Apache-2.0
// healthy: a server has a thread for each of thirty connections that are kept, most of which wait for the next request
// jdk: 11
// set: fourth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.zip.CRC32;
import wick.Scope;
import wick.Wick;

public final class HealthyKeepAlive {
    private static String page(String path) {
        TreeMap<String, Integer> words = new TreeMap<>();
        for (int i = 0; i < 400; i++) {
            words.merge(path + i % 37, i, Integer::sum);
        }
        StringBuilder html = new StringBuilder();
        words.forEach((word, n) -> html.append("<li>").append(word).append(' ').append(n));
        return html.toString();
    }

    private static long tag(String body) {
        CRC32 crc = new CRC32();
        crc.update(body.getBytes(StandardCharsets.UTF_8));
        return crc.getValue();
    }

    private static void handle(String line, OutputStream out) throws IOException {
        String body = page(line.split(" ")[1]);
        out.write((body.length() + " " + tag(body) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void connection(Socket socket) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                try (Scope span = Wick.span("GET /page")) {
                    handle(line, socket.getOutputStream());
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void client(int port, int number) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            for (int i = 0;; i++) {
                socket.getOutputStream().write(("GET /item/" + i % 50 + "\n").getBytes(StandardCharsets.UTF_8));
                in.readLine();
                Thread.sleep(100 + 10 * number);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void listen(ServerSocket server) {
        try {
            for (int i = 0;; i++) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                new Thread(() -> connection(socket), "connection-" + i).start();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        new Thread(() -> listen(server), "listener").start();
        for (int i = 0; i < 30; i++) {
            int number = i;
            new Thread(() -> client(server.getLocalPort(), number), "client-" + i).start();
        }
        System.out.println("READY");
    }
}
