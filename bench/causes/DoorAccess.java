// SPDX-License-Identifier: Apache-2.0
// healthy: a login service on virtual threads whose CPU time goes nearly all to PBKDF2 (DoorAccess.derive, 40000 rounds, slow on purpose as password protection), with a Semaphore of 2 permits in front so that waiting requests park while both cores compute; the load is an open arrival rate the service can carry.
// share: about 22 logins/s (the arrival rate), mean 20 to 40 ms on a quiet machine, up to 0.5 s for a few seconds when other processes took the CPUs.
// judge: WRONG would be: PBKDF2/SHA hashing named as a defect to optimise away or to cache, contention on the Semaphore as a fault, starvation or pinning of virtual threads, too few permits, GC problems. Acceptable as true and neutral: most CPU is spent in PBKDF2 key derivation, which is deliberate; requests wait briefly for one of two permits; CPU use is high but follows from the number of logins.
// jdk: 21
// set: twenty-fifth
// jvm:

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

public class DoorAccess {
    static final int ROUNDS = 40_000;
    static final int PEOPLE = 60;

    record Person(String name, byte[] salt, byte[] secret) {
    }

    record Login(String name, String password, long at) {
    }

    final Map<String, Person> people = new ConcurrentHashMap<>();
    final Semaphore benches = new Semaphore(2);
    final SecretKeyFactory factory;
    final AtomicLong admitted = new AtomicLong();
    final AtomicLong refused = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final Deque<String> journal = new ArrayDeque<>();

    DoorAccess() throws GeneralSecurityException {
        factory = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
        Random rnd = new Random(1);
        for (int i = 0; i < PEOPLE; i++) {
            byte[] salt = new byte[16];
            rnd.nextBytes(salt);
            people.put("person" + i, new Person("person" + i, salt, derive("pw-" + i, salt)));
        }
    }

    byte[] derive(String password, byte[] salt) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, ROUNDS, 256);
        try {
            return factory.generateSecret(spec).getEncoded();
        } finally {
            spec.clearPassword();
        }
    }

    boolean check(Login login) throws GeneralSecurityException, InterruptedException {
        Person p = people.get(login.name());
        if (p == null) {
            return false;
        }
        benches.acquire();
        try {
            return MessageDigest.isEqual(p.secret(), derive(login.password(), p.salt()));
        } finally {
            benches.release();
        }
    }

    void note(String line) {
        synchronized (journal) {
            journal.addLast(line);
            if (journal.size() > 200) {
                journal.removeFirst();
            }
        }
    }

    void handle(Login login) {
        try {
            boolean ok = check(login);
            (ok ? admitted : refused).incrementAndGet();
            note(login.name() + (ok ? " in" : " refused"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            nanos.addAndGet(System.nanoTime() - login.at());
        }
    }

    void arrivals(ExecutorService service) {
        Random rnd = new Random(77);
        long next = System.nanoTime();
        try {
            while (true) {
                next += (long) (-Math.log(1 - rnd.nextDouble()) * GAP_NANOS);
                long wait = next - System.nanoTime();
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
                int who = rnd.nextInt(PEOPLE);
                String pw = rnd.nextInt(12) == 0 ? "guess" : "pw-" + who;
                Login login = new Login("person" + who, pw, System.nanoTime());
                service.submit(() -> handle(login));
            }
        } catch (InterruptedException | RejectedExecutionException e) {
            return;
        }
    }

    static final double GAP_NANOS = 45_000_000;

    public static void main(String[] args) throws Exception {
        DoorAccess door = new DoorAccess();
        ExecutorService service = Executors.newVirtualThreadPerTaskExecutor();
        Thread arrivals = Thread.ofPlatform().daemon().name("arrivals").start(() -> door.arrivals(service));
        System.out.println("READY");
        long last = 0;
        long lastNanos = 0;
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long c = door.admitted.get() + door.refused.get();
            long n = door.nanos.get();
            System.out.println("measured: " + (c - last) + " logins/s, mean "
                    + (n - lastNanos) / Math.max(1, c - last) / 1_000_000 + " ms");
            last = c;
            lastNanos = n;
        }
        arrivals.interrupt();
        service.shutdown();
        service.awaitTermination(3, TimeUnit.SECONDS);
        System.out.println("done, refused " + door.refused.get());
    }
}
