// SPDX-License-Identifier: Apache-2.0
// cause: who finds the device busy waits for a while and tries again, without giving the device's lock back
// expect: waiting kind=sleep frame=BackoffUnderLock.
// symptom: waiting lock-contention
// jdk: 11
// set: second
import java.util.concurrent.ThreadLocalRandom;

public final class BackoffUnderLock {
    private int written;

    private boolean isReady() {
        return ThreadLocalRandom.current().nextInt(4) == 0;
    }

    private synchronized void write(int value) throws InterruptedException {
        for (int wait = 1; !isReady(); wait *= 2) {
            Thread.sleep(Math.min(wait, 16));
        }
        written += value;
    }

    private void serve() {
        try {
            for (int i = 0;; i++) {
                write(i);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        BackoffUnderLock device = new BackoffUnderLock();
        for (int i = 0; i < 5; i++) {
            new Thread(device::serve, "request-" + i).start();
        }
        System.out.println("READY");
    }
}
