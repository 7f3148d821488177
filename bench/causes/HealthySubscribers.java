// SPDX-License-Identifier: Apache-2.0
// healthy: a hundred subscribers keep connections open and hear something twice a second; else there is nothing to do
// jdk: 25
// set: fifth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Server-sent events: a virtual thread for each connection waits for the next event, and so does its reader. */
public final class HealthySubscribers {
    private static final int SUBSCRIBERS = 100;
    private static volatile int received;

    private final List<BlockingQueue<String>> subscriptions = new CopyOnWriteArrayList<>();
    private final ServerSocket server;

    private HealthySubscribers() throws IOException {
        server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    }

    private void accept() {
        try {
            for (;;) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                Thread.startVirtualThread(() -> stream(socket));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void stream(Socket socket) {
        BlockingQueue<String> events = new LinkedBlockingQueue<>(100);
        subscriptions.add(events);
        try (socket) {
            for (;;) {
                String event = "data: " + events.take() + "\n\n";
                socket.getOutputStream().write(event.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException | InterruptedException e) {
            subscriptions.remove(events);
        }
    }

    private void publish(String event) {
        for (BlockingQueue<String> subscription : subscriptions) {
            if (!subscription.offer(event)) {
                System.out.println("a subscriber does not read");
            }
        }
    }

    private void listen() {
        try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                InputStreamReader text = new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8);
                BufferedReader in = new BufferedReader(text)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                received += line.isEmpty() ? 0 : 1;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        HealthySubscribers service = new HealthySubscribers();
        new Thread(service::accept, "acceptor").start();
        for (int i = 0; i < SUBSCRIBERS; i++) {
            Thread.ofVirtual().name("subscriber-" + i).start(service::listen);
        }
        while (service.subscriptions.size() < SUBSCRIBERS) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        for (int n = 0;; n++) {
            service.publish("goal number " + n + " of the season");
            Thread.sleep(500);
        }
    }
}
