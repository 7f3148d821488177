// SPDX-License-Identifier: Apache-2.0
/** Threads that leave signal handlers for good (see losthandlers.c), on commands from standard input. */
public class LostHandlers {
    static native int cancel();

    static native int jump();

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        System.out.println("up");
        for (String line; (line = in.readLine()) != null;) {
            if (line.equals("cancel"))
                System.out.println("cancelled " + cancel());
            else if (line.equals("jump"))
                System.out.println("jumped " + jump());
            else
                return;
        }
    }
}
