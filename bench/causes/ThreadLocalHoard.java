// SPDX-License-Identifier: Apache-2.0
// cause: templates of each thread and tenant, never removed, fill the heap: full collections all the time
// expect: gc-pauses | gc-cpu | live-set | allocation-stall
// symptom: promotion hot-code hot-method hot-calls gc-threads
// jvm: -Xmx84m -Xmn20m -XX:+UseParallelGC
// jdk: 8
// set: fifth
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;

/** Letters for tenants. Sixteen threads end up with a template of every tenant each: 59 of 64 MB are in use. */
public final class ThreadLocalHoard {
    private static final int WORKERS = 16;
    private static final int TENANTS = 800;
    private static final int LINES = 40;

    private static final ThreadLocal<Map<Integer, Template>> TEMPLATES = ThreadLocal.withInitial(HashMap::new);
    private static volatile int sent;

    private static final class Template {
        private final String[] lines = new String[LINES];

        private Template(int tenant) {
            for (int i = 0; i < LINES; i++) {
                lines[i] = "tenant " + tenant + ", line " + i + " of the letter";
            }
        }

        private void appendTo(StringBuilder letter, String name) {
            for (String line : lines) {
                letter.append(line).append(' ').append(name).append('\n');
            }
        }
    }

    private final CountDownLatch warm = new CountDownLatch(WORKERS);

    private static Template template(int tenant) {
        return TEMPLATES.get().computeIfAbsent(tenant, Template::new);
    }

    private static String letter(int tenant, int customer) {
        StringBuilder letter = new StringBuilder();
        template(tenant).appendTo(letter, "customer " + customer);
        return letter.toString();
    }

    private void work() {
        for (int tenant = 0; tenant < TENANTS; tenant++) { // a day has passed
            template(tenant);
        }
        warm.countDown();
        Deque<String> outbox = new ArrayDeque<>();
        try {
            for (int customer = 0;; customer++) {
                for (int part = 0; part < 4; part++) { // order, bill, delivery note, a copy
                    outbox.add(letter(ThreadLocalRandom.current().nextInt(TENANTS), customer));
                }
                while (outbox.size() > 8) {
                    sent += outbox.remove().length() & 1;
                }
                Thread.sleep(2); // the next order
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ThreadLocalHoard service = new ThreadLocalHoard();
        for (int i = 0; i < WORKERS; i++) {
            new Thread(service::work, "letters-" + i).start();
        }
        service.warm.await();
        System.out.println("READY");
    }
}
