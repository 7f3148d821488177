// SPDX-License-Identifier: Apache-2.0
// cause: TideGauges.ask sends each request in two small writes (length, then body) on a socket without TCP_NODELAY, then waits for the answer: Nagle's algorithm and the peer's delayed ACK add about 40 ms to each exchange.
// share: over 98 % of the latency; mean 43900 us against 150 us with -Dfixed=true, 125 against 1380 readings/s (ratio about 11 in throughput)
// judge: must name small split writes / Nagle / missing TCP_NODELAY (or missing buffering into one write) at TideGauges.ask. "Waits for the network / the slow station in SocketInputStream.read" is only a symptom; the station answers in well under a millisecond.
// expect: held-back frame=TideGauges.ask
// symptom: waiting
// set: twentieth
// jdk: 11
import java.io.DataInputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

public class TideGauges {
    static final AtomicLong readings = new AtomicLong();
    static final AtomicLong micros = new AtomicLong();
    static final String[] SITES = {"Brest", "Saint-Malo", "Cuxhaven", "Esbjerg", "Bergen", "Hook"};

    static void station(Socket s) {
        try (Socket c = s) {
            DataInputStream in = new DataInputStream(c.getInputStream());
            OutputStream out = c.getOutputStream();
            while (true) {
                byte[] body = new byte[in.readInt()];
                in.readFully(body);
                double level = 4.2;
                for (int i = 0; i < body.length * 20; i++) {
                    level += Math.sin(level * i + body[i % body.length]) * 0.01;
                }
                byte[] text = ("level=" + Math.round(level * 100)).getBytes(StandardCharsets.US_ASCII);
                out.write(ByteBuffer.allocate(4 + text.length).putInt(text.length).put(text).array());
            }
        } catch (Exception e) {
            System.err.println("station closed: " + e);
        }
    }

    static void accept(ServerSocket server) {
        try {
            while (true) {
                Socket s = server.accept();
                start(() -> station(s), "station");
            }
        } catch (Exception e) {
            System.err.println("accept: " + e);
        }
    }

    static String ask(OutputStream out, DataInputStream in, String query) throws Exception {
        byte[] body = query.getBytes(StandardCharsets.US_ASCII);
        out.write(ByteBuffer.allocate(4).putInt(body.length).array());
        out.write(body);
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return new String(answer, StandardCharsets.US_ASCII);
    }

    static void collector(int port) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            if (Boolean.getBoolean("fixed")) {
                s.setTcpNoDelay(true);
            }
            OutputStream out = s.getOutputStream();
            DataInputStream in = new DataInputStream(s.getInputStream());
            while (true) {
                String query = "site=" + SITES[r.nextInt(SITES.length)] + ";minute=" + r.nextInt(1440);
                long t = System.nanoTime();
                String answer = ask(out, in, query);
                micros.addAndGet((System.nanoTime() - t) / 1000);
                if (answer.startsWith("level=")) {
                    readings.incrementAndGet();
                }
                Thread.sleep(4);
            }
        } catch (Exception e) {
            System.err.println("collector closed: " + e);
        }
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(() -> accept(server), "station-accept");
        for (int i = 0; i < 6; i++) {
            start(() -> collector(server.getLocalPort()), "collector-" + i);
        }
        System.out.println("READY");
        long lastN = 0;
        long lastT = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = readings.get();
            long t = micros.get();
            System.out.println("measured: " + (n - lastN) + " readings/s, mean "
                    + (n == lastN ? 0 : (t - lastT) / (n - lastN)) + " us");
            lastN = n;
            lastT = t;
        }
    }
}
