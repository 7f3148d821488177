// SPDX-License-Identifier: Apache-2.0
// healthy: two gate threads use both cores all the time in PBKDF2/HMAC; but the rounds (60000) are the point of password hashing, each login needs its own derivation, and nothing waits, leaks or is done twice.
// share: 54 logins/s, mean 37 ms, both cores busy.
// judge: any finding of trouble is WRONG (CPU saturation as a fault, too many rounds, cache the derived keys, allocation by the provider), except a plain statement that PBKDF2 takes the CPU time by design or that the machine is at its capacity.
// jdk: 11
// set: twenty-seventh
// jvm: -Xmx64m
import java.util.*;
import java.util.concurrent.atomic.*;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

public class BadgeVault {
    static final long START = System.nanoTime();
    static final int ROUNDS = 60000;
    static final AtomicLong logins = new AtomicLong(), time = new AtomicLong();
    static final byte[][] salts = new byte[50][], stored = new byte[50][];

    static byte[] derive(char[] pin, byte[] salt) throws Exception {
        PBEKeySpec spec = new PBEKeySpec(pin, salt, ROUNDS, 256);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        } finally { spec.clearPassword(); }
    }

    static char[] pin(int badge) { return ("badge-" + badge * 7919).toCharArray(); }

    static void gate(int n) {
        try {
            Random r = new Random(n);
            while (true) {
                long t = System.nanoTime();
                int b = r.nextInt(stored.length);
                if (!java.security.MessageDigest.isEqual(stored[b], derive(pin(b), salts[b]))) throw new IllegalStateException("badge " + b);
                time.addAndGet(System.nanoTime() - t);
                logins.incrementAndGet();
            }
        } catch (Exception e) { throw new RuntimeException(e); }
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        Random r = new Random(1);
        for (int i = 0; i < stored.length; i++) {
            salts[i] = new byte[16];
            r.nextBytes(salts[i]);
            stored[i] = derive(pin(i), salts[i]);
        }
        for (int i = 0; i < 2; i++) {
            int n = i;
            Thread t = new Thread(() -> gate(n), "gate-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(1500);
        System.out.println("READY");
        logins.set(0); time.set(0);
        while (System.nanoTime() - START < span * 1000000000L) {
            Thread.sleep(1000);
            long n = logins.getAndSet(0), d = time.getAndSet(0);
            System.out.printf(Locale.ROOT, "measured: %d logins/s, mean %.1f ms%n", n, n == 0 ? 0.0 : d / 1e6 / n);
        }
    }
}
