// SPDX-License-Identifier: Apache-2.0
// cause: the thread that accepts connections reads the first line of each itself, and one client in four is slow to send it, so all others wait to be accepted: GreetingAtDoor.greeting
// share: 98 % of the acceptor's time is greeting(); a quick client waits 25 ms
// expect: waiting frame=GreetingAtDoor.greeting | waiting holder=GreetingAtDoor.greeting | endpoint-wait frame=GreetingAtDoor.greeting | saturated-thread frame=GreetingAtDoor.greeting
// judge: right is what names greeting(), called by the acceptor; that clients wait for an answer is a symptom
// symptom: waiting endpoint-wait pool-busy
// jdk: 17
// set: eleventh
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** A server that answers one question per connection, and its clients. */
public final class GreetingAtDoor {
    private static final LongAdder GREETING = new LongAdder();
    private static final LongAdder CLIENT = new LongAdder();
    private static final LongAdder CALLS = new LongAdder();

    private static String greeting(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
    }

    private static void accept(ServerSocket server, ExecutorService pool) {
        try {
            for (;;) {
                Socket socket = server.accept();
                long start = System.nanoTime();
                String name = greeting(socket);
                GREETING.add(System.nanoTime() - start);
                pool.execute(() -> answer(socket, name));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(Socket socket, String name) {
        try (socket) {
            socket.getOutputStream().write(("good day " + name + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void client(ServerSocket server, int number) {
        try {
            for (int n = 0;; n++) {
                long start = System.nanoTime();
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    if (number % 4 == 0) {
                        Thread.sleep(30); // a telephone line
                    }
                    socket.getOutputStream().write(("client " + number + "\n").getBytes(StandardCharsets.US_ASCII));
                    if (new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine() == null) {
                        throw new IllegalStateException("no answer");
                    }
                }
                if (number % 4 != 0) {
                    CLIENT.add(System.nanoTime() - start);
                    CALLS.increment();
                }
                Thread.sleep(5 + n % 7);
            }
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        ExecutorService pool = Executors.newFixedThreadPool(8);
        new Thread(() -> accept(server, pool), "acceptor").start();
        for (int i = 0; i < 12; i++) {
            int number = i;
            new Thread(() -> client(server, number), "client-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: greeting() takes " + GREETING.sumThenReset() / 1_000_000 + " ms of the acceptor's second; a quick client waits "
                    + CLIENT.sumThenReset() / (CALLS.sumThenReset() + 1) / 1000 + " us");
        }
    }
}
