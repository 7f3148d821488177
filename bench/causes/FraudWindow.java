// SPDX-License-Identifier: Apache-2.0
// cause: -Xmn gives three quarters of the heap to young objects, so the payments that are kept do not fit into the old generation and each collection is a full one
// share: collections take 52 to 63 % of the time, all of them full, at 68000 to 80000 payments a second; 460000 to 790000 without -Xmn
// expect: gc-pauses | gc-cpu | promotion | live-set | heap-limit
// judge: right is that nearly all collections are full ones, that the old generation is too small for what is kept, or that collections take most of the time
// symptom: allocation-stall hot-method hot-calls hot-code
// jvm: -Xmx64m -Xms64m -Xmn48m -XX:+UseSerialGC
// jdk: 11
// set: tenth
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Payments are compared with those of the last hour. */
public final class FraudWindow {
    private static final int KEPT = 230_000;
    private static final LongAdder PAYMENTS = new LongAdder();

    private static final class Payment {
        final String merchant;
        final long card;
        final long cents;

        Payment(String merchant, long card, long cents) {
            this.merchant = merchant;
            this.card = card;
            this.cents = cents;
        }
    }

    private final Deque<Payment> window = new ArrayDeque<>(KEPT + 1);
    private final Map<Long, Long> spent = new HashMap<>();

    private static String message(int n) {
        return "{\"id\":" + n + ",\"merchant\":\"M-" + n % 90_001 + "\",\"card\":" + n * 31L % 5003 + ",\"cents\":" + n % 40_009
                + ",\"device\":\"" + Integer.toHexString(n * 77) + "\",\"agent\":\"Mozilla/5.0 (X11; Linux x86_64)\"}";
    }

    private static Payment parse(String message) {
        Map<String, String> fields = new HashMap<>();
        for (String field : message.substring(1, message.length() - 1).split(",")) {
            String[] pair = field.replace("\"", "").split(":", 2);
            fields.put(pair[0], pair[1]);
        }
        return new Payment(fields.get("merchant"), Long.parseLong(fields.get("card")), Long.parseLong(fields.get("cents")));
    }

    private boolean suspicious(Payment payment) {
        window.addLast(payment);
        if (window.size() > KEPT) {
            Payment gone = window.removeFirst();
            spent.merge(gone.card, -gone.cents, Long::sum);
        }
        return spent.merge(payment.card, payment.cents, Long::sum) > 5_000_000;
    }

    private void run() {
        int alarms = 0;
        for (int n = 0; alarms >= 0; n = (n + 1) & 0xffffff) {
            if (suspicious(n < KEPT ? new Payment("M-" + n % 90_001, n % 5003, n % 400) : parse(message(n)))) {
                alarms = (alarms + 1) & 0xffffff;
            }
            PAYMENTS.increment();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(new FraudWindow()::run, "payments").start();
        System.out.println("READY");
        long before = 0;
        for (;;) {
            Thread.sleep(1000);
            long ms = 0;
            StringBuilder each = new StringBuilder();
            for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                ms += collector.getCollectionTime();
                each.append(", ").append(collector.getName()).append(' ').append(collector.getCollectionCount());
            }
            System.out.println("measured: " + (ms - before) + " ms of a second are collections, " + PAYMENTS.sumThenReset() + " payments" + each);
            before = ms;
        }
    }
}
