// SPDX-License-Identifier: Apache-2.0
// healthy: an archive that encrypts what it stores: cryptography takes most of the CPU time because that is what the program is for, and it is done as it should be (AES/GCM by the CPU's own instructions, a key for each container kept, 256 KiB at a time, one Cipher for each segment as an own nonce needs, a SHA-256 digest and one signature for each container), at a rate that the feed sets, with CPUs to spare
// share: about 70 % of a load of 0.15 to 0.5 CPUs is cryptography, as measured; encrypting by ArchiveVault$Sealer takes hardly longer for each MiB than a bare Cipher.doFinal in a loop (printed as "bare"); nothing waits for it: the queue is empty nearly always
// judge: NAMED: that nothing stands out, or neutral words only: time goes to cryptography (encrypting, digests) for ArchiveVault$Sealer.seal or ArchiveVault$Container.add/close, with nothing accused. SYMPTOM ONLY: does not apply. WRONG: an accusation of cryptography, of making ciphers, keys, random numbers or signatures anew, of a saturated thread, of waits (queues, timers), locks, collections
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx256m
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** A vault for the scans of a land registry: encrypts pages into containers, digests these, and signs their list. */
public class ArchiveVault {
    static final int SEGMENT = 256 << 10, SEGMENTS_PER_CONTAINER = 64;
    static final LongAdder segments = new LongAdder(), containers = new LongAdder();
    static final LongAdder sealNanos = new LongAdder(), digestNanos = new LongAdder(), otherNanos = new LongAdder(), queued = new LongAdder();

    record Scan(long parcel, byte[] pixels) { }

    /** Encrypts the segments of one container under its key, each with the next nonce. */
    static final class Sealer {
        private final SecretKey key;
        private final byte[] nonce = new byte[12];
        private long next;

        Sealer(SecretKey key, SecureRandom random) {
            this.key = key;
            random.nextBytes(nonce);
        }

        int seal(byte[] plain, byte[] sealed, long parcel) throws GeneralSecurityException {
            ByteBuffer.wrap(nonce, 4, 8).putLong(next++);
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
            cipher.updateAAD(ByteBuffer.allocate(8).putLong(0, parcel));
            return cipher.doFinal(plain, 0, plain.length, sealed, 0);
        }
    }

    /** What has been sealed; closed by its digest and a signature. */
    static final class Container {
        private final MessageDigest digest;
        private final Sealer sealer;
        private final byte[] sealed = new byte[SEGMENT + 64];
        private int count;

        Container(SecretKey key, SecureRandom random) throws GeneralSecurityException {
            digest = MessageDigest.getInstance("SHA-256");
            sealer = new Sealer(key, random);
        }

        boolean add(Scan scan) throws GeneralSecurityException {
            long begin = System.nanoTime();
            int length = sealer.seal(scan.pixels(), sealed, scan.parcel());
            long middle = System.nanoTime();
            digest.update(sealed, 0, length);
            digestNanos.add(System.nanoTime() - middle);
            sealNanos.add(middle - begin);
            return ++count == SEGMENTS_PER_CONTAINER;
        }

        String close(KeyPair notary) throws GeneralSecurityException {
            byte[] sum = digest.digest();
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(notary.getPrivate());
            signature.update(sum);
            return HexFormat.of().formatHex(sum) + ' ' + signature.sign().length;
        }
    }

    /** Takes scans from the feed, and keeps the list of the latest containers. */
    static final class Archivist implements Runnable {
        private final BlockingQueue<Scan> feed;
        private final SecureRandom random = new SecureRandom();
        private final KeyGenerator keys;
        private final KeyPair notary;
        private final ArrayDeque<String> list = new ArrayDeque<>();

        Archivist(BlockingQueue<Scan> feed) throws GeneralSecurityException {
            this.feed = feed;
            keys = KeyGenerator.getInstance("AES");
            keys.init(256, random);
            notary = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        }

        /** How dark a page is, for the index; a blank one is marked. */
        private int darkness(byte[] pixels) {
            int dark = 0;
            for (int i = 0; i < pixels.length; i++)
                dark += (pixels[i] & 0xff) < 96 ? 1 : 0;
            return dark;
        }

        @Override public void run() {
            try {
                Container container = new Container(keys.generateKey(), random);
                int blank = 0;
                while (true) {
                    Scan scan = feed.take();
                    queued.add(feed.size());
                    long begin = System.nanoTime();
                    if (darkness(scan.pixels()) < SEGMENT / 100)
                        blank++;
                    otherNanos.add(System.nanoTime() - begin);
                    if (container.add(scan)) {
                        list.add(container.close(notary) + ' ' + blank);
                        if (list.size() > 100)
                            list.remove();
                        container = new Container(keys.generateKey(), random);
                        containers.increment();
                    }
                    segments.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Three scanners, each of which has a segment of a page ready every 3 ms; their rollers turn slower while the feed has some. */
    static void scan(BlockingQueue<Scan> feed, int scanner) {
        Random random = new Random(scanner);
        byte[][] pages = new byte[8][SEGMENT];
        for (byte[] page : pages)
            random.nextBytes(page);
        try {
            for (long parcel = scanner; ; parcel += 3) {
                feed.put(new Scan(parcel, pages[(int) (parcel % pages.length)]));
                Thread.sleep(3 + 4L * feed.size());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static double bareMicros(int rounds) throws GeneralSecurityException {
        KeyGenerator keys = KeyGenerator.getInstance("AES");
        keys.init(256);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        SecretKey key = keys.generateKey();
        byte[] plain = new byte[SEGMENT], sealed = new byte[SEGMENT + 64];
        long best = Long.MAX_VALUE;
        for (int i = 0; i < rounds; i++) {
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, ByteBuffer.allocate(12).putInt(i).array()));
            long begin = System.nanoTime();
            cipher.doFinal(plain, 0, plain.length, sealed, 0);
            best = Math.min(best, System.nanoTime() - begin);
        }
        return best / 1e3;
    }

    public static void main(String[] args) throws Exception {
        double bare = bareMicros(1500);
        BlockingQueue<Scan> feed = new ArrayBlockingQueue<>(64);
        new Thread(new Archivist(feed), "archivist").start();
        for (int i = 0; i < 3; i++) {
            int scanner = i;
            new Thread(() -> scan(feed, scanner), "scanner-" + i).start();
        }
        boolean ready = false;
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, segments.sumThenReset());
            double seal = sealNanos.sumThenReset() / 1e3, digest = digestNanos.sumThenReset() / 1e3, other = otherNanos.sumThenReset() / 1e3;
            System.out.printf("measured: %d segments, %.0f us sealing each (bare %.0f us), %.0f us digest, %.0f us other; busy %.0f %%, %.1f in the queue, %d containers%n",
                n, seal / n, bare, digest / n, other / n, (seal + digest + other) / 1e4, queued.sumThenReset() / (double) n, containers.sum());
            if (!ready && (seal / n < 4 * bare || second > 15)) {
                ready = true;
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
