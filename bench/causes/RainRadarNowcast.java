// SPDX-License-Identifier: Apache-2.0
// cause: the option -XX:TieredStopAtLevel=1 (once meant for a short start) keeps C2 from working, so that Motion.difference, Motion.smooth and Motion.advance, loops over arrays of ints, run as code of C1 for ever, several times slower than code of C2.
// share: faulty 151 radar frames forecast a second; fixed 411 radar frames forecast a second (2.7 times better in throughput; medians of 11 s runs on a crowded machine of 2 CPUs); with -Dfixed=true the program replaces itself (execv, same pid) by the same command without its -XX: options, before READY
// expect: jvm-option option=TieredStopAtLevel
// symptom: hot-method hot-code
// judge: NAMED: -XX:TieredStopAtLevel=1 keeps C2 from compiling; leave it out. SYMPTOM ONLY: Motion.difference (or smooth, advance) is hot, as computing is the purpose of the program. WRONG: the algorithm of Motion.find as the only fault, garbage collection, lack of threads or CPUs, System.arraycopy.
// jdk: 25
// set: twenty-ninth
// jvm: -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class RainRadarNowcast {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final LongAdder FRAMES = new LongAdder();

    static final class Field {
        static final int SIDE = 192;
        final int[] cells = new int[SIDE * SIDE];

        void sweep(Random r) {
            for (int c = 0; c < 12; c++) {
                int x = r.nextInt(SIDE - 16);
                int y = r.nextInt(SIDE - 16);
                int strength = 20 + r.nextInt(300);
                for (int dy = 0; dy < 16; dy++) {
                    for (int dx = 0; dx < 16; dx++) {
                        cells[(y + dy) * SIDE + x + dx] += strength;
                    }
                }
            }
        }
    }

    static final class Motion {
        private int bestX;
        private int bestY;

        void find(Field before, Field now) {
            int best = Integer.MAX_VALUE;
            for (int dy = -3; dy <= 3; dy++) {
                for (int dx = -3; dx <= 3; dx++) {
                    int d = difference(before.cells, now.cells, dx, dy);
                    if (d < best) {
                        best = d;
                        bestX = dx;
                        bestY = dy;
                    }
                }
            }
        }

        private static int difference(int[] a, int[] b, int dx, int dy) {
            int side = Field.SIDE;
            int sum = 0;
            for (int y = 4; y < side - 4; y++) {
                int from = y * side;
                int shifted = (y + dy) * side + dx;
                for (int x = 4; x < side - 4; x++) {
                    int d = a[from + x] - b[shifted + x];
                    sum += Math.abs(d);
                }
            }
            return sum;
        }

        void advance(Field now, Field next) {
            int side = Field.SIDE;
            for (int y = 4; y < side - 4; y++) {
                int to = y * side;
                int source = (y - bestY) * side - bestX;
                for (int x = 4; x < side - 4; x++) {
                    next.cells[to + x] = now.cells[source + x] * 15 >> 4;
                }
            }
        }

        void smooth(Field field, Field scratch) {
            int side = Field.SIDE;
            int[] a = field.cells;
            int[] b = scratch.cells;
            for (int y = 1; y < side - 1; y++) {
                int row = y * side;
                for (int x = 1; x < side - 1; x++) {
                    int i = row + x;
                    b[i] = (a[i] * 4 + a[i - 1] + a[i + 1] + a[i - side] + a[i + side]) >> 3;
                }
            }
            System.arraycopy(b, 0, a, 0, a.length);
        }
    }

    static final class Region implements Runnable {
        private final Random random;
        private final long end;
        private Field before = new Field();
        private Field now = new Field();
        private Field next = new Field();
        private final Field scratch = new Field();
        private final Motion motion = new Motion();

        Region(int seed, long end) {
            random = new Random(seed);
            this.end = end;
            before.sweep(random);
        }

        @Override
        public void run() {
            while (System.nanoTime() < end) {
                System.arraycopy(before.cells, 0, now.cells, 0, now.cells.length);
                now.sweep(random);
                motion.smooth(now, scratch);
                motion.find(before, now);
                for (int minute = 0; minute < 6; minute++) {
                    motion.advance(now, next);
                    motion.smooth(next, scratch);
                }
                Field f = before;
                before = next;
                next = f;
                FRAMES.increment();
            }
        }
    }

    static final class Launcher {
        private static MemorySegment vector(Arena arena, List<String> texts) {
            MemorySegment v = arena.allocate(ValueLayout.ADDRESS, texts.size() + 1L);
            for (int i = 0; i < texts.size(); i++) {
                v.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(texts.get(i)));
            }
            v.setAtIndex(ValueLayout.ADDRESS, texts.size(), MemorySegment.NULL);
            return v;
        }

        static void plain() throws Throwable {
            String line = new String(Files.readAllBytes(Path.of("/proc/self/cmdline")), StandardCharsets.UTF_8);
            List<String> kept = new ArrayList<>();
            boolean changed = false;
            for (String arg : line.split("\0")) {
                if (arg.startsWith("-XX:")) {
                    changed = true;
                } else {
                    kept.add(arg);
                }
            }
            if (!changed) {
                return;
            }
            Linker linker = Linker.nativeLinker();
            MethodHandle exec = linker.downcallHandle(linker.defaultLookup().find("execv").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
            Arena arena = Arena.global();
            String self = Path.of("/proc/self/exe").toRealPath().toString();
            int rc = (int) exec.invokeExact(arena.allocateFrom(self), vector(arena, kept));
            throw new IllegalStateException("execv: " + rc);
        }
    }

    public static void main(String[] args) throws Throwable {
        if (REVISED) {
            Launcher.plain();
        }
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Region(i, end), "region-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            System.out.printf("measured: %d radar frames forecast a second%n", FRAMES.sumThenReset());
        }
    }
}
