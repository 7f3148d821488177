// SPDX-License-Identifier: Apache-2.0
// cause: an import writes each row with a system call of its own
// expect: hot-calls frame=BatchSize.store | hot-code frame=BatchSize.store | waiting frame=BatchSize.store
// symptom: hot-method hot-calls hot-code disk-wait
// jdk: 8
// set: third
import java.io.File;
import java.io.RandomAccessFile;

public final class BatchSize {
    private static void store(RandomAccessFile out, int row) throws Exception {
        String text = row + ";" + row * 31 + "\n";
        for (int i = 0; i < text.length(); i++) {
            out.write(text.charAt(i));
        }
    }

    public static void main(String[] args) throws Exception {
        File file = File.createTempFile("import", ".csv");
        file.deleteOnExit();
        System.out.println("READY");
        try (RandomAccessFile out = new RandomAccessFile(file, "rw")) {
            for (int row = 0;; row++) {
                if (row % 100_000 == 0) {
                    out.seek(0);
                }
                store(out, row);
            }
        }
    }
}
