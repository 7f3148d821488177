// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all CPU time goes into PBKDF2 (HmacSHA256, 60000 rounds) for password checks, whose cost is the required security strength; both CPUs are used, sessions are cached so repeat visits do not derive again, and nothing else is noticeable.
// judge: wrong: blaming the key derivation (derive, PBKDF2, HmacSHA256) as a fault or asking to lower rounds or to cache passwords; blaming the full login queue (load generator by design), the sessions lock, or SecureRandom
// set: eighteenth
// jdk: 25
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

public class MemberVault {
    static final int ROUNDS = 60_000;
    static final LongAdder logins = new LongAdder();
    static final LongAdder visits = new LongAdder();
    static final LongAdder refused = new LongAdder();

    record Member(int id, byte[] salt, byte[] proof) { }

    record Attempt(int member, char[] secret) { }

    record Session(int member, long opened, String token) { }

    private final List<Member> members = new ArrayList<>();
    private final BlockingQueue<Attempt> attempts = new ArrayBlockingQueue<>(16);
    private final Map<String, Session> sessions = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Session> e) {
            return size() > 500;
        }
    };

    private static char[] secretOf(int id) {
        return ("pw-" + id * 7919).toCharArray();
    }

    private byte[] derive(char[] secret, byte[] salt) throws GeneralSecurityException {
        SecretKeyFactory f = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
        PBEKeySpec spec = new PBEKeySpec(secret, salt, ROUNDS, 256);
        try {
            return f.generateSecret(spec).getEncoded();
        } finally {
            spec.clearPassword();
        }
    }

    private void enrol() throws GeneralSecurityException {
        SplittableRandom rnd = new SplittableRandom(1);
        for (int id = 0; id < 40; id++) {
            byte[] salt = new byte[16];
            rnd.nextBytes(salt);
            members.add(new Member(id, salt, derive(secretOf(id), salt)));
        }
    }

    private Session open(Member m) throws GeneralSecurityException {
        MessageDigest d = MessageDigest.getInstance("SHA-256");
        d.update(m.salt());
        byte[] t = d.digest(Long.toString(System.nanoTime()).getBytes());
        Session s = new Session(m.id(), System.nanoTime(), HexFormat.of().formatHex(t, 0, 16));
        synchronized (sessions) {
            sessions.put(s.token(), s);
        }
        return s;
    }

    private void visit(Session s) {
        for (int i = 0; i < 20; i++) {
            synchronized (sessions) {
                if (sessions.get(s.token()) != null) {
                    visits.increment();
                }
            }
        }
    }

    private void gate() {
        try {
            while (true) {
                Attempt a = attempts.take();
                Member m = members.get(a.member());
                if (MessageDigest.isEqual(m.proof(), derive(a.secret(), m.salt()))) {
                    visit(open(m));
                    logins.increment();
                } else {
                    refused.increment();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (GeneralSecurityException e) {
            System.out.println("gate: " + e);
        }
    }

    private void arrivals() {
        SplittableRandom rnd = new SplittableRandom(2);
        try {
            while (true) {
                int id = rnd.nextInt(members.size());
                attempts.put(new Attempt(id, rnd.nextInt(12) == 0 ? "guess".toCharArray() : secretOf(id)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        MemberVault v = new MemberVault();
        v.enrol();
        daemon(v::arrivals, "arrivals");
        daemon(v::gate, "gate-1");
        daemon(v::gate, "gate-2");
        System.out.println("READY");
        long before = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = logins.sum();
            System.out.println("measured: logins/s=" + (now - before) + " visits=" + visits.sum() + " refused="
                    + refused.sum());
            before = now;
        }
    }
}
