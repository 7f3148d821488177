// SPDX-License-Identifier: Apache-2.0
// healthy: passwords are hashed slowly on purpose, three a second, and a login is to take less than a second
// jdk: 17
// set: ninth
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

public final class HealthyLogins {
    private static final LongAdder LOGINS = new LongAdder();
    private static final LongAdder LATE = new LongAdder();
    private static final LongAdder HASHING = new LongAdder();
    private static volatile int last;

    private static byte[] hash(String password, byte[] salt) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, 6_000, 256);
        return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    }

    private static void login(String password, byte[] salt, long asked) {
        try {
            long start = System.nanoTime();
            last = hash(password, salt)[0];
            HASHING.add(System.nanoTime() - start);
            LOGINS.increment();
            if (System.nanoTime() - asked > TimeUnit.MILLISECONDS.toNanos(1000)) {
                LATE.increment();
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void come() {
        ExecutorService workers = Executors.newFixedThreadPool(2, task -> new Thread(task, "login"));
        byte[] salt = new byte[16];
        new SecureRandom().nextBytes(salt);
        try {
            for (int i = 0;; i++) {
                String password = "correct horse " + i % 100;
                long asked = System.nanoTime();
                workers.execute(() -> login(password, salt, asked));
                Thread.sleep(330); // the next user
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws GeneralSecurityException, InterruptedException {
        for (int i = 0; i < 5; i++) {
            last = hash("warm up", new byte[16])[0];
        }
        new Thread(HealthyLogins::come, "users").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + LATE.sum() + " of " + LOGINS.sum() + " logins late, "
                    + HASHING.sum() / (LOGINS.sum() + 1) / 1_000_000 + " ms each");
        }
    }
}
