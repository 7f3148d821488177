// SPDX-License-Identifier: Apache-2.0
import java.util.Scanner;
import wick.Scope;
import wick.Wick;

/**
 * Threads whose trace contexts are published by a native library, the argument. Prints {@code up}, then loads it at the line
 * {@code load} and begins, and ends at the end of its input:
 *
 * <pre>
 *   steady    publishes once, then computes
 *   half      computes in inside() with a published context, then in outside() without, and so on
 *   both      publishes, and has a span of wick.jar in inside(), none in outside()
 *   bare      computes and never calls the library
 * </pre>
 */
@SuppressWarnings("try")
public class Published {
    static volatile long sink;

    static native void publish(long high, long low, long span);

    static native void clear();

    static void compute() {
        long x = sink | 1;
        for (int i = 0; i < 3_000_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    static void inside() {
        compute();
    }

    static void outside() {
        compute();
    }

    static void steady() {
        publish(0x1111222233334444L, 0x8555666677778888L, 0x9aaL);
        while (true) {
            compute();
        }
    }

    static void half() {
        while (true) {
            publish(0xf0, 1, 2);
            inside();
            clear();
            outside();
        }
    }

    static void both() {
        publish(0xb0, 3, 4);
        while (true) {
            try (Scope s = Wick.span("GET /own", 5, 6)) {
                inside();
            }
            outside();
        }
    }

    static void bare() {
        while (true) {
            compute();
        }
    }

    static void begin(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        begin("bare", Published::bare);
        System.out.println("up");
        while (in.hasNextLine()) {
            in.nextLine();
            System.load(args[0]);
            begin("steady", Published::steady);
            begin("half", Published::half);
            begin("both", Published::both);
            System.out.println("loaded");
        }
    }
}
