// SPDX-License-Identifier: Apache-2.0
// cause: PrescriptionDesk$Vault.find decrypts (AES/CBC) and authenticates (HmacSHA256) the whole ward's record of 384 KiB by PrescriptionDesk$Vault.open for every single prescription of 96 bytes that is asked for
// share: more than 90 % of CPU time is javax.crypto.Cipher.doFinal and javax.crypto.Mac.doFinal called by Vault.open; a request takes milliseconds in place of microseconds
// expect: hot-code what=cryptography frame=PrescriptionDesk$Vault.
// symptom: hot-code hot-method hot-calls
// judge: NAMED: cryptography (encryption, decryption, MAC) for PrescriptionDesk$Vault.open (or Vault.find / Vault.verify that call it). SYMPTOM ONLY: hot methods of the JDK's ciphers or digests (com.sun.crypto.provider..., sun.security.provider.SHA2...) without the program's function, or hot-calls of Vault.open without saying what. WRONG: collections or allocation as the cause, copying arrays, too few CPUs, the counters' pauses between customers, nothing stands out
// jdk: 21
// set: thirty-second
// jvm: -Xmx512m
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Counters of a hospital's pharmacy look up prescriptions, which are kept encrypted, ward by ward. */
public class PrescriptionDesk {

    static final int ENTRY = 96;
    static final int ENTRIES = 4096;
    static final String[] WARDS = {"surgery", "paediatrics", "cardiology", "oncology", "geriatrics", "maternity"};

    static final LongAdder SERVED = new LongAdder();
    static final LongAdder OPENING = new LongAdder();
    static final LongAdder TOTAL = new LongAdder();

    record Prescription(int patient, int dose, String medicine) {
        static Prescription read(ByteBuffer buffer) {
            int patient = buffer.getInt();
            int dose = buffer.getInt();
            byte[] name = new byte[buffer.get()];
            buffer.get(name);
            return new Prescription(patient, dose, new String(name, StandardCharsets.UTF_8));
        }

        void write(ByteBuffer buffer) {
            byte[] name = medicine.getBytes(StandardCharsets.UTF_8);
            buffer.putInt(patient).putInt(dose).put((byte) name.length).put(name);
        }
    }

    record Sealed(byte[] iv, byte[] text, byte[] tag) {
    }

    static final class Vault {
        private final Map<String, Sealed> wards = new HashMap<>();
        private final SecretKeySpec key;
        private final SecretKeySpec tagKey;

        Vault(SecureRandom random) {
            byte[] bytes = new byte[32];
            random.nextBytes(bytes);
            key = new SecretKeySpec(bytes, "AES");
            random.nextBytes(bytes);
            tagKey = new SecretKeySpec(bytes, "HmacSHA256");
        }

        void store(String ward, byte[] plain) throws GeneralSecurityException {
            byte[] iv = new byte[16];
            new SecureRandom().nextBytes(iv);
            Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
            cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(iv));
            byte[] text = cipher.doFinal(plain);
            wards.put(ward, new Sealed(iv, text, tag(iv, text)));
        }

        private byte[] tag(byte[] iv, byte[] text) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(tagKey);
            mac.update(iv);
            return mac.doFinal(text);
        }

        private byte[] open(Sealed sealed) throws GeneralSecurityException {
            if (!MessageDigest.isEqual(sealed.tag(), tag(sealed.iv(), sealed.text())))
                throw new GeneralSecurityException("record was changed");
            Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
            cipher.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(sealed.iv()));
            return cipher.doFinal(sealed.text());
        }

        Prescription find(String ward, int index) throws GeneralSecurityException {
            long begin = System.nanoTime();
            byte[] plain = open(wards.get(ward));
            OPENING.add(System.nanoTime() - begin);
            Prescription found = Prescription.read(ByteBuffer.wrap(plain, index * ENTRY, ENTRY));
            Arrays.fill(plain, (byte) 0);
            return found;
        }
    }

    static byte[] ward(Random random) {
        String[] medicines = {"amoxicillin", "metoprolol", "ibuprofen", "ondansetron", "heparin", "insulin glargine"};
        ByteBuffer buffer = ByteBuffer.allocate(ENTRY * ENTRIES);
        for (int i = 0; i < ENTRIES; i++) {
            buffer.position(i * ENTRY);
            new Prescription(random.nextInt(90_000), 5 * (1 + random.nextInt(100)), medicines[random.nextInt(medicines.length)]).write(buffer);
        }
        return buffer.array();
    }

    static final class Counter implements Runnable {
        private final Vault vault;
        private final Random random;
        private final Map<String, Integer> handedOut = new HashMap<>();

        Counter(Vault vault, int seed) {
            this.vault = vault;
            random = new Random(seed);
        }

        private String label(Prescription prescription) {
            return prescription.patient() + ": " + prescription.dose() + " mg " + prescription.medicine();
        }

        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                long begin = System.nanoTime();
                try {
                    Prescription found = vault.find(WARDS[random.nextInt(WARDS.length)], random.nextInt(ENTRIES));
                    if (label(found).length() > 5) handedOut.merge(found.medicine(), found.dose(), Integer::sum);
                    TOTAL.add(System.nanoTime() - begin);
                    SERVED.increment();
                    TimeUnit.MILLISECONDS.sleep(3);
                } catch (GeneralSecurityException e) {
                    System.err.println("not served: " + e.getMessage());
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Vault vault = new Vault(new SecureRandom());
        Random random = new Random(3);
        for (String ward : WARDS) vault.store(ward, ward(random));
        ExecutorService counters = Executors.newFixedThreadPool(3);
        for (int i = 0; i < 3; i++) counters.execute(new Counter(vault, i));
        while (SERVED.sum() < 300) Thread.sleep(20);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            SERVED.reset();
            OPENING.reset();
            TOTAL.reset();
            Thread.sleep(1000);
            long n = Math.max(1, SERVED.sum());
            System.out.printf("measured: %d prescriptions, %.2f ms each, %.1f %% of it to open the vault%n",
                    n, TOTAL.sum() / 1e6 / n, 100.0 * OPENING.sum() / Math.max(1, TOTAL.sum()));
        }
    }
}
