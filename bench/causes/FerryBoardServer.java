// SPDX-License-Identifier: Apache-2.0
// cause: FerryBoardServer$Quay.serve leaves the Link of a board that disconnects without the command Q (all of them do) in the map links, and never ends its Deflater, so that about 20 Deflaters a second stay with some 260 KiB of native memory each (about half of it touched): native memory outside the heap grows all the time.
// share: faulty resident memory grows by about 2,400 KiB a second without end (113 MiB after 25 s), fixed (link removed and Deflater ended when the connection ends) by 320 to 396 KiB a second at first, only until the Java heap has its size (64 MiB after 25 s): growth 6 times less, memory 1.75 times less after 25 s; 120 updates/s for both (the pace of the boards). What suffers is memory, not speed.
// expect: native-leak | memory-growth
// symptom: hot-code
// judge: NAMED: native memory leaks by Deflaters (zlib, deflateInit2) that FerryBoardServer$Link makes in Quay.serve (links.computeIfAbsent) and that are never ended, kept in Quay.links. SYMPTOM ONLY: the resident set or native memory grows, by malloc; it is not the Java heap. WRONG: a leak of the Java heap, a heap too small, direct buffers, thread stacks, metaspace; sockets or files left open; waits for sockets, the sleeps of boards (their pace) as a fault; compressing as too much CPU; the Inflater of Boards (one each, reset and used again).
// jdk: 25
// set: thirtieth
// jvm:

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class FerryBoardServer {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);

    static final class Link {
        final long id;
        final Deflater deflater = new Deflater(6, true);
        final byte[] scratch = new byte[4096];
        long sent;

        Link(long id) {
            this.id = id;
        }

        int pack(String timetable) {
            deflater.setInput(timetable.getBytes(StandardCharsets.UTF_8));
            int n = deflater.deflate(scratch, 0, scratch.length, Deflater.SYNC_FLUSH);
            sent += n;
            return n;
        }

        void close() {
            deflater.end();
        }
    }

    static final class Quay implements Runnable {
        final ServerSocket server;
        final ExecutorService pool = Executors.newFixedThreadPool(6, r -> {
            Thread t = new Thread(r, "quay");
            t.setDaemon(true);
            return t;
        });
        final Map<Long, Link> links = new ConcurrentHashMap<>();
        final LongAdder updates;
        volatile String timetable = "";

        Quay(ServerSocket server, LongAdder updates) {
            this.server = server;
            this.updates = updates;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket s = server.accept();
                    pool.execute(() -> serve(s));
                }
            } catch (IOException e) {
                System.err.println("quay closed: " + e);
            }
        }

        void serve(Socket s) {
            Link link = null;
            try (s) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                link = links.computeIfAbsent(in.readLong(), Link::new);
                while (true) {
                    int command = in.read();
                    if (command == 'Q') {
                        links.remove(link.id).close();
                        return;
                    }
                    if (command < 0) {
                        break;
                    }
                    int n = link.pack(timetable);
                    byte[] frame = new byte[4 + n];
                    frame[2] = (byte) (n >> 8);
                    frame[3] = (byte) n;
                    System.arraycopy(link.scratch, 0, frame, 4, n);
                    out.write(frame);
                    updates.increment();
                }
            } catch (IOException e) {
                System.err.println("board lost: " + e);
            }
            if (FIXED && link != null) {
                links.remove(link.id);
                link.close();
            }
        }
    }

    static final class Boards implements Runnable {
        final int port;
        final AtomicLong ids;
        final Inflater inflater = new Inflater(true);
        final byte[] text = new byte[8192];

        Boards(int port, AtomicLong ids) {
            this.port = port;
            this.ids = ids;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    visit();
                    Thread.sleep(150);
                } catch (IOException | DataFormatException e) {
                    System.err.println("board: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        void visit() throws IOException, DataFormatException, InterruptedException {
            try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
                s.setTcpNoDelay(true);
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                DataInputStream in = new DataInputStream(s.getInputStream());
                out.writeLong(ids.incrementAndGet());
                inflater.reset();
                for (int i = 0; i < 6; i++) {
                    out.write('U');
                    byte[] packed = new byte[in.readInt()];
                    in.readFully(packed);
                    inflater.setInput(packed);
                    if (inflater.inflate(text) == 0) {
                        throw new IOException("empty timetable");
                    }
                    Thread.sleep(15);
                }
            }
        }
    }

    static String timetable(long minute) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            long at = minute + i * 17;
            b.append("line ").append(i % 7).append(" to pier ").append((minute * 31 + i * 13) % 40)
                    .append(" leaves ").append(at / 60 % 24).append(':').append(at % 60).append('\n');
        }
        return b.toString();
    }

    static long residentKiB() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return 0;
    }

    public static void main(String[] args) throws Exception {
        LongAdder updates = new LongAdder();
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Quay quay = new Quay(server, updates);
        quay.timetable = timetable(0);
        Thread accept = new Thread(quay, "accept");
        accept.setDaemon(true);
        accept.start();
        AtomicLong ids = new AtomicLong();
        for (int i = 0; i < 5; i++) {
            Thread t = new Thread(new Boards(server.getLocalPort(), ids), "boards-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = residentKiB();
        for (int s = 1; s <= SPAN; s++) {
            Thread.sleep(1000);
            quay.timetable = timetable(s);
            long now = residentKiB();
            System.out.println("measured: resident memory " + now / 1024 + " MiB, " + (now - before)
                    + " KiB more than a second ago; " + updates.sumThenReset() + " updates/s");
            before = now;
        }
        System.exit(0);
    }
}
