// SPDX-License-Identifier: Apache-2.0
// cause: each claim keeps a host session from the pool of 3 while the appraisal service works for 75 ms (ClaimsOffice$ClaimDesk.settle calls Appraiser.damage between borrow and giveBack) though it uses the session for 7 ms only: the desks wait in ClaimsOffice$HostSessionPool.borrow
// share: 10.5 to 11 of the 14 desks wait for a session all the time, 290 to 340 ms for each claim; a claim has its session for 82 to 95 ms and uses it for 7 to 10 ms
// expect: waiting kind=pool frame=ClaimsOffice$ClaimDesk.settle | waiting frame=ClaimsOffice$HostSessionPool.borrow
// symptom: waiting
// judge: NAMED: waiting for an object of a pool at ClaimsOffice$HostSessionPool.borrow or ClaimDesk.settle (also if called a wait for a notification there, with the pool named) as the first or most costly finding; better still with what borrowers do in that time (waiting for an answer in Appraiser.damage). Advice of more sessions or of giving them back sooner are both right. SYMPTOM ONLY: only that desks wait for the answers of the appraisal service (Appraiser.damage), or only a slow server or its sleep (ClaimsOffice.answer), without the pool. WRONG: anything else first (connecting, sleep in ClaimDesk.run, monitor contention in borrow or giveBack as the cause, objects said to be lost or leaked as a fact, collections, CPU)
// jdk: 8
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Settles motor claims: policies are on the host, damages are appraised by a service that inspects the photos. */
public class ClaimsOffice {
    static final int DESKS = 14;
    static final AtomicLong SETTLED = new AtomicLong();
    static final AtomicLong BORROW_NS = new AtomicLong();
    static final AtomicLong LENT_NS = new AtomicLong();
    static final AtomicLong USED_NS = new AtomicLong();

    /** A terminal session at the host, one conversation at a time. */
    static final class HostSession {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;

        HostSession(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        long transact(long input) throws IOException {
            long begin = System.nanoTime();
            out.writeLong(input);
            long answer = in.readLong();
            USED_NS.addAndGet(System.nanoTime() - begin);
            return answer;
        }
    }

    /** The sessions that the data centre grants this office. */
    static final class HostSessionPool {
        private final Deque<HostSession> free = new ArrayDeque<HostSession>();

        HostSessionPool(int port, int size) throws IOException {
            for (int i = 0; i < size; i++) {
                free.add(new HostSession(port));
            }
        }

        synchronized HostSession borrow() throws InterruptedException {
            while (free.isEmpty()) {
                wait();
            }
            return free.removeFirst();
        }

        synchronized void giveBack(HostSession session) {
            free.addLast(session);
            notify();
        }
    }

    /** Client of the appraisal service, one connection for each desk. */
    static final class Appraiser {
        private final DataInputStream in;
        private final DataOutputStream out;

        Appraiser(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        long damage(long photos) throws IOException {
            out.writeLong(photos);
            return in.readLong();
        }
    }

    static final class ClaimDesk implements Runnable {
        private final HostSessionPool sessions;
        private final Appraiser appraiser;
        private final Random random;

        ClaimDesk(HostSessionPool sessions, Appraiser appraiser, int desk) {
            this.sessions = sessions;
            this.appraiser = appraiser;
            this.random = new Random(desk);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long claim = random.nextInt(1000000);
                    settle(claim);
                    SETTLED.incrementAndGet();
                    Thread.sleep(2 + random.nextInt(6));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private long settle(long claim) throws IOException, InterruptedException {
            long asked = System.nanoTime();
            HostSession session = sessions.borrow();
            long got = System.nanoTime();
            BORROW_NS.addAndGet(got - asked);
            try {
                long policy = session.transact(claim);
                long damage = appraiser.damage(claim ^ policy);
                long paid = Math.max(0, damage - excess(policy));
                return session.transact(paid);
            } finally {
                LENT_NS.addAndGet(System.nanoTime() - got);
                sessions.giveBack(session);
            }
        }

        private static long excess(long policy) {
            return policy % 3 == 0 ? 150 : policy % 7 == 0 ? 1000 : 300;
        }
    }

    /** Stands in for a remote system: answers each question after some time. */
    static int remote(final String name, final int millis) throws IOException {
        final ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread door = new Thread(name + "-door") {
            @Override
            public void run() {
                for (int n = 0;; n++) {
                    try {
                        final Socket socket = server.accept();
                        socket.setTcpNoDelay(true);
                        Thread line = new Thread(name + "-line-" + n) {
                            @Override
                            public void run() {
                                answer(socket, millis);
                            }
                        };
                        line.setDaemon(true);
                        line.start();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        };
        door.setDaemon(true);
        door.start();
        return server.getLocalPort();
    }

    static void answer(Socket socket, int millis) {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                long question = in.readLong();
                Thread.sleep(millis);
                out.writeLong(question * 31 % 100003);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        int host = remote("host", 3);
        int appraisal = remote("appraisal", 75);
        HostSessionPool sessions = new HostSessionPool(host, 3);
        for (int desk = 0; desk < DESKS; desk++) {
            new Thread(new ClaimDesk(sessions, new Appraiser(appraisal), desk), "claim-desk-" + desk).start();
        }
        long claims = 0, borrow = 0, lent = 0, used = 0;
        long at = System.nanoTime();
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            double s = (now - at) / 1e9;
            long c = SETTLED.get(), b = BORROW_NS.get(), l = LENT_NS.get(), u = USED_NS.get();
            double n = Math.max(1, c - claims);
            System.out.printf("measured: %.0f claims/s, each waits %.0f ms for a session and has it for %.0f ms, of which it is used for %.0f ms; %.1f of %d desks wait for one%n",
                (c - claims) / s, (b - borrow) / 1e6 / n, (l - lent) / 1e6 / n, (u - used) / 1e6 / n, (b - borrow) / 1e9 / s, DESKS);
            claims = c;
            borrow = b;
            lent = l;
            used = u;
            at = now;
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
