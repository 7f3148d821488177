// SPDX-License-Identifier: Apache-2.0
// cause: a limiter lets one request in at a time
// expect: waiting kind=semaphore frame=SemaphoreOfOne.request
// jdk: 8
import java.util.concurrent.Semaphore;

public final class SemaphoreOfOne {
    private final Semaphore limiter = new Semaphore(1);

    private void request() throws InterruptedException {
        limiter.acquire();
        try {
            Thread.sleep(15); // a licensed library
        } finally {
            limiter.release();
        }
    }

    private void serve() {
        try {
            for (;;) {
                request();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        SemaphoreOfOne service = new SemaphoreOfOne();
        for (int i = 0; i < 8; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
