// SPDX-License-Identifier: Apache-2.0
// cause: what is to be done with a reply runs in the thread that reads replies, and for some it asks a slow register, so that all other replies wait: FareReplies.register
// share: a request waits 27 ms for its reply; 99 % of the reader's time is register()
// expect: waiting frame=FareReplies.register | waiting holder=FareReplies.register | endpoint-wait frame=FareReplies.register | saturated-thread frame=FareReplies.register
// judge: right is what names register(), which the reader of replies waits in; that requests wait for futures is a symptom
// symptom: waiting endpoint-wait unmounted-wait saturated-thread pool-busy
// jdk: 25
// set: eleventh
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Fares are asked for over one connection by many requests at a time; replies are matched by number. */
public final class FareReplies {
    private static final LongAdder REGISTER = new LongAdder();
    private static final LongAdder WAIT = new LongAdder();
    private static final LongAdder CALLS = new LongAdder();

    private final Map<Integer, CompletableFuture<Integer>> open = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, Integer> known = new ConcurrentHashMap<>();
    private DataOutputStream out;

    private CompletableFuture<Integer> ask() throws IOException {
        int number = numbers.incrementAndGet();
        CompletableFuture<Integer> reply = new CompletableFuture<>();
        open.put(number, reply);
        synchronized (this) {
            out.writeInt(number);
        }
        return reply.thenApply(fare -> register(number, fare));
    }

    private int register(int number, int fare) {
        if (number % 5 == 0) {
            long start = System.nanoTime();
            try {
                Thread.sleep(15); // the register of fares, elsewhere
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            REGISTER.add(System.nanoTime() - start);
        }
        known.put(number % 1000, fare);
        return fare;
    }

    private void read(DataInputStream in) {
        try {
            for (;;) {
                int number = in.readInt();
                int fare = in.readInt();
                open.remove(number).complete(fare);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(Socket socket) {
        try (DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                int number = in.readInt();
                out.writeInt(number);
                out.writeInt(number % 313);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void request() {
        try {
            for (;;) {
                long start = System.nanoTime();
                ask().join();
                WAIT.add(System.nanoTime() - start);
                CALLS.increment();
                Thread.sleep(10);
            }
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        FareReplies fares = new FareReplies();
        Socket line;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            line = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket other = server.accept();
            new Thread(() -> answer(other), "fare-server").start();
        }
        line.setTcpNoDelay(true);
        fares.out = new DataOutputStream(line.getOutputStream());
        DataInputStream in = new DataInputStream(line.getInputStream());
        new Thread(() -> fares.read(in), "reply-reader").start();
        for (int i = 0; i < 12; i++) {
            new Thread(fares::request, "request-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: a request waits " + WAIT.sumThenReset() / (CALLS.sumThenReset() + 1) / 1000
                    + " us for its reply; register() keeps the reader for " + REGISTER.sumThenReset() / 1_000_000 + " ms of a second");
        }
    }
}
