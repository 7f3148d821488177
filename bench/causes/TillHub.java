// SPDX-License-Identifier: Apache-2.0
// healthy: 120 threads are all inside a socket read nearly all the time (one per connected till), which looks like threads stuck on a network that does not answer; but tills simply send a receipt now and then, each is answered in a fraction of a millisecond, and the idle readers cost nothing
// share: 258 receipts/s (0.1835 ms each) (median of a short run at nice 19 on a 2-core machine under heavy foreign load); arrivals are at random intervals of 1 to 6 ms by the tills themselves
// judge: any finding of trouble is WRONG (blocked readers, too many threads, slow network, missing timeouts); the statement that the service is idle/waiting for its clients is right
// jdk: 25
// set: twenty-eighth
// jvm: -Xmx64m
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;

public class TillHub {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int TILLS = 120;
    static volatile boolean open = true;
    static final AtomicLongArray turnover = new AtomicLongArray(64);

    static void serve(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream(), 1024));
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            byte[] answer = new byte[8];
            while (open) {
                int store = in.readInt();
                int lines = in.readInt();
                long cents = 0;
                for (int i = 0; i < lines; i++) {
                    cents += in.readInt();
                }
                long total = turnover.addAndGet(store, cents);
                for (int i = 0; i < 8; i++) {
                    answer[i] = (byte) (total >>> 56 - 8 * i);
                }
                out.write(answer);
            }
        } catch (IOException e) {
            // till switched off
        }
    }

    static final class Till {
        final Socket socket;
        final DataInputStream in;

        Till(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 64));
        }

        void receipt(ThreadLocalRandom rnd) throws IOException {
            int lines = 1 + rnd.nextInt(12);
            byte[] b = new byte[8 + 4 * lines];
            b[3] = (byte) rnd.nextInt(64);
            b[7] = (byte) lines;
            for (int i = 0; i < lines; i++) {
                b[8 + 4 * i + 2] = (byte) rnd.nextInt(20);
                b[8 + 4 * i + 3] = (byte) rnd.nextInt(100);
            }
            socket.getOutputStream().write(b);
            in.readLong();
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        ServerSocket door = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("hub-accept").start(() -> {
            try {
                for (int i = 0; open; i++) {
                    Socket s = door.accept();
                    Thread.ofPlatform().daemon().name("till-line-" + i).start(() -> serve(s));
                }
            } catch (IOException e) {
                open = false;
            }
        });
        Till[] tills = new Till[TILLS];
        for (int i = 0; i < TILLS; i++) {
            tills[i] = new Till(door.getLocalPort());
        }
        long end = start + SPAN * 1_000_000_000L;
        long ready = start + 3_000_000_000L;
        long at = ready;
        boolean announced = false;
        int count = 0;
        long spent = 0;
        long worst = 0;
        ThreadLocalRandom rnd = ThreadLocalRandom.current();
        while (System.nanoTime() < end) {
            long t = System.nanoTime();
            tills[rnd.nextInt(TILLS)].receipt(rnd);
            long took = System.nanoTime() - t;
            count++;
            spent += took;
            worst = Math.max(worst, took);
            if (announced ? t - at >= 1_000_000_000L : t >= ready) {
                if (announced) {
                    System.out.printf("measured: %.0f receipts/s, %.3f ms each, longest %.1f ms%n",
                            count * 1e9 / (t - at), spent / 1e6 / count, worst / 1e6);
                } else {
                    System.out.println("READY");
                    announced = true;
                }
                at = t;
                count = 0;
                spent = 0;
                worst = 0;
            }
            Thread.sleep(1 + rnd.nextInt(6));
        }
        open = false;
    }
}
