// SPDX-License-Identifier: Apache-2.0
// cause: a file is read byte by byte, with a system call for each
// expect: hot-calls frame=UnbufferedReads.count | hot-method caller=UnbufferedReads.count
// symptom: hot-method hot-calls hot-code waiting disk-wait
// jdk: 25
// set: second
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public final class UnbufferedReads {
    private static volatile int lines;

    private static int count(Path file) throws IOException {
        int n = 0;
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            for (int c; (c = in.read()) >= 0;) {
                n += c == '\n' ? 1 : 0;
            }
        }
        return n;
    }

    public static void main(String[] args) throws IOException {
        Path file = Path.of("import.csv");
        Files.write(file, "one,two,three,four\n".repeat(20_000).getBytes());
        System.out.println("READY");
        for (;;) {
            lines = count(file);
        }
    }
}
