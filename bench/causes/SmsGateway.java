// SPDX-License-Identifier: Apache-2.0
// healthy: sends text messages at exactly the rate the carrier contracts allow (token bucket of 60/s for each of 4 carriers); looks suspicious because senders sleep most of the time in RateContract.acquire and the campaign queue is always full
// share: nothing to fix; throughput is 240 messages/s, the contracted rate
// judge: any finding that names a fault is wrong: throttling as a defect, queue full / back-pressure, lock contention on RateContract, too few sender threads, slow Thread.sleep, idle CPU, pinned or starved virtual threads. Right is "no fault found" or that the rate limit is the intended bound.
// jdk: 21
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class SmsGateway {
    static final LongAdder sent = new LongAdder();
    static final LongAdder parts = new LongAdder();
    static final LongAdder handNanos = new LongAdder();

    record Message(String number, String text, long campaign) { }

    enum Carrier { NORDTEL, ALPCOM, SEANET, CITYCELL }

    /** The rate agreed with a carrier; going over it costs a penalty. */
    static final class RateContract {
        private final double perSecond;
        private final double burst;
        private double tokens;
        private long last = System.nanoTime();

        RateContract(double perSecond, double burst) {
            this.perSecond = perSecond;
            this.burst = burst;
            this.tokens = burst;
        }

        /** Nanoseconds the caller has to wait before it may send. */
        synchronized long reserve() {
            long now = System.nanoTime();
            tokens = Math.min(burst, tokens + (now - last) / 1e9 * perSecond);
            last = now;
            tokens -= 1;
            return tokens >= 0 ? 0 : (long) (-tokens / perSecond * 1e9);
        }

        void acquire() throws InterruptedException {
            long wait = reserve();
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep(wait);
            }
        }
    }

    /** Splits texts into the 7-bit parts of the short message service. */
    static final class Encoder {
        List<byte[]> encode(Message m) {
            List<byte[]> out = new ArrayList<>();
            String t = m.text();
            for (int from = 0; from < t.length(); from += 153) {
                String p = t.substring(from, Math.min(t.length(), from + 153));
                byte[] b = new byte[(p.length() * 7 + 7) / 8];
                int bit = 0;
                for (int i = 0; i < p.length(); i++) {
                    int c = p.charAt(i) & 0x7f;
                    for (int k = 0; k < 7; k++, bit++) {
                        if ((c >> k & 1) != 0) {
                            b[bit >> 3] |= (byte) (1 << (bit & 7));
                        }
                    }
                }
                out.add(b);
            }
            return out;
        }
    }

    /** Delivery receipts wanted by the campaign office; newest 2000 only. */
    static final class Receipts {
        private final Map<String, Integer> byNumber = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Integer> e) {
                return size() > 2000;
            }
        };

        synchronized void note(String number, int length) {
            byNumber.merge(number, length, Integer::sum);
        }

        synchronized int held() {
            return byNumber.size();
        }
    }

    record Sender(BlockingQueue<Message> queue, RateContract contract, Receipts receipts) implements Runnable {
        @Override
        public void run() {
            Encoder enc = new Encoder();
            try {
                while (true) {
                    Message m = queue.take();
                    contract.acquire();
                    long t0 = System.nanoTime();
                    int bytes = 0;
                    for (byte[] p : enc.encode(m)) {
                        bytes += p.length;
                        parts.increment();
                    }
                    receipts.note(m.number(), bytes);
                    handNanos.add(System.nanoTime() - t0);
                    sent.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    record Campaign(Map<Carrier, BlockingQueue<Message>> queues) implements Runnable {
        @Override
        public void run() {
            Random r = new Random(2);
            Carrier[] all = Carrier.values();
            long n = 0;
            try {
                while (true) {
                    String text = "Hello customer, your offer " + n + " waits. ".repeat(1 + r.nextInt(30));
                    queues.get(all[(int) (n % all.length)]).put(new Message("+4670" + r.nextInt(9_999_999), text, n / 1000));
                    n++;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Map<Carrier, BlockingQueue<Message>> queues = new EnumMap<>(Carrier.class);
        Receipts receipts = new Receipts();
        for (Carrier c : Carrier.values()) {
            BlockingQueue<Message> q = new ArrayBlockingQueue<>(200);
            queues.put(c, q);
            RateContract contract = new RateContract(60, 10);
            for (int i = 0; i < 6; i++) {
                Thread.ofPlatform().daemon().name("sender-" + c.name().toLowerCase() + "-" + i).start(new Sender(q, contract, receipts));
            }
        }
        Thread.ofPlatform().daemon().name("campaign").start(new Campaign(queues));
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = sent.sumThenReset();
            long ns = handNanos.sumThenReset();
            System.out.printf("measured: %d messages/s of 240 agreed, %d parts, hand-over %.3f ms, receipts %d%n",
                n, parts.sumThenReset(), n == 0 ? 0 : ns / 1e6 / n, receipts.held());
        }
    }
}
