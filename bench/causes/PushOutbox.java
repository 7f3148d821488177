// SPDX-License-Identifier: Apache-2.0
// cause: ConcurrentLinkedQueue.size() is called for each message (bound, early flush): O(n) walk over the backlog
// expect: hot-method frame=ConcurrentLinkedQueue.size caller=PushOutbox$Outbox
// symptom: hot-calls
// share: about 95 %; 33,000 messages/s; fixed 600,000 and more (both CPUs busy in each)
// judge: right: ConcurrentLinkedQueue.size() in PushOutbox.Outbox.depth walks the whole backlog for each message
// judge: symptom: CPUs are saturated by campaign and sender threads; cache misses; the queue is full
// judge: wrong: lock contention on the queue, GC or heap too small, render/HMAC work of senders, parkNanos back-off
// jdk: 8
// set: fourteenth
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Push notifications: campaigns fill a bounded outbox, senders render messages and batch them for the carrier. */
public class PushOutbox {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int LIMIT = 8_000, BATCH = 50;

    static final class Push {
        final long device;
        final String template;
        final String[] values;
        final long created = System.nanoTime();

        Push(long device, String template, String... values) {
            this.device = device;
            this.template = template;
            this.values = values;
        }
    }

    /** Bounded, non-blocking queue between campaigns and senders. */
    static final class Outbox {
        private final ConcurrentLinkedQueue<Push> queue = new ConcurrentLinkedQueue<>();
        private final AtomicInteger count = new AtomicInteger();
        final LongAdder offerNanos = new LongAdder(), refused = new LongAdder();

        boolean offer(Push p) {
            long t = System.nanoTime();
            boolean room = depth() < LIMIT;
            if (room) {
                queue.add(p);
                count.incrementAndGet();
            } else {
                refused.increment();
            }
            offerNanos.add(System.nanoTime() - t);
            return room;
        }

        int depth() {
            return FIXED ? count.get() : queue.size();
        }

        Push poll() {
            Push p = queue.poll();
            if (p != null) count.decrementAndGet();
            return p;
        }
    }

    private final Outbox outbox = new Outbox();
    private final Map<String, String> templates = new HashMap<>();
    private final ConcurrentHashMap<String, LongAdder> perTemplate = new ConcurrentHashMap<>();
    final LongAdder sent = new LongAdder(), age = new LongAdder(), batches = new LongAdder();
    volatile long carrierCheck;

    PushOutbox() {
        templates.put("sale", "Hi {0}, {1} is now {2} EUR. Only until {3}! Tap to order, unsubscribe in settings.");
        templates.put("parcel", "Your parcel {0} left {1} and should reach you on {2} between {3}.");
        templates.put("cart", "{0}, your basket with {1} and {2} other items waits for you until {3}.");
        templates.put("match", "Goal! {0} scored for {1} in minute {2}, kick-off of the next match is at {3}.");
        templates.put("login", "New login for {0} from {1} at {2}. Was it you? Code {3}");
    }

    static String render(String template, String[] values) {
        StringBuilder sb = new StringBuilder(160);
        for (int i = 0; i < template.length(); i++) {
            char c = template.charAt(i);
            if (c == '{' && i + 2 < template.length() && template.charAt(i + 2) == '}') {
                sb.append(values[template.charAt(i + 1) - '0']);
                i += 2;
            } else {
                sb.append(c);
            }
        }
        return sb.toString();
    }

    void campaign(String name) {
        SplittableRandom r = new SplittableRandom(name.hashCode());
        while (true) {
            Push p = new Push(r.nextLong(), name, "n" + r.nextInt(9999), "item" + r.nextInt(500),
                Integer.toString(r.nextInt(900)), "12:00");
            while (!outbox.offer(p)) LockSupport.parkNanos(2_000_000);
        }
    }

    void sender() {
        List<byte[]> batch = new ArrayList<>();
        CRC32 crc = new CRC32();
        Mac mac;
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec("carrier-secret".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        while (true) {
            Push p = outbox.poll();
            if (p == null) {
                LockSupport.parkNanos(500_000);
                continue;
            }
            byte[] text = render(templates.get(p.template), p.values).getBytes(StandardCharsets.UTF_8);
            batch.add(text);
            batch.add(mac.doFinal(text));
            perTemplate.computeIfAbsent(p.template, k -> new LongAdder()).increment();
            boolean quiet = outbox.depth() < 10;                   // then customers do not wait for a full batch
            if (batch.size() >= 2 * BATCH || quiet) {
                crc.reset();
                for (byte[] b : batch) crc.update(b, 0, b.length);
                carrierCheck ^= crc.getValue();
                sent.add(batch.size() / 2);
                batch.clear();
                batches.increment();
                age.add(System.nanoTime() - p.created);
            }
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        PushOutbox po = new PushOutbox();
        for (String c : new TreeSet<>(po.templates.keySet())) start("campaign-" + c, () -> po.campaign(c));
        start("sender-0", po::sender);
        start("sender-1", po::sender);
        System.out.println("READY");
        long last = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), n = po.batches.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d messages/s, age %.0f ms, backlog %d, offer() %.2f s per s%n",
                po.sent.sumThenReset() * 1_000_000_000L / (now - last), po.age.sumThenReset() / 1e6 / Math.max(1, n),
                po.outbox.count.get(), po.outbox.offerNanos.sumThenReset() / (double) (now - last));
            last = now;
        }
    }
}
