/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.util.Arrays;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Calls javac with the given arguments again and again in this JVM, until the standard input ends. */
public final class CompileLoop {
    private CompileLoop() {}

    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Thread worker = new Thread(() -> {
            while (true) {
                if (compiler.run(null, null, null, args) != 0) {
                    System.err.println("javac failed: " + Arrays.toString(args));
                    System.exit(1);
                }
            }
        }, "javac");
        worker.setDaemon(true);
        worker.start();
        System.out.println("READY");
        while (System.in.read() >= 0) {
            continue;
        }
    }
}
