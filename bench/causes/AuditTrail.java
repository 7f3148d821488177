// SPDX-License-Identifier: Apache-2.0
// cause: the one shipper of an unbounded queue waits for an acknowledgement after each entry, so the queue grows
// expect: waiting frame=AuditTrail.ship | saturated-thread thread=audit-shipper | pool-busy pool=audit-shipper
// symptom: waiting saturated-thread
// jdk: 11
// set: eighth
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** 250 entries a second are written, and 150 a second shipped. */
public final class AuditTrail {
    private static final LongAdder SHIPPED = new LongAdder();
    private static final LongAdder ACKNOWLEDGE = new LongAdder();

    private final BlockingQueue<String> entries = new LinkedBlockingQueue<>();

    private void request(int number) {
        entries.add("user-" + number % 90 + " read account-" + number * 31 % 1000);
    }

    private void serve(int client) {
        try {
            for (int i = client;; i += 5) {
                request(i);
                Thread.sleep(20); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void ship(DataOutputStream out, DataInputStream in, String entry) throws IOException {
        long start = System.nanoTime();
        out.writeUTF(entry);
        if (in.readInt() < 0) {
            throw new IOException("refused: " + entry);
        }
        ACKNOWLEDGE.add(System.nanoTime() - start);
        SHIPPED.increment();
    }

    private void shipper(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            for (;;) {
                ship(out, in, entries.take());
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void archive() throws IOException, InterruptedException {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        try (Socket socket = server.accept()) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            for (int n = 0;; n++) {
                in.readUTF();
                Thread.sleep(6); // the archive's own disk
                out.writeInt(n);
            }
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length > 0) {
            try {
                archive();
            } catch (IOException e) {
                System.exit(0); // the caller is gone
            }
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "AuditTrail", "archive").start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        AuditTrail trail = new AuditTrail();
        new Thread(() -> trail.shipper(port), "audit-shipper").start();
        for (int i = 0; i < 5; i++) {
            int client = i;
            new Thread(() -> trail.serve(client), "http-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + trail.entries.size() + " entries wait, an acknowledgement takes "
                    + ACKNOWLEDGE.sum() / 1000 / (SHIPPED.sum() + 1) + " us");
        }
    }
}
