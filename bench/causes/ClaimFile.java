// SPDX-License-Identifier: Apache-2.0
// cause: a claim is checked with four registers in turn, each 15 to 40 ms away, on a virtual thread
// expect: waiting sequence=ClaimFile.check | endpoint-wait sequence=ClaimFile.check
// symptom: waiting endpoint-wait unmounted-wait
// jdk: 25
// set: eighth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import wick.Scope;
import wick.Wick;

public final class ClaimFile {
    private static final int[] MILLIS = {40, 15, 25, 30};
    private static final LongAdder ASKED = new LongAdder();
    private static final LongAdder ALL = new LongAdder();

    private static final class Register {
        private final int millis;
        private final DataInputStream in;
        private final DataOutputStream out;

        private Register(int port, int millis) throws IOException {
            this.millis = millis;
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        private boolean knows(int claim) throws IOException {
            long start = System.nanoTime();
            out.writeLong((long) millis << 32 | claim);
            boolean known = in.readBoolean();
            ASKED.add(System.nanoTime() - start);
            return known;
        }
    }

    private final List<Register> registers = new ArrayList<>();

    private ClaimFile(int[] ports) throws IOException {
        for (int i = 0; i < ports.length; i++) {
            registers.add(new Register(ports[i], MILLIS[i]));
        }
    }

    private int check(int claim) throws IOException {
        int known = 0;
        for (Register register : registers) {
            if (register.knows(claim)) {
                known++;
            }
        }
        return known;
    }

    private static void serve(int client, int[] ports) {
        try {
            ClaimFile file = new ClaimFile(ports);
            for (int claim = client;; claim += 8) {
                long start = System.nanoTime();
                try (Scope request = Wick.span("POST /claims")) {
                    file.check(claim);
                }
                ALL.add(System.nanoTime() - start);
                Thread.sleep(40); // the next claim
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(Socket socket) {
        try (socket; DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                long question = in.readLong();
                Thread.sleep(question >>> 32);
                out.writeBoolean((question & 3) != 0);
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void listen(ServerSocket server) {
        try {
            for (;;) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                Thread.startVirtualThread(() -> answer(socket));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The registers, in a process of their own. */
    private static void registers() throws IOException {
        StringBuilder ports = new StringBuilder();
        for (int i = 0; i < MILLIS.length; i++) {
            ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            ports.append(server.getLocalPort()).append(' ');
            new Thread(() -> listen(server)).start();
        }
        System.out.println(ports.toString().trim());
        System.in.transferTo(java.io.OutputStream.nullOutputStream());
        System.exit(0);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length > 0) {
            registers();
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx24m", "-cp",
                System.getProperty("java.class.path"), "ClaimFile", "registers").start();
        String[] said = child.inputReader().readLine().split(" ");
        int[] ports = new int[said.length];
        for (int i = 0; i < said.length; i++) {
            ports[i] = Integer.parseInt(said[i]);
        }
        for (int i = 0; i < 8; i++) {
            int client = i;
            Thread.ofVirtual().name("claims-" + i).start(() -> serve(client, ports));
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + 100 * ASKED.sum() / (ALL.sum() + 1) + " % of a claim's time is asking in turn");
        }
    }
}
