// SPDX-License-Identifier: Apache-2.0
// cause: a request compares each plot with each other, which is nearly all of its time, but requests are few
// expect: hot-method frame=PermitDesk.overlaps | hot-method caller=PermitDesk.overlaps | hot-calls frame=PermitDesk.overlaps | hot-code frame=PermitDesk.overlaps | endpoint-cpu frame=PermitDesk.overlaps
// symptom: hot-method hot-calls hot-code
// jdk: 11
// set: eighth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Each of two desks asks twice a second; an answer takes 40 ms of CPU time, so that a tenth of one CPU is used. */
public final class PermitDesk {
    private static final int PLOTS = 6000;
    private static final LongAdder COMPARED = new LongAdder();
    private static final LongAdder ALL = new LongAdder();

    private final double[] left = new double[PLOTS];
    private final double[] right = new double[PLOTS];

    private PermitDesk(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < PLOTS; i++) {
            left[i] = random.nextDouble() * 100000;
            right[i] = left[i] + random.nextDouble() * 20;
        }
    }

    private int overlaps() {
        long start = System.nanoTime();
        int count = 0;
        for (int i = 0; i < PLOTS; i++) {
            for (int j = 0; j < PLOTS; j++) {
                if (i != j && left[i] < right[j] && left[j] < right[i]) {
                    count++;
                }
            }
        }
        COMPARED.add(System.nanoTime() - start);
        return count;
    }

    private static void answer(Socket socket) {
        try (socket; DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                long seed = in.readLong();
                long start = System.nanoTime();
                int count = new PermitDesk(seed).overlaps();
                ALL.add(System.nanoTime() - start);
                out.writeInt(count);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void desk(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            for (long seed = port;; seed++) {
                out.writeLong(seed);
                in.readInt();
                Thread.sleep(500); // the next permit
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        for (int i = 0; i < 2; i++) {
            new Thread(() -> desk(server.getLocalPort()), "desk-" + i).start();
            Socket socket = server.accept();
            socket.setTcpNoDelay(true);
            new Thread(() -> answer(socket), "permits-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + 100 * COMPARED.sum() / (ALL.sum() + 1) + " % of a request is overlaps()");
        }
    }
}
