// SPDX-License-Identifier: Apache-2.0
// healthy: a model of ships' movements computes all the time at a steady pace, and writes its state (6,000 ships) every 2 s to a file as one object stream through a buffer, so that it can go on from there after a restart; the file is read back once to check it. All of that takes some tens of milliseconds, one to three percent of the time
// share: checkpoints and their checks take 1.2 to 2.5 % of the time; 0.2 to 0.35 CPUs used on a crowded machine, by the model
// judge: RIGHT: nothing stands out, or neutral statements of where time goes: computing in HarbourModel$Traffic.step, HarbourModel$Traffic.nearest, HarbourModel$Grid.cell or HarbourModel$Ship.move. WRONG (false alarm): any accusation of a fault: serialisation (HarbourModel$Checkpoint.save, .check, ObjectOutputStream, ObjectInputStream), descriptions of classes, files written field by field, disk or fsync, the timer "model" blocked or saturated, locks, collections
// jdk: 11
// set: thirty-sixth
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

public class HarbourModel {
    static final LongAdder steps = new LongAdder();
    static final LongAdder saves = new LongAdder();
    static final LongAdder saveNanos = new LongAdder();

    static final class Ship implements Serializable {
        private static final long serialVersionUID = 1;
        final String name;
        final int lengthMetres;
        double x;
        double y;
        double course;
        double knots;

        Ship(String name, SplittableRandom random) {
            this.name = name;
            lengthMetres = 20 + random.nextInt(300);
            x = random.nextDouble() * Grid.SIDE;
            y = random.nextDouble() * Grid.SIDE;
            course = random.nextDouble() * Math.PI * 2;
            knots = 4 + random.nextDouble() * 14;
        }

        void move(double seconds) {
            double way = knots * 0.5144 * seconds;
            x = (x + way * Math.cos(course) + Grid.SIDE) % Grid.SIDE;
            y = (y + way * Math.sin(course) + Grid.SIDE) % Grid.SIDE;
        }
    }

    static final class State implements Serializable {
        private static final long serialVersionUID = 1;
        final ArrayList<Ship> ships = new ArrayList<>();
        long second;
    }

    static final class Grid {
        static final double SIDE = 40_000;
        private static final int CELLS = 40;
        private final List<List<Ship>> cells = new ArrayList<>();

        Grid() {
            for (int i = 0; i < CELLS * CELLS; i++) {
                cells.add(new ArrayList<>());
            }
        }

        List<Ship> cell(int column, int row) {
            return cells.get(Math.floorMod(row, CELLS) * CELLS + Math.floorMod(column, CELLS));
        }

        static int index(double metres) {
            return Math.min(CELLS - 1, (int) (metres / SIDE * CELLS));
        }

        void fill(List<Ship> ships) {
            for (List<Ship> cell : cells) {
                cell.clear();
            }
            for (Ship ship : ships) {
                cell(index(ship.x), index(ship.y)).add(ship);
            }
        }
    }

    static final class Traffic {
        private final State state;
        private final Grid grid = new Grid();

        Traffic(State state) {
            this.state = state;
        }

        private Ship nearest(Ship ship) {
            int column = Grid.index(ship.x), row = Grid.index(ship.y);
            Ship nearest = null;
            double least = Double.MAX_VALUE;
            for (int r = row - 1; r <= row + 1; r++) {
                for (int c = column - 1; c <= column + 1; c++) {
                    for (Ship other : grid.cell(c, r)) {
                        double dx = other.x - ship.x, dy = other.y - ship.y, far = dx * dx + dy * dy;
                        if (other != ship && far < least) {
                            least = far;
                            nearest = other;
                        }
                    }
                }
            }
            return nearest;
        }

        void step() {
            grid.fill(state.ships);
            for (Ship ship : state.ships) {
                Ship other = nearest(ship);
                if (other != null) {
                    double bearing = Math.atan2(other.y - ship.y, other.x - ship.x);
                    double off = Math.IEEEremainder(bearing - ship.course, Math.PI * 2);
                    if (Math.abs(off) < 0.6) {
                        ship.course -= Math.signum(off) * 0.02;
                    }
                }
                ship.move(1);
            }
            state.second++;
            steps.increment();
        }
    }

    static final class Checkpoint {
        private final Path file;
        private final Path next;

        Checkpoint() throws IOException {
            file = Files.createTempFile("harbour", ".state");
            next = Files.createTempFile("harbour", ".next");
            file.toFile().deleteOnExit();
            next.toFile().deleteOnExit();
        }

        void save(State state) throws IOException {
            try (ObjectOutputStream out = new ObjectOutputStream(new BufferedOutputStream(Files.newOutputStream(next), 1 << 16))) {
                out.writeObject(state);
            }
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
        }

        long check() throws IOException, ClassNotFoundException {
            try (ObjectInputStream in = new ObjectInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
                return ((State) in.readObject()).second;
            }
        }
    }

    static final class Model implements Runnable {
        private final State state;
        private final Traffic traffic;
        private final Checkpoint checkpoint;

        Model(State state, Checkpoint checkpoint) {
            this.state = state;
            this.traffic = new Traffic(state);
            this.checkpoint = checkpoint;
        }

        private void keep() throws IOException, ClassNotFoundException {
            long begin = System.nanoTime();
            checkpoint.save(state);
            if (checkpoint.check() != state.second) {
                throw new IOException("checkpoint of another time");
            }
            saveNanos.add(System.nanoTime() - begin);
            saves.increment();
        }

        @Override
        public void run() {
            long kept = System.nanoTime();
            try {
                for (int i = 0; i < 8; i++) {
                    keep();
                }
                while (true) {
                    traffic.step();
                    if (System.nanoTime() - kept > 2_000_000_000L) {
                        keep();
                        kept = System.nanoTime();
                    }
                    Thread.sleep(3);
                }
            } catch (IOException | ClassNotFoundException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        State state = new State();
        SplittableRandom random = new SplittableRandom(77);
        for (int i = 0; i < 6000; i++) {
            state.ships.add(new Ship("MV " + (1000 + i), random));
        }
        Thread model = new Thread(new Model(state, new Checkpoint()), "model");
        model.setDaemon(true);
        model.start();
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long firstSave = saveNanos.sum(), savesBefore = saves.sum(), since = System.nanoTime();
        while (true) {
            long n = steps.sum(), cpu = system.getProcessCpuTime(), wall = System.nanoTime();
            Thread.sleep(1000);
            long now = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %d steps/s; %.2f CPUs used; %d checkpoints since READY, %.1f %% of the time%n",
                steps.sum() - n, (system.getProcessCpuTime() - cpu) / (double) (now - wall), saves.sum() - savesBefore, 100.0 * (saveNanos.sum() - firstSave) / (now - since));
            System.out.flush();
        }
    }
}
