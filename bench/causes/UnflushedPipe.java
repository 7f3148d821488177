// SPDX-License-Identifier: Apache-2.0
// cause: answers go into a pipe that nobody flushes, so its reader sees them when it polls, once a second
// expect: endpoint-wait frame=UnflushedPipe.answer | waiting frame=UnflushedPipe.answer | endpoint-wait frame=UnflushedPipe.convert | waiting frame=UnflushedPipe.convert
// symptom: waiting endpoint-wait
// jdk: 11
// set: fifth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import wick.Scope;
import wick.Wick;

/** A converter that was a process once still has pipes: PipedInputStream.read() waits for a second at a time. */
public final class UnflushedPipe {
    private static final int CLIENTS = 4;
    private static volatile int length;

    private final PipedOutputStream questions = new PipedOutputStream();
    private final PipedInputStream asked = new PipedInputStream();
    private final PipedOutputStream answers = new PipedOutputStream();
    private final PipedInputStream answered = new PipedInputStream();

    private UnflushedPipe() throws IOException {
        questions.connect(asked);
        answers.connect(answered);
    }

    private static String transform(String text) {
        StringBuilder out = new StringBuilder();
        for (String word : text.split(" ")) {
            out.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1)).append(' ');
        }
        return out.toString();
    }

    private void converter() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(asked, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                answers.write(transform(line).getBytes(StandardCharsets.UTF_8));
                answers.write('\n');
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void ask(String text) throws IOException {
        questions.write((text + "\n").getBytes(StandardCharsets.UTF_8));
        questions.flush();
    }

    private String answer() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = answered.read(); c != '\n'; c = answered.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    private String convert(String text) throws IOException {
        ask(text);
        return answer();
    }

    private static void serve(UnflushedPipe pipe) {
        try {
            for (int n = 0;; n++) {
                try (Scope request = Wick.span("POST /convert")) {
                    length += pipe.convert("the quick brown fox jumps over dog " + n).length();
                }
                Thread.sleep(10); // the next request
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            UnflushedPipe pipe = new UnflushedPipe();
            Thread converter = new Thread(pipe::converter, "converter-" + i);
            converter.setDaemon(true);
            converter.start();
            new Thread(() -> serve(pipe), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
