// SPDX-License-Identifier: Apache-2.0
/** Runs another JVM (argument: the java program, its class path) and ends with its status. */
public class Spawns {
    public static void main(String[] args) throws Exception {
        Process p = new ProcessBuilder(args[0], "-cp", args[1], "Waits", "300").inheritIO().start();
        System.exit(p.waitFor() == 0 ? 5 : 6);
    }
}
