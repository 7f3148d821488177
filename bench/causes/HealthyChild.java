// SPDX-License-Identifier: Apache-2.0
// healthy: one converter runs as a process that is kept, and answers each of 25 requests a second at once
// jvm: -Xmx128m -XX:+UseG1GC
// jdk: 11
// set: sixth
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import wick.Scope;
import wick.Wick;

/** A request writes a line to the process, flushes it, and reads the answer, which comes within a ms. */
public final class HealthyChild {
    private static volatile int checksum;

    private final BufferedWriter out;
    private final BufferedReader in;

    private HealthyChild() throws IOException {
        Process converter = new ProcessBuilder("cat").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        out = new BufferedWriter(new OutputStreamWriter(converter.getOutputStream(), StandardCharsets.UTF_8));
        in = new BufferedReader(new InputStreamReader(converter.getInputStream(), StandardCharsets.UTF_8));
    }

    private String convert(String text) throws IOException {
        out.write(text);
        out.newLine();
        out.flush();
        return in.readLine();
    }

    private static String compose(int n) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            text.append("word").append((n + i) % 1000).append(' ');
        }
        return text.toString();
    }

    private static int add(String answer) {
        int sum = 0;
        for (String word : answer.split(" ")) {
            sum = sum * 31 + word.length();
        }
        return sum;
    }

    private void serve() throws IOException, InterruptedException {
        for (int n = 0;; n++) {
            try (Scope request = Wick.span("POST /convert")) {
                checksum = add(convert(compose(n)));
            }
            Thread.sleep(40); // the next request
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        HealthyChild service = new HealthyChild();
        System.out.println("READY");
        service.serve();
    }
}
