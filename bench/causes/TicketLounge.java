// SPDX-License-Identifier: Apache-2.0
// healthy: a loopback server with 150 long-poll subscribers, one blocked platform thread per connection on each side (about 300 threads) that wait up to 10 seconds for the next ticket event; the waiting is the protocol, events are delivered within a millisecond (a few on a busy machine) and the CPU is almost idle.
// share: about 100 events/s, mean delivery delay 0.2 ms on a quiet machine, 1 to 11 ms in seconds when other processes took the CPUs.
// judge: WRONG would be: lock contention or a blocked queue because hundreds of threads wait in Condition.await / LinkedBlockingQueue.poll, slow network reads (socketRead of the subscribers), a thread leak (the number is constant), deadlock, latency of 10 s, a missing timeout. Acceptable as true and neutral: about 300 threads, nearly all idle in waits or socket reads; virtual threads or NIO could save thread stacks; CPU use is low.
// jdk: 17
// set: twenty-fifth
// jvm:

import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TicketLounge {
    static final int GUESTS = 150;

    record Event(long id, int gate, long sentAt) {
    }

    final List<BlockingQueue<Event>> boxes = new ArrayList<>();
    final ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    final AtomicLong delivered = new AtomicLong();
    final AtomicLong delay = new AtomicLong();
    final AtomicLong empties = new AtomicLong();
    final CountDownLatch seated = new CountDownLatch(GUESTS);
    volatile boolean open = true;

    TicketLounge() throws IOException {
        for (int i = 0; i < GUESTS; i++) {
            boxes.add(new LinkedBlockingQueue<>(500));
        }
    }

    void door() {
        try {
            while (open) {
                Socket s = server.accept();
                start(() -> host(s), "host-" + s.getPort(), 128);
            }
        } catch (IOException e) {
            System.out.println("door closed");
        }
    }

    void host(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            while (open) {
                int guest = in.readInt();
                Event e = boxes.get(guest).poll(10, TimeUnit.SECONDS);
                if (e == null) {
                    out.writeByte(0);
                } else {
                    out.writeByte(1);
                    out.writeLong(e.id());
                    out.writeInt(e.gate());
                    out.writeLong(e.sentAt());
                }
                out.flush();
            }
        } catch (IOException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void guest(int no) {
        try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            seated.countDown();
            long lastId = -1;
            while (open) {
                out.writeInt(no);
                out.flush();
                if (in.readByte() == 0) {
                    empties.incrementAndGet();
                    continue;
                }
                long id = in.readLong();
                int gate = in.readInt();
                delay.addAndGet(System.nanoTime() - in.readLong());
                if (id <= lastId || gate < 0) {
                    throw new IllegalStateException("order of events");
                }
                lastId = id;
                delivered.incrementAndGet();
            }
        } catch (IOException e) {
            return;
        }
    }

    void boxOffice() {
        Random rnd = new Random(11);
        long id = 0;
        try {
            while (open) {
                Thread.sleep(5 + rnd.nextInt(10));
                id++;
                int guest = rnd.nextInt(10) == 0 ? rnd.nextInt(GUESTS) : rnd.nextInt(GUESTS - 20);
                boxes.get(guest).offer(new Event(id, rnd.nextInt(40), System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(Runnable r, String name, long stackKb) {
        Thread t = new Thread(null, r, name, stackKb * 1024);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        TicketLounge lounge = new TicketLounge();
        start(lounge::door, "door", 256);
        for (int i = 0; i < GUESTS; i++) {
            int no = i;
            start(() -> lounge.guest(no), "guest-" + i, 128);
        }
        lounge.seated.await();
        start(lounge::boxOffice, "box-office", 256);
        System.out.println("READY");
        long last = 0, lastDelay = 0;
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long c = lounge.delivered.get(), d = lounge.delay.get();
            System.out.println("measured: " + (c - last) + " events/s, mean delay "
                    + (d - lastDelay) / Math.max(1, c - last) / 1000 + " us, empty polls " + lounge.empties.get());
            last = c;
            lastDelay = d;
        }
        lounge.open = false;
        lounge.server.close();
    }
}
