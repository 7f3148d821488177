// SPDX-License-Identifier: Apache-2.0
// cause: streams of packed documents are not closed, so memory of zlib outside of the heap waits for rare collections
// expect: native-leak | memory-growth | cleaners-behind
// symptom: hot-method hot-code hot-calls
// jvm: -Xmx192m -Xmn40m -XX:+UseSerialGC
// jdk: 21
// set: sixth
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * A search takes the first lines of 200 packed documents a second. Each stream has some 40 KB of malloc'ed memory that
 * close() would free; as nobody closes it, a cleaner does so after the next collection. But a document takes only 4 KB
 * of the heap, so that a young collection comes every half minute: the process grows by 8 MB a second until then, to
 * several times its heap in use. It needs a few per cent of a CPU, and waits for nothing but the next request.
 */
public final class UnclosedInflater {
    private static final int DOCUMENTS = 50;
    private static volatile int lines;

    private static byte[] pack(Random random) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.length() < 100_000) {
            text.append("line ").append(random.nextInt(1000)).append(" of a document\n");
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(packed)) {
            out.write(text.toString().getBytes());
        }
        return packed.toByteArray();
    }

    private static int countLines(byte[] packed) throws IOException {
        InputStream in = new InflaterInputStream(new ByteArrayInputStream(packed));
        byte[] buffer = new byte[4000];
        int count = 0;
        for (int part = 0; part < 10; part++) {
            int n = in.read(buffer);
            for (int i = 0; i < n; i++) {
                count += buffer[i] == '\n' ? 1 : 0;
            }
        }
        return count;
    }

    private static void serve(List<byte[]> documents) {
        try {
            for (int n = 0;; n++) {
                lines = countLines(documents.get(n % DOCUMENTS));
                Thread.sleep(9); // the next request
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        List<byte[]> documents = new ArrayList<>();
        Random random = new Random(1);
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(pack(random));
        }
        for (int i = 0; i < 2; i++) {
            new Thread(() -> serve(documents), "search-" + i).start();
        }
        System.out.println("READY");
    }
}
