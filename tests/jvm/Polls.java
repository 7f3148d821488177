// SPDX-License-Identifier: Apache-2.0
/** Calls of poll() in a native library, LIBRARY, and how many of them a signal has ended. usage: Polls LIBRARY CALLS */
public class Polls {
    private static native long run(long calls);

    public static void main(String[] args) {
        System.load(args[0]);
        System.out.println("interrupted " + run(Long.parseLong(args[1])));
    }
}
