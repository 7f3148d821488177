// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Method;
import java.util.Arrays;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * javac at the moment in which it has read and analysed the source files that are its arguments: its trees and symbols are kept.
 * Prints "up" and waits for the end of its input.
 */
public class Compiles {
    static Object task, analysed;

    public static void main(String[] args) throws Exception {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);
        task = javac.getTask(null, files, null, Arrays.asList("-nowarn", "-proc:none"), null, files.getJavaFileObjects(args));
        Method analyse = Class.forName("com.sun.source.util.JavacTask", false, task.getClass().getClassLoader()).getMethod("analyze");
        analysed = analyse.invoke(task);
        System.out.println("up");
        while (System.in.read() >= 0)
            continue;
    }
}
