// SPDX-License-Identifier: Apache-2.0
// healthy: a shipper reads the lines that another program writes three times a second, and keeps the last thousand
// jdk: 8
// set: eighth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.Deque;

public final class HealthyShipper {
    private final Deque<String> last = new ArrayDeque<>();

    private synchronized void keep(String line) {
        last.addLast(line);
        if (last.size() > 1000) {
            last.removeFirst();
        }
    }

    private synchronized int errors() {
        int count = 0;
        for (String line : last) {
            if (line.contains("ERROR")) {
                count++;
            }
        }
        return count;
    }

    private void follow(BufferedReader lines) {
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                keep(line);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void watch() {
        try {
            for (;;) {
                if (errors() > 900) {
                    System.out.println("trouble");
                }
                Thread.sleep(1000);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        HealthyShipper shipper = new HealthyShipper();
        Process source = new ProcessBuilder("sh", "-c", "while echo INFO served a request && sleep 0.3; do :; done").start();
        BufferedReader lines = new BufferedReader(new InputStreamReader(source.getInputStream()));
        new Thread(() -> shipper.follow(lines), "follower").start();
        new Thread(shipper::watch, "watch").start();
        System.out.println("READY");
    }
}
