// SPDX-License-Identifier: Apache-2.0
// cause: every request runs a program and waits for its end
// expect: waiting kind=process frame=ForkPerRequest.convert
// jdk: 17
import java.io.IOException;

public final class ForkPerRequest {
    private static int convert() throws IOException, InterruptedException {
        Process p = new ProcessBuilder("sleep", "0.05").start();
        return p.waitFor();
    }

    private static void serve() {
        try {
            for (;;) {
                convert();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            new Thread(ForkPerRequest::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
