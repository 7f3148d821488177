// SPDX-License-Identifier: Apache-2.0

/** Makes garbage as fast as it can, of which a little lives for a while. Ends with the line `exit` on standard input. */
public final class Garbage {
    static volatile Object[] kept = new Object[1000];

    private static void fill() {
        for (int i = 0;; i++) {
            kept[i % kept.length] = new byte[10_000];
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(Garbage::fill, "garbage-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("up");
        System.in.read();
    }
}
