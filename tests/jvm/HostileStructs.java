// SPDX-License-Identifier: Apache-2.0

/**
 * A JVM that lies about its own layout. Commands on standard input: "size TYPE N" and "fields TYPE N" (all offsets of a
 * type's fields, the addresses of static ones), "honest" takes all of it back; answered with how many were set. Arguments
 * are the library, and such a command of sizes to begin with.
 */
public class HostileStructs {
    static volatile long sink;

    static native int size(String type, long value);

    static native int honest();

    static native int fields(String type, long value);

    static void work() {
        while (true) {
            sink += Long.rotateLeft(sink * 0x9e3779b97f4a7c15L + 1, 17);
            if ((sink & 0xfff) == 0) {
                Thread.yield();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        if (args.length > 1) {
            size(args[2], Long.parseLong(args[3]));
        }
        Thread t = new Thread(HostileStructs::work, "works");
        t.setDaemon(true);
        t.start();
        Thread.sleep(500); // compiled by then, or not: both have to be survived
        System.out.println("up");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            String[] w = line.split(" ");
            int n = w[0].equals("honest") ? honest()
                : w[0].equals("size") ? size(w[1], Long.parseLong(w[2])) : fields(w[1], Long.parseLong(w[2]));
            System.out.println("set " + n);
        }
    }
}
