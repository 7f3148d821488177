// SPDX-License-Identifier: Apache-2.0
// cause: the key of a practice is derived from its passphrase by PBKDF2 (12,000 rounds) anew for each prescription that is opened, though there are 8 practices and their keys never change: PrescriptionVault$KeyRing.keyOf, called by Archive.open
// share: 93 to 99 % of the time to open a prescription (4.7 to 5.4 of about 5 ms, 11 beside other load) is for the key; 0.45 to 0.6 of a CPU in all, nearly all of it there
// expect: hot-code kind=key-derivation frame=PrescriptionVault
// symptom: hot-calls hot-method hot-code
// judge: NAMED: key derivation (PBKDF2, SecretKeyFactory) for PrescriptionVault$KeyRing.keyOf or Archive.open as the first or most costly finding, also if worded neutrally (time goes to). SYMPTOM ONLY: cryptography or digests (HMAC, SHA-256) for keyOf or open without key derivation; hot method or hot calls in keyOf or open. WRONG: enciphering (AES, GCM) as the cause, collections, sleep in CounterTerminal.run, threads, anything else first
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** Keeps prescriptions of several practices, enciphered with a key for each practice. */
public class PrescriptionVault {
    static final int TERMINALS = 3;
    static final AtomicLong OPENED = new AtomicLong();
    static final AtomicLong OPEN_NS = new AtomicLong();
    static final AtomicLong KEY_NS = new AtomicLong();

    record Practice(String name, char[] passphrase, byte[] salt) {}

    record Sealed(String practice, byte[] nonce, byte[] text) {}

    record Prescription(String patient, String medicine, int packs) {
        String line() {
            return patient + ";" + medicine + ";" + packs;
        }

        static Prescription parse(String line) {
            String[] parts = line.split(";");
            return new Prescription(parts[0], parts[1], Integer.parseInt(parts[2]));
        }
    }

    /** The practices that have a contract, and their keys. */
    static final class KeyRing {
        private static final int ROUNDS = 12_000;
        private final Map<String, Practice> practices = new ConcurrentHashMap<>();

        void enrol(Practice practice) {
            practices.put(practice.name(), practice);
        }

        SecretKeySpec keyOf(String name) throws GeneralSecurityException {
            long begin = System.nanoTime();
            Practice practice = practices.get(name);
            PBEKeySpec spec = new PBEKeySpec(practice.passphrase(), practice.salt(), ROUNDS, 256);
            try {
                byte[] key = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
                return new SecretKeySpec(key, "AES");
            } finally {
                spec.clearPassword();
                KEY_NS.addAndGet(System.nanoTime() - begin);
            }
        }
    }

    static final class Archive {
        private final KeyRing keys;
        private final List<Sealed> records = new ArrayList<>();

        Archive(KeyRing keys) {
            this.keys = keys;
        }

        void load(String practice, List<Prescription> prescriptions, Random random) throws GeneralSecurityException {
            SecretKeySpec key = keys.keyOf(practice);
            for (Prescription prescription : prescriptions) {
                byte[] nonce = new byte[12];
                random.nextBytes(nonce);
                Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
                cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
                byte[] text = cipher.doFinal(prescription.line().getBytes(StandardCharsets.UTF_8));
                records.add(new Sealed(practice, nonce, text));
            }
        }

        Prescription open(int number) throws GeneralSecurityException {
            Sealed sealed = records.get(number);
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.DECRYPT_MODE, keys.keyOf(sealed.practice()), new GCMParameterSpec(128, sealed.nonce()));
            return Prescription.parse(new String(cipher.doFinal(sealed.text()), StandardCharsets.UTF_8));
        }

        int size() {
            return records.size();
        }
    }

    /** A terminal at a pharmacy's counter, which fetches what a patient is to get. */
    static final class CounterTerminal implements Runnable {
        private final Archive archive;
        private final Random random;
        private final int[] packsByMedicine = new int[40];

        CounterTerminal(Archive archive, int number) {
            this.archive = archive;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    Prescription prescription = archive.open(random.nextInt(archive.size()));
                    OPEN_NS.addAndGet(System.nanoTime() - begin);
                    OPENED.incrementAndGet();
                    int medicine = Integer.parseInt(prescription.medicine().substring(1));
                    packsByMedicine[medicine] += prescription.packs();
                    Thread.sleep(10 + random.nextInt(20));
                }
            } catch (GeneralSecurityException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(5);
        KeyRing keys = new KeyRing();
        Archive archive = new Archive(keys);
        for (int p = 0; p < 8; p++) {
            byte[] salt = new byte[16];
            random.nextBytes(salt);
            keys.enrol(new Practice("practice-" + p, ("willow-" + random.nextLong()).toCharArray(), salt));
            List<Prescription> prescriptions = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                prescriptions.add(new Prescription("patient " + random.nextInt(5000), "m" + random.nextInt(40), 1 + random.nextInt(3)));
            }
            archive.load("practice-" + p, prescriptions, random);
        }
        for (int terminal = 0; terminal < TERMINALS; terminal++) {
            new Thread(new CounterTerminal(archive, terminal), "counter-" + terminal).start();
        }
        long opened = 0;
        long open = 0;
        long key = KEY_NS.get();
        long at = System.nanoTime();
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            long n = OPENED.get();
            long o = OPEN_NS.get();
            long k = KEY_NS.get();
            double count = Math.max(1, n - opened);
            System.out.printf("measured: %.0f prescriptions/s, %.2f ms each, %.2f ms of it (%.0f %%) for the key; 8 practices have 8 keys in all%n",
                (n - opened) * 1e9 / (now - at), (o - open) / 1e6 / count, (k - key) / 1e6 / count, (k - key) * 100.0 / Math.max(1, o - open));
            opened = n;
            open = o;
            key = k;
            at = now;
            if (second == 5) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
