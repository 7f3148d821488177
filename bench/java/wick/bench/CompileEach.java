/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Compiles files one after the other, again and again, in this JVM, until the standard input ends; each line on it is answered with
 * the number of files compiled so far.
 *
 * <p>Arguments: a file with the names of the sources, one a line; their class path; a folder for the classes; seconds of warm-up.
 */
public final class CompileEach {
    private static final LongAdder COMPILED = new LongAdder();

    private CompileEach() {}

    public static void main(String[] args) throws Exception {
        List<String> sources;
        try (Stream<String> lines = Files.lines(Path.of(args[0]))) {
            sources = lines.collect(Collectors.toList());
        }
        Thread worker = new Thread(() -> compile(sources, args[1], args[2]), "javac");
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(Long.parseLong(args[3]) * 1000);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        while (in.readLine() != null) {
            System.out.println("ANSWER " + COMPILED.sum());
        }
    }

    private static void compile(List<String> sources, String classPath, String classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        while (true) {
            for (String source : sources) {
                if (compiler.run(null, null, null, "-nowarn", "-proc:none", "-cp", classPath, "-d", classes, source) != 0) {
                    System.err.println("javac failed: " + source);
                    System.exit(1);
                }
                COMPILED.increment();
            }
        }
    }
}
