// SPDX-License-Identifier: Apache-2.0
// cause: an export of account statements writes each line with String.format
// expect: hot-code kind=formatting frame=FormatPerLine.line
// symptom: hot-method hot-calls
// jdk: 8
// jvm: -Xmx256m
// set: fourth
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Date;
import java.util.Locale;
import java.util.zip.CRC32;

public final class FormatPerLine {
    private static final int LINES = 20_000;

    private static String line(int account, String owner, long cents, Date at) {
        return String.format(Locale.ROOT, "%08d|%-24s|%12.2f|%tF %<tT%n", account, owner, cents / 100.0, at);
    }

    private static long export(int day) throws IOException {
        CRC32 checksum = new CRC32();
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(Paths.get("statements.txt")), 1 << 16)) {
            for (int account = 0; account < LINES; account++) {
                byte[] bytes = line(account, "owner " + account % 977, account * 7919L + day, new Date(86_400_000L * day))
                        .getBytes(StandardCharsets.US_ASCII);
                checksum.update(bytes, 0, bytes.length);
                out.write(bytes);
            }
        }
        return checksum.getValue();
    }

    public static void main(String[] args) throws IOException {
        System.out.println("READY");
        for (int day = 0;; day++) {
            System.out.println("day " + day + ": " + Long.toHexString(export(day)));
        }
    }
}
