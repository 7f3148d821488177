// SPDX-License-Identifier: Apache-2.0
// cause: ChartRoom$Vault.seal starts a process of its own (chmod 440 FILE) for each chart tile that is filed, by ProcessBuilder.start, where Files.setPosixFilePermissions would do it in microseconds
// share: some 900 to 1850 ms of each second of the two sheet threads (90 to 98 % of their work) are in ProcessBuilder.start, 3 to 14 ms for each of 90 to 300 tiles a second, once 80 ms (machine with a load of 10 to 20); drawing takes 2 ms and storing 20 to 110 ms a second; these threads have two thirds of the JVM's CPU time (0.15 CPUs in all, the reapers of the processes most of the rest)
// expect: hot-code kind=processes frame=ChartRoom$Vault | waiting kind=process frame=ChartRoom$Vault
// symptom: hot-calls waiting hot-code
// judge: NAMED: starting processes, at ChartRoom$Vault.seal (or Vault.file, which calls it), kind processes, or starting processes as what seal calls (hot-calls with forkAndExec or posix_spawn at seal); also waiting for a process, or for it to be started, at seal. SYMPTOM ONLY: threads that wait for a timer in SheetRunner.run (more than a dozen chmod are under way), starts of threads (process reaper), hot-calls of the kernel or of pipes without seal; a lack of CPUs, though it is true on a crowded machine, since the children take them. WRONG: Files.write or deleteIfExists in Vault.file, the disk, Draughtsman.draw, collections, no fault
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx256m
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Takes corrected sea charts from the hydrographic office, cuts them into tiles and files these for the ships of a fleet. */
public class ChartRoom {
    static final AtomicLong filed = new AtomicLong();
    static final AtomicLong sealNanos = new AtomicLong();
    static final AtomicLong drawNanos = new AtomicLong();
    static final AtomicLong storeNanos = new AtomicLong();
    static final AtomicInteger unsealed = new AtomicInteger();

    record Tile(int zoom, int x, int y, byte[] depths) {
        String name() {
            return zoom + "-" + x + "-" + y + ".tile";
        }
    }

    /** Soundings are interpolated to a grid, row by row. */
    static final class Draughtsman {
        private final SplittableRandom random;

        Draughtsman(long seed) {
            random = new SplittableRandom(seed);
        }

        Tile draw(int zoom, int x, int y) {
            ByteBuffer grid = ByteBuffer.allocate(32 * 32 * 2);
            int depth = 20 + random.nextInt(60);
            for (int row = 0; row < 32; row++) {
                for (int column = 0; column < 32; column++) {
                    depth = Math.max(0, depth + random.nextInt(5) - 2);
                    grid.putShort((short) depth);
                }
            }
            return new Tile(zoom, x, y, grid.array());
        }
    }

    /** The fleet's share: what lies there must not be changed by anybody. */
    static final class Vault {
        private final Path directory;
        private volatile boolean closed;

        Vault(Path directory) {
            this.directory = directory;
        }

        void file(Tile tile) throws IOException {
            if (closed) {
                return;
            }
            long begin = System.nanoTime();
            Path target = directory.resolve(tile.name());
            Files.deleteIfExists(target);
            Files.write(target, tile.depths());
            long stored = System.nanoTime();
            seal(target);
            storeNanos.addAndGet(stored - begin);
            sealNanos.addAndGet(System.nanoTime() - stored);
            filed.incrementAndGet();
        }

        private void seal(Path target) throws IOException {
            Process process = new ProcessBuilder(List.of("chmod", "440", target.toString()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            unsealed.incrementAndGet();
            process.onExit().thenAccept(ended -> unsealed.decrementAndGet());
        }

        void clear() {
            closed = true;
            try {
                TimeUnit.MILLISECONDS.sleep(200);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
            } catch (IOException e) {
                // the directory of a test run: nothing depends on it
            }
        }
    }

    /** One sheet of corrections after the other, tile by tile. */
    static final class SheetRunner implements Runnable {
        private final int sheet;
        private final Vault vault;
        private final Draughtsman draughtsman;

        SheetRunner(int sheet, Vault vault) {
            this.sheet = sheet;
            this.vault = vault;
            this.draughtsman = new Draughtsman(sheet);
        }

        @Override
        public void run() {
            try {
                for (int n = 0; ; n++) {
                    while (unsealed.get() > 12) {
                        TimeUnit.MILLISECONDS.sleep(2);
                    }
                    long begin = System.nanoTime();
                    Tile tile = draughtsman.draw(8 + n % 4, sheet * 100 + n / 4 % 16, n / 64 % 16);
                    drawNanos.addAndGet(System.nanoTime() - begin);
                    vault.file(tile);
                    TimeUnit.MILLISECONDS.sleep(3);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("chartroom");
        Vault vault = new Vault(directory);
        Runtime.getRuntime().addShutdownHook(new Thread(vault::clear));
        for (int sheet = 1; sheet <= 2; sheet++) {
            Thread runner = new Thread(new SheetRunner(sheet, vault), "sheet-" + sheet);
            runner.setDaemon(true);
            runner.start();
        }
        while (filed.get() < 150) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long[] last = {filed.get(), sealNanos.get(), drawNanos.get(), storeNanos.get()};
        while (true) {
            Thread.sleep(1000);
            long[] now = {filed.get(), sealNanos.get(), drawNanos.get(), storeNanos.get()};
            System.out.printf("measured: %d tiles, of the time of 2 threads %d ms starting processes, %d ms drawing, %d ms storing%n",
                    now[0] - last[0], (now[1] - last[1]) / 1_000_000, (now[2] - last[2]) / 1_000_000, (now[3] - last[3]) / 1_000_000);
            System.out.flush();
            last = now;
        }
    }
}
