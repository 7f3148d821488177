// SPDX-License-Identifier: Apache-2.0
// cause: more notices come than the pool "notices" sends: NoticeOffice.pool() makes a ThreadPoolExecutor of core size 2 and maximum 16 with a LinkedBlockingQueue without a limit, so it never has more than 2 threads, and its queue grows all the time
// share: 130 notices/s come, some 80/s are sent; the queue grows by about 50 tasks a second, the delay of a notice by 0.4 s each second; both workers have work 100 % of the time
// expect: growing-queue
// symptom: waiting pool-busy
// judge: NAMED: the queue of the pool notices (notices-1, notices-2) grows steadily, or tasks come faster than its 2 threads run them (also if it adds that these mostly wait for an answer at NoticeOffice$ProviderLine.send). SYMPTOM ONLY: a finding that says no more than that notices-N wait for a server's answer or data of a socket at ProviderLine.send or below it (SmsProvider in this process), without the queue. WRONG: all else accused (the sleep in SmsProvider.serve, depots' loops, memory, locks, hot code) or nothing found.
// jdk: 8
// set: thirty-third
// jvm: -Xmx256m
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ParcelNotices {

    static final class Notice implements Runnable {
        final NoticeOffice office;
        final String phone;
        final String text;
        final long created = System.nanoTime();

        Notice(NoticeOffice office, String phone, String text) {
            this.office = office;
            this.phone = phone;
            this.text = text;
        }

        @Override
        public void run() {
            office.deliver(this);
        }
    }

    /** What the provider of short messages does for us: one answer for each message on a line. */
    static final class SmsProvider {
        final ServerSocket door;

        SmsProvider() throws IOException {
            door = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
            Thread t = new Thread(this::accept, "provider-door");
            t.setDaemon(true);
            t.start();
        }

        void accept() {
            for (;;) {
                try {
                    Socket s = door.accept();
                    Thread t = new Thread(() -> serve(s), "provider-line");
                    t.setDaemon(true);
                    t.start();
                } catch (IOException e) {
                    System.err.println("provider: " + e);
                }
            }
        }

        void serve(Socket s) {
            try {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
                OutputStream out = s.getOutputStream();
                for (String line; (line = in.readLine()) != null;) {
                    Thread.sleep(25);
                    out.write(("250 queued " + Integer.toHexString(line.hashCode()) + "\n").getBytes(StandardCharsets.UTF_8));
                }
            } catch (IOException | InterruptedException e) {
                // the line is closed
            }
        }
    }

    static final class ProviderLine {
        final BufferedReader in;
        final OutputStream out;

        ProviderLine(int port) throws IOException {
            Socket s = new Socket("127.0.0.1", port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
            out = s.getOutputStream();
        }

        boolean send(String phone, String text) throws IOException {
            out.write((phone + ' ' + text + '\n').getBytes(StandardCharsets.UTF_8));
            String answer = in.readLine();
            return answer != null && answer.startsWith("250");
        }
    }

    static final class NoticeOffice {
        final int port;
        final ThreadPoolExecutor pool = pool();
        final ThreadLocal<ProviderLine> line = new ThreadLocal<>();
        final AtomicLong sent = new AtomicLong();
        final AtomicLong came = new AtomicLong();
        volatile long lastDelay;

        NoticeOffice(int port) {
            this.port = port;
        }

        static ThreadPoolExecutor pool() {
            AtomicInteger n = new AtomicInteger();
            return new ThreadPoolExecutor(2, 16, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> {
                Thread t = new Thread(r, "notices-" + n.incrementAndGet());
                t.setDaemon(true);
                return t;
            });
        }

        void submit(String phone, String text) {
            came.incrementAndGet();
            pool.execute(new Notice(this, phone, text));
        }

        void deliver(Notice notice) {
            try {
                ProviderLine l = line.get();
                if (l == null) {
                    l = new ProviderLine(port);
                    line.set(l);
                }
                if (l.send(notice.phone, notice.text))
                    sent.incrementAndGet();
            } catch (IOException e) {
                line.remove();
            }
            lastDelay = System.nanoTime() - notice.created;
        }
    }

    static final class Depot extends Thread {
        final NoticeOffice office;
        final Random random;
        final Map<String, Integer> shelves = new HashMap<>();

        Depot(int id, NoticeOffice office) {
            super("depot-" + id);
            this.office = office;
            random = new Random(id);
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (int parcel = 0;; parcel++) {
                    Thread.sleep(26 + random.nextInt(40));
                    String code = String.format("%s-%06d", getName(), parcel);
                    shelves.merge("shelf " + random.nextInt(200), 1, Integer::sum);
                    String phone = "+49170" + (1000000 + random.nextInt(9000000));
                    office.submit(phone, "Your parcel " + code + " is at " + getName() + ", shelf " + shelves.size());
                }
            } catch (InterruptedException e) {
                // closing time
            }
        }
    }

    public static void main(String[] args) throws Exception {
        NoticeOffice office = new NoticeOffice(new SmsProvider().door.getLocalPort());
        for (int i = 1; i <= 6; i++)
            new Depot(i, office).start();
        long came = 0, sent = 0;
        int queued = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long c = office.came.get(), s = office.sent.get();
            int q = office.pool.getQueue().size();
            System.out.printf("measured: %d notices came, %d sent, queue %d (%+d), threads %d, the latest was sent %.1f s after it came%n",
                c - came, s - sent, q, q - queued, office.pool.getPoolSize(), office.lastDelay / 1e9);
            came = c;
            sent = s;
            queued = q;
            if (second == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
