// SPDX-License-Identifier: Apache-2.0
// cause: each read of a setting asks for the date of the file, under a lock that all share: ReloadingSettings.get
// expect: waiting kind=monitor frame=ReloadingSettings.get | waiting frame=ReloadingSettings.get | lock-contention frame=ReloadingSettings.get | lock-contention caller=ReloadingSettings.get | hot-method frame=ReloadingSettings.get | hot-method caller=ReloadingSettings.get | hot-calls frame=ReloadingSettings.get | hot-code frame=ReloadingSettings.get | endpoint-cpu frame=ReloadingSettings.get
// symptom: hot-method hot-calls hot-code waiting lock-contention
// jdk: 8
// set: ninth
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.Properties;
import java.util.concurrent.atomic.LongAdder;

public final class ReloadingSettings {
    private static final LongAdder READING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static volatile long last;

    private final File file;
    private Properties settings = new Properties();
    private long loaded;

    private ReloadingSettings() throws IOException {
        file = File.createTempFile("settings", ".properties");
        file.deleteOnExit();
        Properties written = new Properties();
        for (int i = 0; i < 50; i++) {
            written.setProperty("limit." + i, Integer.toString(i * 10));
        }
        try (OutputStream out = Files.newOutputStream(file.toPath())) {
            written.store(out, null);
        }
    }

    private synchronized String get(String name) throws IOException {
        long modified = file.lastModified();
        if (modified != 0 && modified != loaded) {
            Properties read = new Properties();
            try (InputStream in = Files.newInputStream(file.toPath())) {
                read.load(in);
            }
            settings = read;
            loaded = modified;
        }
        return settings.getProperty(name);
    }

    private long check(int order) throws IOException {
        long sum = order;
        for (int i = 0; i < 30; i++) {
            long start = System.nanoTime();
            String limit = get("limit." + (order + i) % 50);
            READING.add(System.nanoTime() - start);
            sum += Integer.parseInt(limit);
            for (int j = 0; j < 200; j++) {
                sum += sum << 5 ^ j;
            }
        }
        return sum;
    }

    private void serve(int worker) {
        try {
            for (int order = worker;; order += 8) {
                long start = System.nanoTime();
                last = check(order % 10_000);
                ALL.add(System.nanoTime() - start);
                if (order % 400 < 8) {
                    Thread.sleep(3); // the next orders
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        ReloadingSettings settings = new ReloadingSettings();
        for (int i = 0; i < 8; i++) {
            int worker = i;
            new Thread(() -> settings.serve(worker), "check-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * READING.sum() / (ALL.sum() + 1) + " % of an order is get()");
        }
    }
}
