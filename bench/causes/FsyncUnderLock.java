// SPDX-License-Identifier: Apache-2.0
// cause: every writer forces the journal to the disk while it holds the journal's lock
// expect: waiting kind=file-sync frame=FsyncUnderLock.append
// symptom: lock-contention waiting disk-wait hot-method hot-calls
// jdk: 17
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

public final class FsyncUnderLock {
    private final FileChannel journal;

    private FsyncUnderLock(Path path) throws IOException {
        journal = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private synchronized void append(byte[] record) throws IOException {
        journal.position(0);
        journal.write(ByteBuffer.wrap(record));
        journal.force(true);
    }

    private void serve() {
        byte[] record = new byte[4096];
        try {
            for (;;) {
                for (int i = 0; i < record.length; i++) {
                    record[i] += (byte) i;
                }
                append(record);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        FsyncUnderLock store = new FsyncUnderLock(Paths.get("journal"));
        for (int i = 0; i < 8; i++) {
            new Thread(store::serve, "writer-" + i).start();
        }
        System.out.println("READY");
    }
}
