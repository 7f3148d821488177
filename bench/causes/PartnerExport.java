// SPDX-License-Identifier: Apache-2.0
// healthy: an export service with 10 workers that share a quota of 40 calls per second agreed with the partner (PartnerExport.Quota.acquire, a lock with a timed condition wait), fed by a bounded queue that is normally short; the workers wait nearly all the time because the arrival rate (25 to 30 per second) is below the quota and every call waits about 60 ms for the partner.
// share: about 25 to 30 documents/s, mean age 65 to 88 ms (60 ms of it the answer time of the partner), queue 0 to 3.
// judge: WRONG would be: lock contention on Quota's ReentrantLock, too few or too many workers, a blocked queue, a slow partner connection named as a fault (60 ms is its agreed answer time), thread starvation, deadlock. Acceptable as true and neutral: workers mostly wait (queue, quota, partner answer), throughput is set by the arrival rate and bounded by the quota of 40 per second, CPU is almost idle.
// jdk: 25
// set: twenty-fifth
// jvm:

import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class PartnerExport {
    record Document(long id, String body, long at) {
    }

    static final class Quota {
        private final ReentrantLock lock = new ReentrantLock(true);
        private final Condition later = lock.newCondition();
        private final double perSecond;
        private final double most;
        private double left;
        private long filledAt = System.nanoTime();

        Quota(double perSecond, double most) {
            this.perSecond = perSecond;
            this.most = most;
            this.left = most;
        }

        void acquire() throws InterruptedException {
            lock.lock();
            try {
                while (true) {
                    long now = System.nanoTime();
                    left = Math.min(most, left + (now - filledAt) / 1e9 * perSecond);
                    filledAt = now;
                    if (left >= 1) {
                        left -= 1;
                        return;
                    }
                    later.awaitNanos((long) ((1 - left) / perSecond * 1e9));
                }
            } finally {
                lock.unlock();
            }
        }
    }

    final BlockingQueue<Document> queue = new ArrayBlockingQueue<>(200);
    final Quota quota = new Quota(40, 10);
    final ServerSocket partner = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    final AtomicLong sent = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();

    PartnerExport() throws IOException {
    }

    void partner() {
        try {
            while (true) {
                Socket s = partner.accept();
                Thread.ofVirtual().start(() -> receive(s));
            }
        } catch (IOException e) {
            System.out.println("partner closed");
        }
    }

    void receive(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            while (true) {
                long id = in.readLong();
                String body = in.readUTF();
                Thread.sleep(60);
                out.writeLong(id ^ body.hashCode());
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            return;
        }
    }

    void worker() {
        try (Socket s = new Socket(partner.getInetAddress(), partner.getLocalPort())) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            while (true) {
                Document d = queue.take();
                quota.acquire();
                out.writeLong(d.id());
                out.writeUTF(d.body());
                out.flush();
                if (in.readLong() != (d.id() ^ d.body().hashCode())) {
                    throw new IOException("receipt of " + d.id());
                }
                sent.incrementAndGet();
                nanos.addAndGet(System.nanoTime() - d.at());
            }
        } catch (IOException e) {
            System.out.println("worker stopped: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void office() {
        Random rnd = new Random(6);
        long id = 0;
        try {
            while (true) {
                Thread.sleep(rnd.nextInt(66));
                StringBuilder sb = new StringBuilder("<doc id='" + ++id + "'>");
                for (int i = rnd.nextInt(20); i >= 0; i--) {
                    sb.append("<item n='").append(i).append("' sum='").append(rnd.nextInt(5000)).append("'/>");
                }
                queue.put(new Document(id, sb.append("</doc>").toString(), System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        PartnerExport export = new PartnerExport();
        Thread.ofPlatform().daemon().name("partner").start(export::partner);
        for (int i = 0; i < 10; i++) {
            Thread.ofPlatform().daemon().name("export-" + i).start(export::worker);
        }
        Thread.ofPlatform().daemon().name("office").start(export::office);
        System.out.println("READY");
        long last = 0;
        long lastNanos = 0;
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long c = export.sent.get();
            long n = export.nanos.get();
            System.out.println("measured: " + (c - last) + " documents/s, mean age "
                    + (n - lastNanos) / Math.max(1, c - last) / 1000 + " us, queue " + export.queue.size());
            last = c;
            lastNanos = n;
        }
        export.partner.close();
    }
}
