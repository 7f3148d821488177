// SPDX-License-Identifier: Apache-2.0
// healthy: mails leave at most each 50 ms, as agreed with the provider, and fewer are written, so the outbox is empty
// jvm: -Xmx128m
// jdk: 21
// set: sixth
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import wick.Scope;
import wick.Wick;

/**
 * Eight customers cause twelve mails a second together, and twenty may leave. A mail is sent by a virtual thread of its
 * own within 10 ms, and no request waits for that. Everything else waits by design.
 */
public final class HealthyThrottle {
    private static volatile int sent;

    private final BlockingQueue<String> outbox = new LinkedBlockingQueue<>();

    private static void send(String mail) {
        try {
            Thread.sleep(10); // the provider takes it
            sent += mail.length();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void dispatch() {
        try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
            for (;;) {
                String mail = outbox.take();
                senders.execute(() -> send(mail));
                Thread.sleep(50); // as agreed
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String write(int customer, int order) {
        StringBuilder mail = new StringBuilder("To customer ").append(customer).append(",\n");
        for (int i = 0; i < 20; i++) {
            mail.append("article ").append(order * 31 + i).append(" is on its way\n");
        }
        return mail.toString();
    }

    private void buy(int customer) {
        try {
            Thread.sleep(customer * 80L); // they come at different times
            for (int order = 0;; order++) {
                try (Scope request = Wick.span("POST /orders")) {
                    outbox.add(write(customer, order));
                }
                Thread.sleep(660); // the next order
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyThrottle shop = new HealthyThrottle();
        Thread.ofPlatform().name("dispatcher").start(shop::dispatch);
        for (int i = 0; i < 8; i++) {
            int customer = i;
            Thread.ofVirtual().name("customer-" + i).start(() -> shop.buy(customer));
        }
        System.out.println("READY");
    }
}
