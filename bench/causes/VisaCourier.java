// SPDX-License-Identifier: Apache-2.0
// healthy: 120 virtual threads each wait for a consulate that takes 250 to 350 ms to answer by its nature; waits are in parallel and unmount, the permit count (150) is never reached, latency equals the consulate's own time, the CPU is nearly idle.
// judge: any claim of a fault in this service is wrong: e.g. "pinned virtual threads", "semaphore/permit starvation", "carrier pool too small", "blocked threads", "sleep on the request path should be removed". Saying that the time is the remote party's is right.
// set: twentieth
// jdk: 21
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class VisaCourier {
    static final String[] COUNTRIES = {"Benin", "Chile", "Fiji", "Georgia", "Laos", "Malta", "Nepal", "Oman"};

    record Application(int number, String country) { }

    final Semaphore permits = new Semaphore(150);
    final LongAdder issued = new LongAdder();
    final LongAdder micros = new LongAdder();
    final int port;

    VisaCourier(int port) {
        this.port = port;
    }

    int checksum(Application a) {
        int sum = a.number();
        for (int round = 0; round < 300; round++) {
            for (int i = 0; i < a.country().length(); i++) {
                sum = sum * 131 + a.country().charAt(i);
            }
        }
        return sum;
    }

    String submit(Application a, DataInputStream in, DataOutputStream out) throws IOException, InterruptedException {
        permits.acquire();
        try {
            out.writeLong(((long) a.number() << 32) | (checksum(a) & 0xffffffffL));
            return a.country() + "/" + Integer.toHexString(in.readInt());
        } finally {
            permits.release();
        }
    }

    void applicant() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            while (true) {
                Application a = new Application(r.nextInt(1_000_000), COUNTRIES[r.nextInt(COUNTRIES.length)]);
                long t = System.nanoTime();
                String visa = submit(a, in, out);
                micros.add((System.nanoTime() - t) / 1000);
                if (visa.length() > 3) {
                    issued.increment();
                }
                Thread.sleep(100 + r.nextInt(200));
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("applicant: " + e);
        }
    }

    static void consulate(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            while (true) {
                long request = in.readLong();
                Thread.sleep(250 + ThreadLocalRandom.current().nextInt(100));
                out.writeInt((int) (request ^ (request >>> 32)));
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("consulate: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("reception").start(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    Thread.ofVirtual().name("consulate").start(() -> consulate(s));
                }
            } catch (IOException e) {
                System.err.println("reception: " + e);
            }
        });
        VisaCourier courier = new VisaCourier(server.getLocalPort());
        for (int i = 0; i < 120; i++) {
            Thread.ofVirtual().name("applicant-" + i).start(courier::applicant);
        }
        System.out.println("READY");
        long lastN = 0;
        long lastT = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = courier.issued.sum();
            long t = courier.micros.sum();
            System.out.println("measured: " + (n - lastN) + " visas/s, mean "
                    + (n == lastN ? 0 : (t - lastT) / (n - lastN) / 1000) + " ms");
            lastN = n;
            lastT = t;
        }
    }
}
