// SPDX-License-Identifier: Apache-2.0
// cause: RetryStorm.ask gives up after 40 ms and asks again at once; the server goes on with what nobody waits for
// expect: waiting frame=RetryStorm.ask | endpoint-wait frame=RetryStorm.ask | hot-method frame=RetryStorm.ask | hot-method caller=RetryStorm.ask | hot-calls frame=RetryStorm.ask | hot-code frame=RetryStorm.ask | endpoint-cpu frame=RetryStorm.ask
// symptom: hot-method hot-calls hot-code waiting pool-busy saturated-thread endpoint-wait
// jdk: 17
// jvm: -Xmx96m
// set: ninth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A price takes 15 ms of a CPU, there are two workers and 16 callers: with patience, all would be served in 120 ms. */
public final class RetryStorm {
    private static final LongAdder ATTEMPTS = new LongAdder();
    private static final LongAdder TIMEOUTS = new LongAdder();
    private static final LongAdder ANSWERS = new LongAdder();
    private static final LongAdder PRICED = new LongAdder();
    private static volatile long last;

    private static long price(int article) {
        long price = article;
        for (int i = 0; i < 8_000_000; i++) {
            price += price << 7 ^ price >>> 9 ^ i;
        }
        return price;
    }

    private static void answer(Socket socket, int article) {
        try (socket; DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            last = price(article);
            PRICED.increment();
            out.writeLong(last);
        } catch (IOException e) {
            last = 0; // the caller has gone
        }
    }

    private static void listen(ServerSocket server) {
        ThreadPoolExecutor workers = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(200),
                task -> new Thread(task, "pricing"), new ThreadPoolExecutor.DiscardPolicy());
        try {
            for (;;) {
                Socket socket = server.accept();
                if (workers.getQueue().remainingCapacity() == 0) {
                    Thread.sleep(1);
                }
                int article = new DataInputStream(socket.getInputStream()).readInt();
                if (workers.getQueue().remainingCapacity() == 0) {
                    socket.close();
                } else {
                    workers.execute(() -> answer(socket, article));
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long ask(int port, int article) throws IOException {
        for (int attempt = 0; attempt < 10; attempt++) {
            ATTEMPTS.increment();
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(40);
                socket.setTcpNoDelay(true);
                new DataOutputStream(socket.getOutputStream()).writeInt(article);
                long price = new DataInputStream(socket.getInputStream()).readLong();
                ANSWERS.increment();
                return price;
            } catch (SocketTimeoutException e) {
                TIMEOUTS.increment();
            } catch (IOException e) {
                continue; // refused
            }
        }
        return -1;
    }

    private static void shop(int port, int number) {
        try {
            for (int i = 0;; i++) {
                last += ask(port, number * 1000 + i % 1000);
                Thread.sleep(10); // the next basket
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        new Thread(() -> listen(server), "listener").start();
        for (int i = 0; i < 16; i++) {
            int number = i;
            new Thread(() -> shop(server.getLocalPort(), number), "shop-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * TIMEOUTS.sum() / (ATTEMPTS.sum() + 1) + " % of "
                    + ATTEMPTS.sum() + " attempts time out, " + PRICED.sum() + " prices made, "
                    + (PRICED.sum() - ANSWERS.sum()) * 100 / (PRICED.sum() + 1) + " % of them for nobody");
        }
    }
}
