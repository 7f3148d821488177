// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.TimeUnit;

/** Two threads wait for the end of processes that write more than a pipe has room for, which nothing reads. */
public class Piped {
    static void render() {
        try {
            for (;;) {
                Process p = new ProcessBuilder("seq", "1", "1000000").start();
                p.waitFor(1, TimeUnit.SECONDS);
                p.destroyForcibly();
                p.waitFor();
            }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(Piped::render, "press-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        System.in.read();
    }
}
