// SPDX-License-Identifier: Apache-2.0
// cause: the client writes header and body separately without TCP_NODELAY: Nagle's algorithm holds the second write
// expect: held-back frame=LabelPrinter$Link.print
// symptom: waiting endpoint-wait
// share: back until the delayed acknowledgement comes: ~40 ms for each round trip that needs < 1 ms
// judge: right: Nagle / delayed ACK / TCP_NODELAY / small writes before the read named, for Link.print. symptom: threads
// judge: wait for the answer of the printer server (socket read in Link.print), or the server's for requests.
// judge: wrong: CPU, GC, locks, the server's handler as slow, idle pool.
// jdk: 17
// set: thirteenth

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

public class LabelPrinter {
    static final LongAdder labels = new LongAdder(), printing = new LongAdder(), handling = new LongAdder();

    record Label(long order, String address) {
        byte[] encode() {
            StringBuilder zpl = new StringBuilder("^XA^FO20,20^BY2^BCN,80,Y,N,N^FD").append(order).append("^FS");
            int y = 140;
            for (String line : address.split(", ")) {
                zpl.append("^FO20,").append(y += 30).append("^A0N,28^FD").append(line).append("^FS");
            }
            return zpl.append("^XZ").toString().getBytes(StandardCharsets.US_ASCII);
        }
    }

    static class Link {
        final InputStream in;
        final OutputStream out;

        Link(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        int print(Label label) throws IOException {
            byte[] body = label.encode();
            out.write(ByteBuffer.allocate(8).putInt(0x5a504c00).putInt(body.length).array());
            out.write(body);
            return ByteBuffer.wrap(in.readNBytes(4)).getInt();
        }
    }

    static void serve(Socket s) {
        try (s) {
            DataInputStream in = new DataInputStream(s.getInputStream());
            OutputStream out = s.getOutputStream();
            CRC32 crc = new CRC32();
            while (true) {
                if (in.readInt() != 0x5a504c00) {
                    throw new IOException("not a label");
                }
                byte[] body = in.readNBytes(in.readInt());
                long from = System.nanoTime();
                for (int i = 0; i < 50; i++) {
                    crc.update(body);
                }
                handling.add(System.nanoTime() - from);
                out.write(ByteBuffer.allocate(4).putInt((int) crc.getValue() & 0xffff).array());
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ExecutorService spoolers = Executors.newCachedThreadPool();
        new Thread(() -> {
            try {
                while (true) {
                    Socket s = listener.accept();
                    spoolers.execute(() -> serve(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }, "printer-accept").start();
        BlockingQueue<Label> orders = new LinkedBlockingQueue<>(100);
        for (int i = 0; i < 5; i++) {
            Link link = new Link(listener.getLocalPort());
            new Thread(() -> {
                try {
                    while (true) {
                        Label label = orders.take();
                        long from = System.nanoTime();
                        link.print(label);
                        printing.add(System.nanoTime() - from);
                        labels.increment();
                    }
                } catch (IOException | InterruptedException e) {
                    System.err.println(e);
                }
            }, "packing-" + i).start();
        }
        new Thread(() -> {
            try {
                while (true) {
                    long order = ThreadLocalRandom.current().nextLong(1L << 40);
                    orders.put(new Label(order, "Customer " + order % 999 + ", Street " + order % 77 + ", 10115 Berlin"));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "order-reader").start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, labels.sumThenReset());
            System.out.printf("measured: %d labels/s of %d us each, the server handles %d us%n", n,
                    printing.sumThenReset() / n / 1000, handling.sumThenReset() / n / 1000);
        }
    }
}
