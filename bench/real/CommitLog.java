// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * A log as Kafka keeps one for a partition: producers append batches of records under the log's lock, with a checksum and an entry in
 * a sparse index that is mapped into memory; segments roll at 64 MiB, and consumers read behind. Each batch is forced to the disk
 * before it is acknowledged, as log.flush.interval.messages=1 has it.
 *
 * <p>Arguments: folder, producers, consumers. Prints READY, and how many batches were acknowledged each second.
 */
public final class CommitLog {
    private static final int SEGMENT_BYTES = 64 << 20;
    private static final int INDEX_BYTES = 1 << 20;
    private static final int BATCH_BYTES = 16 << 10;
    private static final int INDEXED_EVERY = 4096;

    private final Path folder;
    private FileChannel segment;
    private MappedByteBuffer index;
    private long offset;
    private long baseOffset;
    private int sinceIndexed;
    private volatile Path active;

    private CommitLog(Path folder) throws IOException {
        this.folder = folder;
        roll();
    }

    private void roll() throws IOException {
        if (segment != null) {
            segment.force(true);
            segment.close();
            Files.delete(active);
        }
        baseOffset = offset;
        active = folder.resolve(String.format("%020d.log", baseOffset));
        segment = FileChannel.open(active, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        Path name = folder.resolve("current.index");
        try (FileChannel file = FileChannel.open(name, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            index = file.map(FileChannel.MapMode.READ_WRITE, 0, INDEX_BYTES);
        }
    }

    private long append(ByteBuffer batch) throws IOException {
        synchronized (this) {
            if (segment.position() + batch.remaining() > SEGMENT_BYTES) {
                roll();
            }
            sinceIndexed += batch.remaining();
            if (sinceIndexed >= INDEXED_EVERY && index.remaining() >= 8) {
                index.putInt((int) (offset - baseOffset)).putInt((int) segment.position());
                sinceIndexed = 0;
            }
            while (batch.hasRemaining()) {
                segment.write(batch);
            }
            flush();
            return offset++;
        }
    }

    private void flush() throws IOException {
        segment.force(false);
    }

    private void produce(int producer) {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
        CRC32C sum = new CRC32C();
        byte[] value = new byte[100];
        try {
            for (long n = 0;; n++) {
                batch.clear();
                batch.putLong(0);
                while (batch.remaining() >= value.length + 16) {
                    value[(int) (n % value.length)]++;
                    batch.putLong(System.currentTimeMillis()).putInt(producer).putInt(value.length).put(value);
                }
                batch.flip();
                sum.reset();
                sum.update(batch.duplicate().position(8));
                batch.putLong(0, sum.getValue());
                append(batch);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void consume() {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
        try {
            for (;;) {
                try (FileChannel file = FileChannel.open(active, StandardOpenOption.READ)) {
                    for (int idle = 0; idle < 20;) {
                        batch.clear();
                        idle = file.read(batch) < 0 ? idle + 1 : 0;
                        if (idle > 0) {
                            Thread.sleep(10);
                        }
                    }
                } catch (java.nio.file.NoSuchFileException rolled) {
                    Thread.sleep(1);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized long acknowledged() {
        return offset;
    }

    public static void main(String[] args) throws Exception {
        CommitLog log = new CommitLog(Path.of(args[0]));
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            int producer = i;
            new Thread(() -> log.produce(producer), "producer-" + i).start();
        }
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            new Thread(log::consume, "consumer-" + i).start();
        }
        System.out.println("READY");
        for (long before = 0;;) {
            Thread.sleep(1000);
            long now = log.acknowledged();
            System.out.println("batches a second: " + (now - before));
            before = now;
        }
    }
}
