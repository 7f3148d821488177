// SPDX-License-Identifier: Apache-2.0
// healthy: clears transfers with a partner bank that takes 120 ms per message and allows 8 messages at a time by contract (semaphore of 8 = agreed limit, all used, arrival rate of ~50/s is below the 66/s it allows); workers wait for the partner most of the time, which is not theirs to speed up
// judge: Right = healthy, or "waits for the external partner bank (socket), nothing to fix in the program". Wrong = accusing the semaphore/limit, pool size, locks, GC, Nagle, idle threads. Saying "latency is the partner's ~120 ms" as information is right.
// jdk: 11
// set: sixteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TransferGateway {
    static final LongAdder cleared = new LongAdder(), late = new LongAdder(), millis = new LongAdder();

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    /** Stands for the partner bank on the other side of the line. */
    static class PartnerBank {
        final ServerSocket server = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());
        PartnerBank() throws IOException {
            daemon("partner-bank-accept", () -> {
                try {
                    while (true) {
                        Socket s = server.accept();
                        daemon("partner-bank-line", () -> line(s));
                    }
                } catch (IOException e) { /* end of day */ }
            });
        }
        void line(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
                while (true) {
                    String iban = in.readUTF();
                    long cents = in.readLong();
                    Thread.sleep(115 + Math.abs(iban.hashCode() % 10));
                    out.writeBoolean(cents < 9_990_000);
                    out.flush();
                }
            } catch (IOException | InterruptedException e) { /* line closed */ }
        }
    }

    static class BankLine {
        final DataInputStream in; final DataOutputStream out;
        BankLine(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }
        boolean clear(String iban, long cents) throws IOException {
            out.writeUTF(iban);
            out.writeLong(cents);
            out.flush();
            return in.readBoolean();
        }
    }

    static class Transfer {
        final String iban; final long cents; final long received = System.nanoTime();
        Transfer(String iban, long cents) { this.iban = iban; this.cents = cents; }
    }

    static class Clearing {
        final Semaphore agreed = new Semaphore(8, true);
        final ConcurrentLinkedQueue<BankLine> lines = new ConcurrentLinkedQueue<>();
        final ExecutorService workers = Executors.newFixedThreadPool(12, r -> { Thread t = new Thread(r, "clearing"); t.setDaemon(true); return t; });
        final Map<String, Long> turnover = new ConcurrentHashMap<>();
        Clearing(int port) throws IOException { for (int i = 0; i < 8; i++) lines.add(new BankLine(port)); }

        void accept(Transfer t) { workers.execute(() -> clear(t)); }
        void clear(Transfer t) {
            try {
                agreed.acquire();
                boolean ok;
                try {
                    BankLine line = lines.poll();
                    try { ok = line.clear(t.iban, t.cents); } finally { lines.add(line); }
                } finally { agreed.release(); }
                if (ok) turnover.merge(t.iban.substring(0, 6), t.cents, Long::sum);
                long ms = (System.nanoTime() - t.received) / 1_000_000;
                millis.add(ms);
                if (ms > 1000) late.increment();
                cleared.increment();
            } catch (InterruptedException | IOException e) { throw new RuntimeException(e); }
        }
    }

    static void branch(Clearing clearing, int no) {
        Random rnd = new Random(no);
        try {
            while (true) {
                clearing.accept(new Transfer("DE" + (10 + rnd.nextInt(80)) + no + rnd.nextInt(1_000_000_000), rnd.nextInt(10_000_000)));
                Thread.sleep(50 + rnd.nextInt(60));
            }
        } catch (InterruptedException e) { /* closing time */ }
    }

    public static void main(String[] args) throws Exception {
        Clearing clearing = new Clearing(new PartnerBank().server.getLocalPort());
        for (int i = 0; i < 4; i++) {
            int no = i;
            daemon("branch-" + i, () -> branch(clearing, no));
        }
        for (int s = 0; s < 150; s++) {
            long d = cleared.sum(), m = millis.sum();
            Thread.sleep(1000);
            long n = cleared.sum() - d;
            System.out.println("measured: cleared/s=" + n + " avgMs=" + (n == 0 ? -1 : (millis.sum() - m) / n) + " late=" + late.sum());
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
