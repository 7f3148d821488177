// SPDX-License-Identifier: Apache-2.0
// cause: Office.STAMPERS is a ThreadLocal.withInitial(Stamper::new), but each invoice has a virtual thread of its own (newVirtualThreadPerTaskExecutor), so that Office.stamp builds a Stamper with its tables (65,536 products, 41 generators) for each invoice and uses it once.
// share: 2500 to 7100 invoices stamped a second, mean 0.12 to 0.41 ms (faulty); 46,000 to 77,000 a second, mean 0.007 to 0.010 ms (fixed: 16 stampers that are handed around)
// expect: hot-code kind=thread-locals frame=InvoiceStamps$Office.stamp
// symptom: hot-method gc-pauses gc-cpu promotion
// judge: NAMED: initial values of the thread local STAMPERS (new Stamper) are made for each invoice in InvoiceStamps$Office.stamp, since its virtual threads live for one invoice only: share or pool the stampers. SYMPTOM ONLY: Stamper's constructor is hot, or it allocates most, without saying that a thread local makes one for each thread; collections are many. WRONG: Stamper.stamp, words or draw are the cause, the Semaphore room or the clients thread that waits for it as the cause, virtual threads without a carrier as the cause, a larger heap.
// jdk: 25
// set: thirtieth
// jvm:
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Stamps invoices with a code for the tax office: a drawing of modules with words that correct errors. */
public class InvoiceStamps {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;

    record Invoice(long number, String customer, long cents) {
        byte[] text() {
            return ("INV|" + number + '|' + customer + '|' + cents + "|DE").getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Makes the words and draws them; has room that is used again, so that one instance serves one thread at a time. */
    static final class Stamper {
        private final int[] powers = new int[512];
        private final int[] logs = new int[256];
        private final int[][] products = new int[256][256];
        private final int[][] generators = new int[41][];
        private final boolean[] modules = new boolean[64 * 64];

        Stamper() {
            int x = 1;
            for (int i = 0; i < 255; i++) {
                powers[i] = x;
                powers[i + 255] = x;
                logs[x] = i;
                x <<= 1;
                if (x > 255) x ^= 0x11d;
            }
            for (int a = 1; a < 256; a++) for (int b = 1; b < 256; b++) products[a][b] = powers[logs[a] + logs[b]];
            generators[0] = new int[] {1};
            for (int n = 1; n < generators.length; n++) {
                int[] before = generators[n - 1];
                int[] next = new int[n + 1];
                for (int i = 0; i < before.length; i++) {
                    next[i] ^= before[i];
                    next[i + 1] ^= products[before[i]][powers[n - 1]];
                }
                generators[n] = next;
            }
        }

        int[] words(byte[] text, int count) {
            int[] rest = new int[text.length + count];
            for (int i = 0; i < text.length; i++) rest[i] = text[i] & 0xff;
            int[] generator = generators[count];
            for (int i = 0; i < text.length; i++) {
                int lead = rest[i];
                if (lead == 0) continue;
                for (int j = 1; j < generator.length; j++) rest[i + j] ^= products[generator[j]][lead];
            }
            return Arrays.copyOfRange(rest, text.length, rest.length);
        }

        long stamp(Invoice invoice) {
            byte[] text = invoice.text();
            int[] words = words(text, 24);
            Arrays.fill(modules, false);
            int at = 0;
            for (byte b : text) at = draw(b & 0xff, at);
            for (int word : words) at = draw(word, at);
            long print = 17;
            for (boolean module : modules) print = print * 31 + (module ? 1 : 0);
            return print;
        }

        private int draw(int word, int at) {
            for (int bit = 7; bit >= 0; bit--, at++) modules[at % modules.length] = (word >> bit & 1) != 0;
            return at;
        }
    }

    static final class Office {
        private static final ThreadLocal<Stamper> STAMPERS = ThreadLocal.withInitial(Stamper::new);
        private final ArrayBlockingQueue<Stamper> idle = new ArrayBlockingQueue<>(16);
        private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
        private final Semaphore room = new Semaphore(16);
        final LongAdder stamped = new LongAdder();
        final LongAdder nanos = new LongAdder();

        Office() {
            if (FIXED) for (int i = 0; i < 16; i++) idle.add(new Stamper());
        }

        long stamp(Invoice invoice) throws InterruptedException {
            if (!FIXED) return STAMPERS.get().stamp(invoice);
            Stamper stamper = idle.take();
            try {
                return stamper.stamp(invoice);
            } finally {
                idle.add(stamper);
            }
        }

        void request(Invoice invoice) throws InterruptedException {
            room.acquire();
            requests.execute(() -> {
                long begin = System.nanoTime();
                try {
                    if (stamp(invoice) == 0) System.out.println("blank: " + invoice.number());
                    stamped.increment();
                    nanos.add(System.nanoTime() - begin);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    room.release();
                }
            });
        }
    }

    public static void main(String[] args) throws Exception {
        Office office = new Office();
        Thread clients = Thread.ofPlatform().daemon().name("clients").start(() -> {
            SplittableRandom random = new SplittableRandom(3);
            try {
                for (long number = 1; open; number++)
                    office.request(new Invoice(number, "Customer " + random.nextInt(9000) + ", Harbour Street " + random.nextInt(200), random.nextInt(900_000)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            long n = office.stamped.sumThenReset();
            System.out.printf("measured: %d invoices stamped, mean %.3f ms%n", n, n == 0 ? 0.0 : office.nanos.sumThenReset() / 1e6 / n);
        }
        open = false;
        clients.interrupt();
    }
}
