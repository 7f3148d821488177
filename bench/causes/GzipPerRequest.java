// SPDX-License-Identifier: Apache-2.0
// cause: a catalogue that hardly ever changes is compressed for every request, at the highest level
// expect: hot-code kind=compression frame=GzipPerRequest.compress
// symptom: hot-method hot-calls
// jdk: 11
// set: fourth
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import wick.Scope;
import wick.Wick;

public final class GzipPerRequest {
    private static volatile int sent;

    private final byte[] catalogue = catalogue();

    private static byte[] catalogue() {
        StringBuilder s = new StringBuilder("[");
        for (int i = 0; i < 3000; i++) {
            s.append("{\"id\":").append(i).append(",\"name\":\"article ").append(i * 7919 % 3001).append("\",\"price\":")
                    .append(i * 31 % 997).append("},");
        }
        return s.append("{}]").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] compress(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        try (OutputStream out = new DeflaterOutputStream(bytes, deflater)) {
            out.write(body);
        } finally {
            deflater.end();
        }
        return bytes.toByteArray();
    }

    private void serve() {
        try {
            for (;;) {
                try (Scope span = Wick.span("GET /catalogue")) {
                    sent += compress(catalogue).length;
                }
                Thread.sleep(15); // the next client
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        GzipPerRequest service = new GzipPerRequest();
        for (int i = 0; i < 2; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
