// SPDX-License-Identifier: Apache-2.0
/** Says that it is up, then waits for its end or for the number of milliseconds given. */
public class Waits {
    public static void main(String[] args) throws Exception {
        System.out.println("up");
        Thread.sleep(args.length > 0 ? Long.parseLong(args[0]) : 600_000);
    }
}
