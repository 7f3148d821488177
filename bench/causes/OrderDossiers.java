// SPDX-License-Identifier: Apache-2.0
// cause: OrderDossiers.assemble asks the store for each of the 40 rows of a dossier by a request of its own and waits for each answer (N+1 requests), although Store.prices takes any number of ids in one request.
// share: faulty: 150-177 dossiers/s, mean 18.8 ms; fixed (one request for 40 ids): 5700-6800 dossiers/s, mean 0.47 ms (about 40 times better).
// expect: waiting frame=Store.prices asks=0 | waiting frame=Store.prices sequence=.
// symptom: waiting
// judge: NAMED: many small sequential round trips for one dossier (assemble -> Store.prices, 40 per dossier, about 0.45 ms each); batch them. SYMPTOM ONLY: desk threads wait in socket reads / the store or network is slow, without the number of requests per dossier or the chattiness. WRONG: the store threads wait for input, parkNanos in the server as the cause, locks, CPU, GC, missing buffering, missing TCP_NODELAY (it is set).
// jdk: 17
// set: twenty-seventh
// jvm: -Xmx64m
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.LockSupport;

public class OrderDossiers {
    static final long START = System.nanoTime();
    static final boolean OPTION = Boolean.getBoolean("fixed");
    static final AtomicLong dossiers = new AtomicLong(), time = new AtomicLong(), value = new AtomicLong();

    static void serve(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream(), 8192));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream(), 8192));
            while (true) {
                int n = in.readInt();
                int[] ids = new int[n];
                for (int i = 0; i < n; i++) ids[i] = in.readInt();
                LockSupport.parkNanos(250_000);
                for (int id : ids) {
                    out.writeInt(id);
                    out.writeUTF("article " + id % 977);
                    out.writeLong(id * 37L % 10007);
                }
                out.flush();
            }
        } catch (EOFException e) {
        } catch (IOException e) { throw new UncheckedIOException(e); }
    }

    static final class Store {
        final DataInputStream in;
        final DataOutputStream out;
        Store(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream(), 8192));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream(), 8192));
        }
        long[] prices(int... ids) throws IOException {
            out.writeInt(ids.length);
            for (int id : ids) out.writeInt(id);
            out.flush();
            long[] p = new long[ids.length];
            for (int i = 0; i < p.length; i++) {
                in.readInt();
                in.readUTF();
                p[i] = in.readLong();
            }
            return p;
        }
    }

    static long assemble(Store store, int[] rows) throws IOException {
        long total = 0;
        if (OPTION) {
            for (long p : store.prices(rows)) total += p;
        } else {
            for (int row : rows) total += store.prices(row)[0];
        }
        return total;
    }

    static void desk(int n, int port) {
        try {
            Store store = new Store(port);
            Random r = new Random(n);
            while (true) {
                int[] rows = r.ints(40, 1, 1_000_000).toArray();
                long t = System.nanoTime();
                value.addAndGet(assemble(store, rows));
                time.addAndGet(System.nanoTime() - t);
                dossiers.incrementAndGet();
            }
        } catch (IOException e) { throw new UncheckedIOException(e); }
    }

    static void spawn(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        ServerSocket ss = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        spawn("store-accept", () -> {
            try {
                for (int i = 0; ; i++) { Socket s = ss.accept(); spawn("store-" + i, () -> serve(s)); }
            } catch (IOException e) { throw new UncheckedIOException(e); }
        });
        for (int i = 0; i < 3; i++) { int n = i; spawn("desk-" + i, () -> desk(n, ss.getLocalPort())); }
        Thread.sleep(5000);
        System.out.println("READY");
        dossiers.set(0); time.set(0);
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = dossiers.getAndSet(0), d = time.getAndSet(0);
            System.out.printf(Locale.ROOT, "measured: %d dossiers/s, mean %.2f ms%n", n, n == 0 ? 0.0 : d / 1e6 / n);
        }
    }
}
