// SPDX-License-Identifier: Apache-2.0
// cause: to find the newest file, all of a folder are sorted, and each comparison asks the file system for two dates
// expect: hot-calls frame=InboxScan.newest | hot-code frame=InboxScan.newest | hot-method caller=InboxScan.newest | waiting frame=InboxScan.newest
// symptom: hot-method hot-calls hot-code disk-wait
// jdk: 21
// set: eighth
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.atomic.LongAdder;

public final class InboxScan {
    private static final LongAdder SORTING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static volatile int length;

    private final File folder;

    private InboxScan() throws IOException {
        Path path = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"), "InboxScan"));
        for (int i = 0; i < 1500; i++) {
            Path file = path.resolve("scan-" + i + ".pdf");
            if (!Files.exists(file)) {
                Files.write(file, new byte[] {(byte) i});
            }
            file.toFile().setLastModified(1700000000000L + i * 7919L % 1500 * 1000);
        }
        folder = path.toFile();
    }

    private File newest() {
        File[] files = folder.listFiles();
        Arrays.sort(files, Comparator.comparingLong(File::lastModified).reversed());
        return files[0];
    }

    private void serve(int worker) {
        try {
            for (;;) {
                long start = System.nanoTime();
                File file = newest();
                SORTING.add(System.nanoTime() - start);
                length += Files.readAllBytes(file.toPath()).length;
                ALL.add(System.nanoTime() - start);
                Thread.sleep(20); // the next viewer
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        InboxScan inbox = new InboxScan();
        for (int i = 0; i < 2; i++) {
            int worker = i;
            new Thread(() -> inbox.serve(worker), "viewer-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + 100 * SORTING.sum() / (ALL.sum() + 1) + " % of a view is newest()");
        }
    }
}
