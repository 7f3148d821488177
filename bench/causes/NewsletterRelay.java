// SPDX-License-Identifier: Apache-2.0
// healthy: Six couriers wait most of their time for a permit of the quota (Semaphore, Quota.take), and the campaign waits for room in a full queue, since the contract with the provider allows 200 letters a second and exactly these are delivered; each hand-over takes less than half a millisecond and little CPU is used.
// share: measures letters/s (200 of 200 agreed) and the time to hand one over (0.2 to 0.5 ms).
// judge: WRONG: an accusation that permits are held, leaked or lost, that the provider is slow, that the pool or queue is too small, or that Campaign.write or the quota thread (Thread.sleep 50 ms) is at fault. ACCEPTABLE: the neutral remark that couriers wait for permits at Quota.take, which are given out by the quota thread at a fixed rate, and that Campaign.write waits for room in a queue behind them (if it should be less ...).
// jdk: 11
// set: twenty-fourth
// jvm:
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

public class NewsletterRelay {
    static final AtomicLong delivered = new AtomicLong();
    static final AtomicLong handing = new AtomicLong();

    interface Job {
        void run() throws Exception;
    }

    static void daemon(String name, Job job) {
        Thread thread = new Thread(() -> {
            try {
                job.run();
            } catch (Exception e) {
                throw new IllegalStateException(name, e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    static final class Provider {
        private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        Provider() throws Exception {
        }

        void open() throws Exception {
            for (int n = 0; ; n++) {
                Socket socket = door.accept();
                daemon("provider-" + n, () -> serve(socket));
            }
        }

        private void serve(Socket socket) throws Exception {
            socket.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            OutputStream out = socket.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(("250 " + line.length() + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    static final class Quota {
        private final Semaphore tokens = new Semaphore(20);
        private final int perTick;

        Quota(int perSecond) {
            this.perTick = perSecond / 20;
        }

        void refill() throws InterruptedException {
            while (true) {
                Thread.sleep(50);
                int room = 20 - tokens.availablePermits();
                if (room > 0) tokens.release(Math.min(room, perTick));
            }
        }

        void take() throws InterruptedException {
            tokens.acquire();
        }
    }

    static final class Letter {
        final String address;
        final int edition;

        Letter(String address, int edition) {
            this.address = address;
            this.edition = edition;
        }

        String render() {
            StringBuilder text = new StringBuilder("To: ").append(address).append(" Edition: ").append(edition);
            for (int i = 0; i < 40; i++) text.append(" article ").append(edition * 40 + i);
            return text.toString();
        }
    }

    static final class Campaign {
        private final BlockingQueue<Letter> letters = new LinkedBlockingQueue<>(500);
        private final Random random = new Random(4);

        void write() throws InterruptedException {
            for (int edition = 0; ; edition++) {
                for (int i = 0; i < 2000; i++) {
                    letters.put(new Letter("reader" + random.nextInt(90_000) + "@example.org", edition));
                }
            }
        }
    }

    static final class Courier {
        private final Campaign campaign;
        private final Quota quota;
        private final BufferedReader in;
        private final OutputStream out;

        Courier(Campaign campaign, Quota quota, int port) throws Exception {
            this.campaign = campaign;
            this.quota = quota;
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            out = socket.getOutputStream();
        }

        void run() throws Exception {
            while (true) {
                Letter letter = campaign.letters.take();
                String text = letter.render();
                quota.take();
                long start = System.nanoTime();
                out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
                if (!in.readLine().startsWith("250")) throw new IllegalStateException();
                handing.addAndGet(System.nanoTime() - start);
                delivered.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Provider provider = new Provider();
        daemon("provider", provider::open);
        Quota quota = new Quota(200);
        daemon("quota", quota::refill);
        Campaign campaign = new Campaign();
        daemon("campaign", campaign::write);
        for (int i = 0; i < 6; i++) {
            Courier courier = new Courier(campaign, quota, provider.door.getLocalPort());
            daemon("courier-" + i, courier::run);
        }
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = delivered.get();
            long t = handing.get();
            Thread.sleep(1000);
            long count = delivered.get() - n;
            System.out.printf("measured: %d letters/s of 200 agreed, %.2f ms for handing one over%n", count,
                    count == 0 ? 0.0 : (handing.get() - t) / 1e6 / count);
        }
        System.exit(0);
    }
}
