// SPDX-License-Identifier: Apache-2.0
// cause: eight threads draw from one SecureRandom, which lets one at a time compute
// expect: waiting kind=monitor frame=SharedRandom.draw | lock-contention frame=SharedRandom.draw
// symptom: lock-contention hot-code hot-method hot-calls
// jdk: 8
// set: fifth
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Session tickets with 4 KB of key material each: 200 SHA-1 rounds under the monitor of the generator. */
public final class SharedRandom {
    private static final int WORKERS = 8;
    private static final int KEY_BYTES = 4096;

    private final SecureRandom random;
    private final Map<Integer, Ticket> tickets = new ConcurrentHashMap<>();

    private static final class Ticket {
        private final String id;
        private final long expires;

        private Ticket(String id, long expires) {
            this.id = id;
            this.expires = expires;
        }

        private boolean isValid(long now) {
            return !id.isEmpty() && now < expires;
        }
    }

    private SharedRandom() throws NoSuchAlgorithmException {
        random = SecureRandom.getInstance("SHA1PRNG");
        random.setSeed(4711);
    }

    private byte[] draw() {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        return key;
    }

    private Ticket issue(int user) {
        byte[] key = draw();
        byte[] id = new byte[18];
        for (int i = 0; i < key.length; i++) {
            id[i % id.length] ^= key[i];
        }
        Ticket ticket = new Ticket(Base64.getUrlEncoder().encodeToString(id), System.currentTimeMillis() + 60_000);
        tickets.put(user, ticket);
        return ticket;
    }

    private void serve(int worker) {
        int valid = 0;
        for (int n = 0;; n++) {
            int user = worker * 1000 + n % 1000;
            if (issue(user).isValid(System.currentTimeMillis())) {
                valid++;
            }
            if (valid < 0) {
                return;
            }
        }
    }

    public static void main(String[] args) throws NoSuchAlgorithmException {
        SharedRandom service = new SharedRandom();
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            new Thread(() -> service.serve(worker), "login-" + i).start();
        }
        System.out.println("READY");
    }
}
