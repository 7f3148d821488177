// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A program that gives its collector work of one kind until it is killed:
 *
 * <pre>
 *   humongous    arrays of 700 KiB, each dropped at once
 *   promoted     objects that live a little longer than the young generation is large
 *   empty        a little garbage in a large heap, collected now and then
 *   finalized    objects whose finalizers are slow
 *   healthy      objects of which few stay, and finalizers with nothing to do
 * </pre>
 */
public class Shapes {
    static volatile Object sink;
    static final Deque<Object> recent = new ArrayDeque<>();

    static final class Slow {
        final byte[] state = new byte[64];

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() throws InterruptedException {
            release();
        }

        private void release() throws InterruptedException { Thread.sleep(20); }
    }

    static void humongous() { sink = new byte[700 << 10]; }

    static void promoted() {
        recent.add(new byte[4096]);
        if (recent.size() > 3000)
            recent.remove();
    }

    static void step(String kind) throws Exception {
        switch (kind) {
        case "humongous": humongous(); break;
        case "promoted":
            for (int i = 0; i < 200; i++)
                promoted();
            break;
        case "finalized": sink = new Slow(); break;
        default:
            for (int i = 0; i < 20; i++)
                sink = new byte[4096];
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("up");
        // finalizers of 200 objects take seconds, and on a busy machine so do 200 steps
        int each = args[0].equals("finalized") ? 200 : 1000;
        for (long n = 0;; n++) {
            step(args[0]);
            if (n % each == 100 && !args[0].equals("promoted") && !args[0].equals("humongous")) {
                System.gc();
                System.out.println("collected " + n / each);
            }
            Thread.sleep(2);
        }
    }
}
