// SPDX-License-Identifier: Apache-2.0
// cause: a semaphore lets three of sixty virtual threads call a payment service that would take more
// expect: endpoint-wait kind=semaphore frame=VirtualPermits.pay | waiting kind=semaphore frame=VirtualPermits.pay
// symptom: waiting endpoint-wait unmounted-wait
// jdk: 25
// set: fourth
import java.util.concurrent.Semaphore;
import wick.Scope;
import wick.Wick;

public final class VirtualPermits {
    private static final int CLIENTS = 60;
    private static volatile int paid;

    private final Semaphore permits = new Semaphore(3);

    private static int call(int amount) throws InterruptedException {
        Thread.sleep(30); // the payment service
        return amount / 100;
    }

    private int pay(int amount) throws InterruptedException {
        permits.acquire();
        try {
            return call(amount);
        } finally {
            permits.release();
        }
    }

    private void serve() {
        try {
            for (int amount = 100;; amount++) {
                try (Scope span = Wick.span("POST /payments")) {
                    paid += pay(amount);
                }
                Thread.sleep(20); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        VirtualPermits service = new VirtualPermits();
        Thread last = null;
        for (int i = 0; i < CLIENTS; i++) {
            last = Thread.ofVirtual().name("client-" + i).start(service::serve);
        }
        System.out.println("READY");
        last.join();
    }
}
