// SPDX-License-Identifier: Apache-2.0
// cause: one thread survives an OutOfMemoryError of its own kind, then another one ends the thread that accepts clients
// expect: out-of-memory thread=acceptor fate=has_ended
// symptom: out-of-memory gc-pauses gc-cpu
// jdk: 17
import java.util.concurrent.ArrayBlockingQueue;

public final class SecondVictim {
    private static final ArrayBlockingQueue<byte[]> CLIENTS = new ArrayBlockingQueue<>(16);
    private static final long BEGIN = System.nanoTime(), GOES_WELL_NS = 5_000_000_000L;
    private static volatile int answered, refused;

    private static boolean goesWell() {
        return System.nanoTime() - BEGIN < GOES_WELL_NS;
    }

    private static void imports() {
        for (;;) {
            try {
                Thread.sleep(50);
                answered += new byte[goesWell() ? 1000 : Integer.MAX_VALUE].length; /* "array size exceeds VM limit" */
            } catch (OutOfMemoryError e) {
                refused++;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void accept() {
        try {
            for (;;) {
                Thread.sleep(20);
                CLIENTS.put(new byte[System.nanoTime() - BEGIN < GOES_WELL_NS + 500_000_000L ? 1000 : 1 << 30]);
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
        new Thread(SecondVictim::imports, "importer").start();
        new Thread(SecondVictim::accept, "acceptor").start();
        for (int i = 0; i < 4; i++) {
            new Thread(SecondVictim::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
