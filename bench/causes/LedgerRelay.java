// SPDX-License-Identifier: Apache-2.0
// cause: LedgerRelay.Sender.send calls ObjectOutputStream.reset() after each posting, so the class descriptors of all classes in a posting are written anew for each posting and the receiver must read and resolve them again (ObjectInputStream.readNonProxyDesc, resolveClass) each time.
// share: faulty postings/s 34225; fixed postings/s 227085 (means over seconds 3 to 11); throughput 6.6 times better when fixed
// expect: hot-code kind=class-descriptors
// symptom: hot-code waiting
// judge: NAMED: ObjectOutputStream.reset() after each posting in LedgerRelay.Sender.send makes class descriptors be sent and resolved again for each object (also right: class descriptors are rewritten/re-resolved for each message because the stream is reset each time). SYMPTOM ONLY: CPU in Java serialization, ObjectStreamClass, ObjectInputStream.readClassDesc, Class.forName in resolveClass; many allocations; much data on the socket. WRONG: socket or network slow, missing buffering, GC, lock contention, memory leak, class loading of new classes.
// jdk: 17
// set: twenty-third
// jvm:
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class LedgerRelay {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    enum Side { DEBIT, CREDIT }

    static final class Account implements Serializable {
        private static final long serialVersionUID = 1L;
        final String number;
        final int branch;

        Account(String number, int branch) {
            this.number = number;
            this.branch = branch;
        }
    }

    static final class Amount implements Serializable {
        private static final long serialVersionUID = 1L;
        final long minor;
        final String currency;

        Amount(long minor, String currency) {
            this.minor = minor;
            this.currency = currency;
        }
    }

    static final class Leg implements Serializable {
        private static final long serialVersionUID = 1L;
        final Account account;
        final Amount amount;
        final Side side;

        Leg(Account account, Amount amount, Side side) {
            this.account = account;
            this.amount = amount;
            this.side = side;
        }
    }

    static final class Posting implements Serializable {
        private static final long serialVersionUID = 1L;
        final long id;
        final long bookedMillis;
        final List<Leg> legs = new ArrayList<>(2);

        Posting(long id, long bookedMillis) {
            this.id = id;
            this.bookedMillis = bookedMillis;
        }
    }

    static final class Sender {
        final ObjectOutputStream out;
        final int every = FIXED ? 200 : 1;
        long sent;

        Sender(Socket s) throws IOException {
            out = new ObjectOutputStream(new BufferedOutputStream(s.getOutputStream(), 32768));
        }

        void send(Posting p) throws IOException {
            out.writeObject(p);
            sent++;
            if (sent % every == 0) {
                out.reset();
            }
            if (sent % 100 == 0) {
                out.flush();
            }
        }
    }

    final AtomicLong received = new AtomicLong();
    final AtomicLong lastId = new AtomicLong();
    final Map<String, Long> balances = new HashMap<>();

    void book(Posting p) {
        for (Leg leg : p.legs) {
            long signed = leg.side == Side.DEBIT ? -leg.amount.minor : leg.amount.minor;
            balances.merge(leg.account.number, signed, Long::sum);
        }
        lastId.set(p.id);
        received.incrementAndGet();
    }

    void receiver(ServerSocket server) {
        try (Socket s = server.accept();
             ObjectInputStream in = new ObjectInputStream(new BufferedInputStream(s.getInputStream(), 32768))) {
            while (true) {
                book((Posting) in.readObject());
            }
        } catch (IOException | ClassNotFoundException e) {
            System.out.println("receiver stopped " + e);
        }
    }

    void branch(int port) {
        Random rnd = new Random(12);
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Sender sender = new Sender(s);
            for (long id = 1; ; id++) {
                Posting p = new Posting(id, System.currentTimeMillis());
                long minor = BigDecimal.valueOf(rnd.nextInt(1_000_000), 2).movePointRight(2).longValue();
                p.legs.add(new Leg(new Account("A" + rnd.nextInt(3000), 7), new Amount(minor, "EUR"), Side.DEBIT));
                p.legs.add(new Leg(new Account("A" + rnd.nextInt(3000), 9), new Amount(minor, "EUR"), Side.CREDIT));
                sender.send(p);
            }
        } catch (IOException e) {
            System.out.println("branch stopped " + e);
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        LedgerRelay relay = new LedgerRelay();
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        daemon("ledger", () -> relay.receiver(server));
        daemon("branch", () -> relay.branch(server.getLocalPort()));
        System.out.println("READY");
        long last = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = relay.received.get();
            System.out.printf("measured: postings/s=%d last_id=%d%n", n - last, relay.lastId.get());
            last = n;
        }
        System.exit(0);
    }
}
