// SPDX-License-Identifier: Apache-2.0
// cause: each entry of 64 bytes in a mapped ledger is forced to the disk by itself: Ledger.append
// expect: endpoint-wait kind=file-sync frame=LedgerOnMap$Ledger | waiting kind=file-sync frame=LedgerOnMap$Ledger | endpoint-wait kind=disk frame=LedgerOnMap$Ledger | waiting kind=disk frame=LedgerOnMap$Ledger | endpoint-wait kind=file-write frame=LedgerOnMap$Ledger | waiting kind=file-write frame=LedgerOnMap$Ledger | disk-wait frame=LedgerOnMap$Ledger | disk-wait caller=LedgerOnMap$Ledger
// symptom: waiting endpoint-wait disk-wait
// judge: right is what says that requests or threads wait for the disk (a write, a file, force, msync) at LedgerOnMap$Ledger.append or MappedByteBuffer.force below it; symptom: waits there described as anything else
// jdk: 21
// set: twelfth
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import wick.Scope;
import wick.Wick;

public final class LedgerOnMap {
    private static final int ENTRY = 64;
    private static final int SIZE = 4 << 20;

    private static final class Ledger {
        private final MappedByteBuffer map;
        private int at;

        private Ledger(String name) throws IOException {
            File file = File.createTempFile(name, ".ledger", new File("."));
            file.deleteOnExit();
            try (RandomAccessFile f = new RandomAccessFile(file, "rw")) {
                f.setLength(SIZE);
                map = f.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
            }
            if (!file.delete()) {
                throw new IOException("cannot delete " + file);
            }
        }

        private void append(long account, long cents) {
            map.putLong(at, account).putLong(at + 8, cents).putLong(at + 16, account ^ cents);
            map.force(at, ENTRY);
            at = (at + ENTRY) % SIZE;
        }
    }

    private static void teller(Ledger ledger, int teller) {
        try {
            for (long n = 0;; n++) {
                try (Scope request = Wick.span("POST /transfers")) {
                    for (int leg = 0; leg < 8; leg++) { // fees, taxes, both sides
                        ledger.append(n * 10 + teller, n % 991 + leg);
                    }
                }
                Thread.sleep(2);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        for (int i = 0; i < 4; i++) {
            int teller = i;
            Ledger ledger = new Ledger("teller-" + i);
            new Thread(() -> teller(ledger, teller), "teller-" + i).start();
        }
        System.out.println("READY");
    }
}
