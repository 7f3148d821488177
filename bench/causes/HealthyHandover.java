// SPDX-License-Identifier: Apache-2.0
// healthy: a gateway hands each message to one of four writers that wait for one, of which one is busy now and then
// jvm: -Xmx128m -XX:+UseShenandoahGC
// jdk: 21
// set: sixth
import java.util.concurrent.SynchronousQueue;

/**
 * Bursts of three messages come each 80 ms. Storing one takes 6 ms, and one of fifty has to be sent again after 30 ms,
 * as the store was busy. Four writers could store several hundred a second, so that the gateway never waits for one.
 */
public final class HealthyHandover {
    private static volatile int stored;

    private final SynchronousQueue<String> messages = new SynchronousQueue<>();

    private static boolean store(int attempt, String message) throws InterruptedException {
        Thread.sleep(6); // the store has it
        stored += message.length();
        return attempt > 0 || message.hashCode() % 50 != 0;
    }

    private void write() {
        try {
            for (;;) {
                String message = messages.take();
                for (int attempt = 0; !store(attempt, message); attempt++) {
                    Thread.sleep(30); // as the store asks for
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String sign(int n) {
        long hash = n;
        for (int i = 0; i < 3000; i++) {
            hash = hash * 6364136223846793005L + (hash >>> 33);
        }
        return "message " + n + " " + hash;
    }

    private void receive() throws InterruptedException {
        for (int n = 0;; n += 3) {
            for (int i = 0; i < 3; i++) {
                messages.put(sign(n + i));
            }
            Thread.sleep(80); // the next burst
        }
    }

    public static void main(String[] args) throws InterruptedException {
        HealthyHandover gateway = new HealthyHandover();
        for (int i = 0; i < 4; i++) {
            new Thread(gateway::write, "writer-" + i).start();
        }
        System.out.println("READY");
        gateway.receive();
    }
}
