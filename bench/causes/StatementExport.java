// SPDX-License-Identifier: Apache-2.0
// cause: Envelope.seal asks RecipientKeys.keyFor for the key of the receiving bank, and keyFor derives it anew with PBKDF2 (20000 rounds) for every single statement although there are only 12 banks and their secrets do not change
// share: 10 s each: faulty 258 statements/s, mean 6.7 ms; fixed (key cached per bank) 7012 statements/s, mean 0.27 ms - 27 times; the derivation is about 95 % of the time of a statement
// expect: hot-code kind=key-derivation frame=StatementExport$RecipientKeys
// symptom: hot-code hot-method hot-calls
// judge: NAMED: key derivation (PBKDF2 / SecretKeyFactory.generateSecret) repeated per statement in RecipientKeys.keyFor (StatementExport$RecipientKeys) / the derived key is not cached. SYMPTOM ONLY: HMAC/SHA-256 code is hot, Envelope.seal is slow, CPU is saturated, encryption is expensive (without the derivation). WRONG: AES-GCM itself, deflating, rendering of lines, GC, locks, too few threads.
// jdk: 11
// set: twenty-second
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.Deflater;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** Month-end export: renders account statements, packs them and seals them for the receiving bank. */
public class StatementExport {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final int BANKS = 12;

    static final class RecipientKeys {
        private final Map<Integer, SecretKey> known = new ConcurrentHashMap<>();

        SecretKey keyFor(int bank) {
            return FIXED ? known.computeIfAbsent(bank, RecipientKeys::open) : open(bank);
        }

        private static SecretKey open(int bank) {
            try {
                byte[] salt = ("bank-" + bank + "-statements").getBytes(StandardCharsets.US_ASCII);
                PBEKeySpec spec = new PBEKeySpec(("agreed-phrase-" + bank).toCharArray(), salt, 20_000, 128);
                SecretKeyFactory factory = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
                return new SecretKeySpec(factory.generateSecret(spec).getEncoded(), "AES");
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Envelope {
        private final RecipientKeys keys;

        Envelope(RecipientKeys keys) {
            this.keys = keys;
        }

        byte[] seal(int bank, long serial, byte[] packed, int length) {
            try {
                byte[] iv = new byte[12];
                for (int i = 0; i < 8; i++) {
                    iv[i] = (byte) (serial >>> (8 * i));
                }
                Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
                cipher.init(Cipher.ENCRYPT_MODE, keys.keyFor(bank), new GCMParameterSpec(128, iv));
                return cipher.doFinal(packed, 0, length);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class ExportLane implements Runnable {
        private final int lane;
        private final Envelope envelope;
        private final Random random;
        private final byte[] packed = new byte[64 * 1024];
        private final Deflater deflater = new Deflater(6);
        private long sealedBytes;

        ExportLane(int lane, Envelope envelope) {
            this.lane = lane;
            this.envelope = envelope;
            this.random = new Random(lane);
        }

        @Override
        public void run() {
            for (long n = 0; ; n++) {
                long start = System.nanoTime();
                export(n * 4 + lane);
                TALLY.note(System.nanoTime() - start);
            }
        }

        private void export(long account) {
            byte[] text = render(account).getBytes(StandardCharsets.US_ASCII);
            deflater.reset();
            deflater.setInput(text);
            deflater.finish();
            int length = deflater.deflate(packed);
            sealedBytes += envelope.seal((int) (account % BANKS), account, packed, length).length;
        }

        private String render(long account) {
            StringBuilder b = new StringBuilder(16 * 1024);
            long balance = 100_000 + random.nextInt(900_000);
            for (int line = 0; line < 250; line++) {
                int amount = random.nextInt(40_000) - 20_000;
                balance += amount;
                b.append("2024-").append(1 + line / 21).append('-').append(1 + line % 28).append(';');
                b.append("booking ").append(account).append('/').append(line).append(';');
                b.append(amount / 100).append('.').append(Math.abs(amount % 100)).append(';');
                b.append(balance / 100).append('.').append(Math.abs(balance % 100)).append('\n');
            }
            return b.toString();
        }
    }

    public static void main(String[] args) throws Exception {
        Envelope envelope = new Envelope(new RecipientKeys());
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new ExportLane(i, envelope), "export-lane-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("statements"));
        }
    }

    /** Service times of the running second, in logarithmic cells of one eighth. */
    static final class Tally {
        private final AtomicLongArray cells = new AtomicLongArray(512);
        private final LongAdder sum = new LongAdder();

        void note(long nanos) {
            long n = Math.max(0, nanos);
            sum.add(n);
            cells.incrementAndGet(cell(n));
        }

        static int cell(long n) {
            if (n < 8) {
                return (int) n;
            }
            int e = 63 - Long.numberOfLeadingZeros(n);
            return (e - 2) * 8 + (int) ((n >>> (e - 3)) & 7);
        }

        static double top(int c) {
            if (c < 8) {
                return (c + 1) / 1e6;
            }
            return ((9L + (c & 7)) << (c / 8 - 1)) / 1e6;
        }

        String take(String what) {
            long[] n = new long[cells.length()];
            long total = 0;
            for (int i = 0; i < n.length; i++) {
                n[i] = cells.getAndSet(i, 0);
                total += n[i];
            }
            double mean = sum.sumThenReset() / 1e6 / Math.max(1, total);
            return String.format(Locale.ROOT, "measured: %d %s/s, ms mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f",
                    total, what, mean, at(n, total, 0.50), at(n, total, 0.95), at(n, total, 0.99), at(n, total, 1.0));
        }

        private static double at(long[] n, long total, double q) {
            long want = (long) Math.ceil(total * q);
            long seen = 0;
            for (int i = 0; i < n.length; i++) {
                seen += n[i];
                if (seen >= want && seen > 0) {
                    return top(i);
                }
            }
            return 0;
        }
    }
}
