// SPDX-License-Identifier: Apache-2.0
// cause: VaccineRegister$Ledger.enter waits in FileChannel.lock for the district's ledger file, which another process (VaccineRegister$Archive, the replicator) keeps locked for nearly all of the time while it copies at a gentle pace; the other clinics wait for the ledger's monitor behind the one that waits there
// share: entering takes 91 to 98 % of the 4 clinics' time (3.7 threads), 70 ms each; one of them at a time is in FileChannel.lock, the others behind it; about 0.02 CPUs used
// expect: waiting kind=file-lock frame=VaccineRegister$Ledger.enter
// symptom: waiting
// judge: NAMED: waiting for a file lock (FileChannel.lock, fcntl lock, a file that another process has locked) at VaccineRegister$Ledger.enter, with or without the other process or the file named, alone or as the end of the chain from the monitor at Ledger.enter. SYMPTOM ONLY: monitor waits or lock contention at Ledger.enter (or Clinic.run) without what the holder waits for; Clinic.run or Ledger.enter "waits" or "is slow" without the kind; waiting for file I/O in general at Ledger.enter. WRONG: disk, fsync, reading or writing of the file, CPU, the process kept waiting for (process end), anything at another place
// jdk: 25
// set: thirty-second
// jvm: -Xmx192m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** Registers vaccinations of a district in a ledger file, which a replicator copies to the archive. */
public class VaccineRegister {
    static final int CLINICS = 4;
    static final int SLOTS = 4096;
    static final int SLOT = 64;

    static final AtomicLong entered = new AtomicLong();
    static final AtomicLong enteringNs = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(20);

    record Dose(int clinic, long patient, String product, int batch) {
        byte[] line() {
            String text = clinic + ";" + patient + ";" + product + ";" + batch;
            return java.util.Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), SLOT);
        }
    }

    static final class Ledger {
        private final FileChannel file;
        private final ByteBuffer slot = ByteBuffer.allocateDirect(SLOT);
        private int next;

        Ledger(Path path) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }

        synchronized int enter(Dose dose) throws IOException {
            byte[] line = dose.line();
            slot.clear().put(line).flip();
            try (FileLock lock = file.lock()) {
                int number = next++ % SLOTS;
                file.write(slot, (long) number * SLOT);
                return number;
            }
        }
    }

    static final class Clinic implements Runnable {
        private final int number;
        private final Ledger ledger;
        private final Random random;
        private long checks;

        Clinic(int number, Ledger ledger) {
            this.number = number;
            this.ledger = ledger;
            this.random = new Random(number);
        }

        private Dose vaccinate() {
            long patient = Math.abs(random.nextLong() % 100_000_000L);
            CRC32 crc = new CRC32();
            for (int i = 0; i < 400; i++) {
                crc.update(Long.toString(patient + i).getBytes(StandardCharsets.US_ASCII));
            }
            checks += crc.getValue();
            return new Dose(number, patient, random.nextBoolean() ? "MMR" : "DTaP", random.nextInt(900));
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Dose dose = vaccinate();
                    long start = System.nanoTime();
                    ledger.enter(dose);
                    enteringNs.addAndGet(System.nanoTime() - start);
                    entered.incrementAndGet();
                    warm.countDown();
                    Thread.sleep(5);
                }
            } catch (IOException e) {
                System.out.println("clinic " + number + " closed: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The replicator, a process of its own. It ends with the register. */
    static final class Archive {
        public static void main(String[] args) throws Exception {
            Path path = Path.of(args[0]);
            Thread copier = new Thread(() -> copy(path), "copier");
            copier.setDaemon(true);
            copier.start();
            System.out.println("copying");
            while (System.in.read() >= 0) { }
            Files.deleteIfExists(path);
            Runtime.getRuntime().halt(0);
        }

        static void copy(Path path) {
            ByteBuffer part = ByteBuffer.allocateDirect(16 * SLOT);
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                CRC32 crc = new CRC32();
                while (true) {
                    try (FileLock lock = file.lock()) {
                        for (int i = 0; i < 8; i++) {
                            part.clear();
                            file.read(part, (long) i * part.capacity());
                            crc.update(part.flip());
                            Thread.sleep(9);
                        }
                    }
                    Thread.sleep(2);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("copier: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("register", ".led");
        path.toFile().deleteOnExit();
        Process archive = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx32m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), Archive.class.getName(), path.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        new BufferedReader(new InputStreamReader(archive.getInputStream())).readLine();
        Ledger ledger = new Ledger(path);
        for (int i = 0; i < CLINICS; i++) new Thread(new Clinic(i, ledger), "clinic-" + i).start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        long last = System.nanoTime(), waited = enteringNs.get(), count = entered.get();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), w = enteringNs.get(), c = entered.get();
            System.out.printf("measured: %d doses entered, %.1f ms each; entering took %.0f %% of the clinics' time%n",
                c - count, (w - waited) / 1e6 / Math.max(1, c - count), 100.0 * (w - waited) / (now - last) / CLINICS);
            last = now; waited = w; count = c;
        }
    }
}
