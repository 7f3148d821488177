// SPDX-License-Identifier: Apache-2.0
// cause: the thread that accepts clients ends with an OutOfMemoryError, and the service stands still
// expect: out-of-memory thread=acceptor fate=has_ended
// symptom: gc-pauses gc-cpu
// jdk: 21
import java.util.concurrent.ArrayBlockingQueue;

public final class DeadAcceptor {
    private static final ArrayBlockingQueue<byte[]> CLIENTS = new ArrayBlockingQueue<>(16);
    private static final long BEGIN = System.nanoTime(), GOES_WELL_NS = 5_000_000_000L;
    private static volatile int answered;

    private static void accept() {
        try {
            for (;;) {
                Thread.sleep(20);
                int size = System.nanoTime() - BEGIN < GOES_WELL_NS ? 1000 : 1 << 30; /* as a client said */
                CLIENTS.put(new byte[size]);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void serve() {
        try {
            for (;;) {
                answered += CLIENTS.take().length;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        new Thread(DeadAcceptor::accept, "acceptor").start();
        for (int i = 0; i < 4; i++) {
            new Thread(DeadAcceptor::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
