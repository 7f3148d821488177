// SPDX-License-Identifier: Apache-2.0
// cause: BetSlipTerminals$Frame.writeTo writes a message in small pieces straight to a socket without TCP_NODELAY (the type, the length, the text), so Nagle's algorithm keeps all but the first of them back until the office acknowledges that, 40 ms later; BetSlipTerminals$Terminal.post waits for the receipt so long
// share: about 40 ms of each of a terminal's posts, where the office needs less than 1 ms; 5 terminals for over 80 % of their time (see "measured")
// expect: held-back frame=BetSlipTerminals$
// symptom: waiting
// judge: NAMED: Nagle's algorithm / held-back data / delayed acknowledgement at BetSlipTerminals$Terminal.post, Frame.readFrom or Frame.writeTo. SYMPTOM ONLY: terminals wait for the office's answer (socket read) at Terminal.post or Frame.readFrom, or many small writes, without Nagle or acknowledgements. WRONG: anything else as the cause (the office, BetSlipTerminals$Office/Counter, is slow or reads badly; Terminal's sleep; locks; CPU; collections).
// jdk: 25
// set: thirty-fourth
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class BetSlipTerminals {
    static final LongAdder posts = new LongAdder(), postNs = new LongAdder(), officeNs = new LongAdder();

    record Frame(int type, byte[] text) {
        static final int SLIP = 1, RECEIPT = 2;

        static Frame of(int type, String text) {
            return new Frame(type, text.getBytes(StandardCharsets.UTF_8));
        }

        void writeTo(DataOutputStream out) throws IOException {
            out.writeShort(type);
            out.writeInt(text.length);
            out.write(text);
            out.flush();
        }

        static Frame readFrom(DataInputStream in) throws IOException {
            int type = in.readShort();
            byte[] text = new byte[Math.min(65536, in.readInt())];
            in.readFully(text);
            return new Frame(type, text);
        }

        String string() {
            return new String(text, StandardCharsets.UTF_8);
        }
    }

    /** The central office: registers slips, one thread for each terminal. */
    static final class Office extends Thread {
        private final ServerSocket door;

        Office() throws IOException {
            super("office-door");
            door = new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1"));
            setDaemon(true);
        }

        int port() {
            return door.getLocalPort();
        }

        @Override public void run() {
            for (int n = 0;; n++) {
                try {
                    Thread t = new Thread(new Counter(door.accept()), "counter-" + n);
                    t.setDaemon(true);
                    t.start();
                } catch (IOException e) {
                    System.err.println("office: " + e);
                }
            }
        }
    }

    static final class Counter implements Runnable {
        private final Socket socket;
        private long number;

        Counter(Socket socket) {
            this.socket = socket;
        }

        @Override public void run() {
            try (Socket s = socket) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
                while (true) {
                    Frame slip = Frame.readFrom(in);
                    long from = System.nanoTime();
                    Frame receipt = Frame.of(Frame.RECEIPT, "no " + ++number + " stake " + stake(slip.string()));
                    officeNs.add(System.nanoTime() - from);
                    receipt.writeTo(out);
                }
            } catch (EOFException e) {
                return;
            } catch (IOException e) {
                System.err.println("counter: " + e);
            }
        }

        private static int stake(String slip) {
            int sum = 0;
            for (String part : slip.split(";")) {
                int at = part.indexOf('@');
                sum += Integer.parseInt(part.substring(at + 1));
            }
            return sum;
        }
    }

    static final class Terminal extends Thread {
        private final int port;
        private long letters;

        Terminal(int n, int port) {
            super("terminal-" + n);
            this.port = port;
            setDaemon(true);
        }

        @Override public void run() {
            while (true) {
                try (Socket s = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
                    DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                    DataOutputStream out = new DataOutputStream(s.getOutputStream());
                    while (true) {
                        String slip = slip();
                        long from = System.nanoTime();
                        letters += post(in, out, slip).length();
                        postNs.add(System.nanoTime() - from);
                        posts.increment();
                        Thread.sleep(4);
                    }
                } catch (IOException e) {
                    System.err.println(getName() + ": " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private String post(DataInputStream in, DataOutputStream out, String slip) throws IOException {
            Frame.of(Frame.SLIP, slip).writeTo(out);
            Frame f = Frame.readFrom(in);
            if (f.type() != Frame.RECEIPT) {
                throw new IOException("type " + f.type());
            }
            return f.string();
        }

        private static String slip() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                b.append(i == 0 ? "" : ";").append("race").append(r.nextInt(12)).append("/horse").append(r.nextInt(16)).append('@').append(2 + r.nextInt(48));
            }
            return b.toString();
        }
    }

    public static void main(String[] args) throws Exception {
        Office office = new Office();
        office.start();
        for (int i = 0; i < 5; i++) {
            new Terminal(i, office.port()).start();
        }
        while (posts.sum() < 150) {
            Thread.sleep(100);
        }
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long p = posts.sum(), n = postNs.sum(), o = officeNs.sum(), at = System.nanoTime();
            Thread.sleep(1000);
            long k = Math.max(1, posts.sum() - p);
            System.out.printf(Locale.ROOT, "measured: %d slips, %.1f ms each, of which the office needs %.3f ms; %.1f of 5 terminals wait%n", k,
                (postNs.sum() - n) / 1e6 / k, (officeNs.sum() - o) / 1e6 / k, (postNs.sum() - n) / (double) (System.nanoTime() - at));
        }
    }
}
