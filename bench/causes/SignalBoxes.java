// SPDX-License-Identifier: Apache-2.0
// healthy: looks like threads that are stuck for a lock all the time, but they are stand-bys of a signal box: the one that has the lock of a district serves its commands, and the others take over only if it ends.
// share: measures commands a second (about 1,420, as the trains send them) and how long each takes until it is set (about 0.03 ms)
// judge: WRONG: a deadlock, stuck threads, lock contention or a lock that is held too long in SignalBoxes$Box.run as a fault; too few threads; the trains' waits for answers. ACCEPTABLE: a neutral remark that box threads wait for a District's lock while another of them works under it (stand-bys).
// jdk: 17
// set: twenty-sixth
// jvm:

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

public class SignalBoxes {
    static final int DISTRICTS = 3;
    static final int BOXES = 4;
    static final AtomicLong set = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();
    static final AtomicLong denied = new AtomicLong();

    record Route(int from, int to) {
    }

    record Command(int train, Route route, boolean free, CompletableFuture<Boolean> answer) {
    }

    /** Which parts of the track belong to which train. */
    static final class Track {
        private final int[] owner = new int[200];

        boolean occupy(int train, Route route) {
            for (int i = route.from(); i < route.to(); i++) {
                if (owner[i] != 0 && owner[i] != train) {
                    return false;
                }
            }
            for (int i = route.from(); i < route.to(); i++) {
                owner[i] = train;
            }
            return true;
        }

        boolean release(int train, Route route) {
            for (int i = route.from(); i < route.to(); i++) {
                if (owner[i] == train) {
                    owner[i] = 0;
                }
            }
            return true;
        }
    }

    static final class District {
        final int number;
        final ReentrantLock duty = new ReentrantLock();
        final BlockingQueue<Command> commands = new ArrayBlockingQueue<>(500);
        final Track track = new Track();
        volatile String onDuty = "nobody";

        District(int number) {
            this.number = number;
        }
    }

    /** One of several boxes of a district, of which one is on duty. */
    static final class Box implements Runnable {
        private final District district;
        private final String name;

        Box(District district, String name) {
            this.district = district;
            this.name = name;
        }

        private void serve() throws InterruptedException {
            while (true) {
                Command command = district.commands.take();
                boolean done = command.free()
                    ? district.track.release(command.train(), command.route())
                    : district.track.occupy(command.train(), command.route());
                command.answer().complete(done);
            }
        }

        @Override
        public void run() {
            district.duty.lock();
            try {
                district.onDuty = name;
                serve();
            } catch (InterruptedException e) {
                System.out.println(name + " goes off duty");
            } finally {
                district.duty.unlock();
            }
        }
    }

    static final class Train implements Runnable {
        private final List<District> districts;
        private final int number;
        private final Random random;

        Train(List<District> districts, int number) {
            this.districts = districts;
            this.number = number;
            this.random = new Random(number);
        }

        private boolean ask(District district, Route route, boolean free) throws Exception {
            long begin = System.nanoTime();
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            district.commands.put(new Command(number, route, free, answer));
            boolean done = answer.get();
            nanos.addAndGet(System.nanoTime() - begin);
            set.incrementAndGet();
            return done;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    District district = districts.get(random.nextInt(districts.size()));
                    int from = random.nextInt(180);
                    Route route = new Route(from, from + 1 + random.nextInt(15));
                    if (ask(district, route, false)) {
                        Thread.sleep(6);
                        ask(district, route, true);
                    } else {
                        denied.incrementAndGet();
                    }
                    Thread.sleep(3 + random.nextInt(5));
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        List<District> districts = new ArrayList<>();
        for (int d = 0; d < DISTRICTS; d++) {
            District district = new District(d);
            districts.add(district);
            for (int b = 0; b < BOXES; b++) {
                String name = "box-" + (d * BOXES + b);
                start(new Box(district, name), name);
            }
        }
        for (int t = 1; t <= 8; t++) {
            start(new Train(districts, t), "train-" + t);
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long s = set.get();
            long n = nanos.get();
            Thread.sleep(1000);
            long done = set.get() - s;
            System.out.printf("measured: %d commands/s, %.3f ms each, %d denied, %s and %s on duty%n", done,
                (nanos.get() - n) / 1e6 / Math.max(1, done), denied.get(), districts.get(0).onDuty, districts.get(1).onDuty);
        }
        System.exit(0);
    }
}
