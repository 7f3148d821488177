// SPDX-License-Identifier: Apache-2.0

/**
 * Virtual threads that wait in Object.wait, each for an object of its own that nobody notifies, so that no wait is shorter
 * than WAIT_MS. Written for JDK 8's language; virtual threads are asked for by name.
 */
public class VWaits {
    static final int THREADS = 40, WAIT_MS = 30;

    static final class Own {}

    static void work() {
        Object own = new Own();
        try {
            while (true) {
                synchronized (own) {
                    own.wait(WAIT_MS);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Runnable work = VWaits::work;
        for (int i = 0; i < THREADS; i++)
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        System.out.println("up");
        Thread.sleep(Long.MAX_VALUE);
    }
}
