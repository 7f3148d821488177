// SPDX-License-Identifier: Apache-2.0
// healthy: the two worker threads use both cores fully in PBKDF2/HMAC-SHA256, which looks like one hot method to be removed, but this batch job makes password hashes with a prescribed iteration count, each input and salt is different, and so the CPU cost is the purpose and cannot be cached or cut.
// share: measures 44 credentials/s, mean 47.66 ms (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// judge: WRONG: an inefficient algorithm or wasteful loop, missing cache, a busy wait, contention on the queue, the idle feeder as a fault, the JIT or GC as a fault. ACCEPTABLE as true and neutral: CPU bound in PBKDF2 (CredentialUpgrade.hash) by its 60000 iterations; throughput grows only with cores; feeder blocks on the full bounded queue.
// jdk: 17
// set: twenty-fourth
// jvm:
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Night job that wraps the old member credentials in the hash format that the security policy asks for. */
public class CredentialUpgrade {
    static final int ITERATIONS = 60_000;
    static final int KEY_BITS = 256;
    static final int WORKERS = 2;

    record Member(int number, String oldHash) { }

    record Credential(int number, String scheme, String salt, String hash) { }

    /** Keeps the latest results only, as the job hands them on in small portions. */
    static final class Outbox {
        private final Map<Integer, Credential> portion = new LinkedHashMap<>();
        private long handedOn;

        synchronized void put(Credential c) {
            portion.put(c.number(), c);
            if (portion.size() == 50) {
                handedOn += portion.size();
                portion.clear();
            }
        }

        synchronized long total() {
            return handedOn + portion.size();
        }
    }

    static final BlockingQueue<Member> queue = new ArrayBlockingQueue<>(32);
    static final Outbox outbox = new Outbox();
    static final LongAdder done = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    private final SecretKeyFactory factory;
    private final SplittableRandom random;

    CredentialUpgrade(int seed) throws GeneralSecurityException {
        factory = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
        random = new SplittableRandom(seed);
    }

    private byte[] salt() {
        byte[] salt = new byte[16];
        for (int i = 0; i < salt.length; i++) {
            salt[i] = (byte) random.nextInt();
        }
        return salt;
    }

    private byte[] hash(char[] secret, byte[] salt) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(secret, salt, ITERATIONS, KEY_BITS);
        try {
            return factory.generateSecret(spec).getEncoded();
        } finally {
            spec.clearPassword();
        }
    }

    Credential upgrade(Member member) throws GeneralSecurityException {
        byte[] salt = salt();
        byte[] hash = hash(member.oldHash().toCharArray(), salt);
        HexFormat hex = HexFormat.of();
        return new Credential(member.number(), "pbkdf2-sha256:" + ITERATIONS, hex.formatHex(salt), hex.formatHex(hash));
    }

    static void worker(int seed) {
        try {
            CredentialUpgrade job = new CredentialUpgrade(seed);
            while (true) {
                Member member = queue.take();
                long t0 = System.nanoTime();
                outbox.put(job.upgrade(member));
                nanos.add(System.nanoTime() - t0);
                done.increment();
            }
        } catch (GeneralSecurityException e) {
            System.out.println("worker ended: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void feed() {
        SplittableRandom random = new SplittableRandom(99);
        try {
            for (int n = 1; ; n++) {
                byte[] old = Long.toHexString(random.nextLong()).getBytes(StandardCharsets.US_ASCII);
                queue.put(new Member(n, HexFormat.of().formatHex(old)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        start("feeder", CredentialUpgrade::feed);
        for (int i = 0; i < WORKERS; i++) {
            int seed = i;
            start("upgrade-" + i, () -> worker(seed));
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d credentials/s, mean %.1f ms, total %d%n", n, n == 0 ? 0.0 : ns / 1e6 / n, outbox.total());
        }
    }
}
