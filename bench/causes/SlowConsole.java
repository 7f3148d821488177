// SPDX-License-Identifier: Apache-2.0
// cause: all threads log to a pipe whose reader is slow
// expect: waiting kind=file-write frame=SlowConsole.log
// symptom: waiting lock-contention
// stdout: slow
// jdk: 17
public final class SlowConsole {
    private static void log(String line) {
        System.out.println(line);
    }

    private static void serve(int worker) {
        StringBuilder padding = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            padding.append((char) ('a' + i % 26));
        }
        for (int n = 0;; n++) {
            log("worker " + worker + " answered request " + n + " " + padding);
        }
    }

    public static void main(String[] args) {
        System.out.println("READY");
        for (int i = 0; i < 6; i++) {
            int worker = i;
            new Thread(() -> serve(worker), "http-" + i).start();
        }
    }
}
