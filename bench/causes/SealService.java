// SPDX-License-Identifier: Apache-2.0
// cause: SealService keeps its expensive SealService.Codec (256 KB of tables plus a key derived by 300 SHA-256 rounds) in a ThreadLocal, but each request runs in its own new virtual thread, so ThreadLocal.withInitial builds a new Codec for each request and it is never used again.
// share: faulty: 769 documents/s, mean latency 20.25 ms; fixed: 5326 documents/s, mean latency 3.71 ms; ratio 6.9 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: hot-code kind=thread-locals
// symptom: hot-code unstarted-threads waiting gc-cpu
// judge: NAMED: the ThreadLocal of Codec (SealService.CODEC / Codec constructor) is filled anew for each request because the service runs one virtual thread per request; share or pool the codecs. SYMPTOM ONLY: CPU time in Codec.<init> or SHA-256; high allocation rate of int[] and frequent GC. WRONG: virtual thread pinning; the carrier pool being too small as the cause; memory leak through ThreadLocal; the semaphore as the bottleneck.
// jdk: 21
// set: twenty-fourth
// jvm:
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Puts a checksum seal on shipping documents. */
public class SealService {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int IN_FLIGHT = 24;

    /** Table driven sealing; one instance must be used by one request at a time. */
    static final class Codec {
        private final int[] table = new int[1 << 16];
        private final byte[] key;
        private final MessageDigest digest;

        Codec() {
            try {
                digest = MessageDigest.getInstance("SHA-256");
            } catch (java.security.NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
            byte[] k = "seal-key-2024".getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 300; i++) {
                k = digest.digest(k);
            }
            key = k;
            for (int i = 0; i < table.length; i++) {
                int c = i;
                for (int b = 0; b < 16; b++) {
                    c = (c & 1) != 0 ? (c >>> 1) ^ 0xEDB88320 : c >>> 1;
                }
                table[i] = c;
            }
        }

        long seal(byte[] document) {
            int crc = ~0;
            for (int i = 0; i + 1 < document.length; i += 2) {
                int pair = (document[i] & 0xff) | (document[i + 1] & 0xff) << 8;
                crc = table[(crc ^ pair) & 0xffff] ^ (crc >>> 16);
            }
            digest.reset();
            digest.update(key);
            digest.update((byte) crc);
            digest.update((byte) (crc >>> 8));
            byte[] d = digest.digest();
            return (long) crc << 32 | (d[0] & 0xff) << 8 | (d[1] & 0xff);
        }
    }

    static final ThreadLocal<Codec> CODEC = ThreadLocal.withInitial(Codec::new);
    static final ConcurrentLinkedQueue<Codec> SHELF = new ConcurrentLinkedQueue<>();

    static long sealWith(byte[] document) {
        if (ALT) {
            Codec codec = SHELF.poll();
            if (codec == null) {
                codec = new Codec();
            }
            try {
                return codec.seal(document);
            } finally {
                SHELF.add(codec);
            }
        }
        return CODEC.get().seal(document);
    }

    static final LongAdder sealed = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder check = new LongAdder();

    static byte[] receive(int number) throws InterruptedException {
        Thread.sleep(2);
        byte[] document = new byte[2048];
        for (int i = 0; i < document.length; i++) {
            document[i] = (byte) (number * 31 + i * 7);
        }
        return document;
    }

    static void handle(int number, Semaphore slots) {
        try {
            long t0 = System.nanoTime();
            byte[] document = receive(number);
            check.add(sealWith(document));
            nanos.add(System.nanoTime() - t0);
            sealed.increment();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            slots.release();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
        Semaphore slots = new Semaphore(IN_FLIGHT);
        Thread intake = new Thread(() -> {
            try {
                for (int n = 0; ; n++) {
                    int number = n;
                    slots.acquire();
                    requests.execute(() -> handle(number, slots));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "intake");
        intake.setDaemon(true);
        intake.start();
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = sealed.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d documents/s, mean latency %.2f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
