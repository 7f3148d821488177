// SPDX-License-Identifier: Apache-2.0
// healthy: requests hand what they did to a journal, whose thread writes it to a file four times a second
// jdk: 8
// set: fifth
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** 400 requests a second of 250 us; the journal has some 10 KB a second to write and is started anew at 200 KB. */
public final class HealthyJournal {
    private static final int WORKERS = 4;
    private static final long ROLL_BYTES = 200_000;
    private static volatile long paid;

    private final BlockingQueue<String> entries = new LinkedBlockingQueue<>(5000);

    private static long fee(long cents) {
        long fee = cents;
        for (int i = 0; i < 24000; i++) {
            fee = (fee * 31 + i) % 99_991;
        }
        return fee;
    }

    private static double risk(long cents) {
        double risk = 0;
        for (int i = 1; i < 1500; i++) {
            risk += Math.log(cents + i) / i;
        }
        return risk;
    }

    private static int control(String account) {
        int sum = 0;
        for (int round = 0; round < 3000; round++) {
            for (int i = 0; i < account.length(); i++) {
                sum = (sum * 10 + account.charAt(i)) % 97;
            }
        }
        return sum;
    }

    private void serve(int worker) {
        try {
            for (long n = worker;; n += WORKERS) {
                long cents = n * 7919 % 100_000;
                String account = "DE" + (10_000_000 + n % 1000);
                long fee = fee(cents);
                paid += fee;
                entries.put(account + " " + cents + " " + fee + " " + (int) risk(cents) + " " + control(account));
                Thread.sleep(10); // the next payment
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long write(Path file) throws IOException, InterruptedException {
        long bytes = 0;
        List<String> some = new ArrayList<>();
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            while (bytes < ROLL_BYTES) {
                Thread.sleep(250);
                entries.drainTo(some);
                for (String entry : some) {
                    out.write(entry);
                    out.newLine();
                    bytes += entry.length() + 1;
                }
                out.flush();
                some.clear();
            }
        }
        return bytes;
    }

    private void journal() {
        try {
            Path file = Files.createTempFile("journal", ".txt");
            file.toFile().deleteOnExit();
            for (;;) {
                write(file);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyJournal service = new HealthyJournal();
        new Thread(service::journal, "journal").start();
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            new Thread(() -> service.serve(worker), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
