// SPDX-License-Identifier: Apache-2.0
// healthy: readings of sensors are gathered and written twice a second by one thread, which forces them to the disk once; nobody waits for that
// jdk: 21
// set: twelfth
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import wick.Scope;
import wick.Wick;

public final class HealthyGroupCommit {
    private static final class Journal implements Runnable {
        private final BlockingQueue<Long> queue = new LinkedBlockingQueue<>(100_000);
        private final FileChannel channel;

        private Journal() throws IOException {
            File file = File.createTempFile("readings", ".log", new File("."));
            channel = new RandomAccessFile(file, "rw").getChannel();
            if (!file.delete()) {
                throw new IOException("cannot delete " + file);
            }
        }

        @Override
        public void run() {
            List<Long> batch = new ArrayList<>();
            try {
                for (;;) {
                    Thread.sleep(500);
                    queue.drainTo(batch);
                    ByteBuffer bytes = ByteBuffer.allocate(8 * batch.size());
                    batch.forEach(bytes::putLong);
                    channel.write(bytes.flip(), 0);
                    channel.force(false);
                    batch.clear();
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void sensor(Journal journal, int sensor) {
        try {
            for (long n = 0;; n++) {
                try (Scope request = Wick.span("PUT /reading")) {
                    long value = 0;
                    for (int i = 0; i < 2000; i++) {
                        value = value * 31 + (n ^ i);
                    }
                    if (!journal.queue.offer(value << 8 | sensor)) {
                        throw new IllegalStateException("the journal is behind");
                    }
                }
                Thread.sleep(4);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        Journal journal = new Journal();
        new Thread(journal, "journal").start();
        for (int i = 0; i < 5; i++) {
            int sensor = i;
            new Thread(() -> sensor(journal, sensor), "sensor-" + i).start();
        }
        System.out.println("READY");
    }
}
