// SPDX-License-Identifier: Apache-2.0
// healthy: looks like two dozen threads that wait for futures nearly all the time, but each is a display that waits for the next announcement, which the control room makes every 700 ms as trains move, and it is drawn within a millisecond.
// share: measures announcements a second (1.4, by the clock), draws a second (some 34), and the delay from an announcement to its draw (0.7 ms on average)
// judge: WRONG: accusing the wait for a future in DepartureBoard$Display.run, the control room's thread (the only one, or its sleep), too few threads, a stuck or starved pool, or missing notifications. ACCEPTABLE: nothing stands out; a neutral remark that displays wait for the control room's announcements, and that next to no CPU is used.
// jdk: 21
// set: twenty-sixth
// jvm:

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

public class DepartureBoard {
    static final int DISPLAYS = 24;
    static final AtomicLong announced = new AtomicLong();
    static final AtomicLong drawn = new AtomicLong();
    static final AtomicLong delay = new AtomicLong();
    static final AtomicLong characters = new AtomicLong();

    record Departure(String line, String to, int platform, int minute, int late) {
    }

    record Announcement(long version, long at, List<Departure> departures) {
    }

    /** Has the current announcement, and a promise of the one after it. */
    static final class Channel {
        private Announcement now = new Announcement(0, System.nanoTime(), List.of());
        private CompletableFuture<Announcement> next = new CompletableFuture<>();

        synchronized CompletableFuture<Announcement> after(long version) {
            return now.version() > version ? CompletableFuture.completedFuture(now) : next;
        }

        void announce(List<Departure> departures) {
            CompletableFuture<Announcement> promise;
            Announcement made;
            synchronized (this) {
                made = new Announcement(now.version() + 1, System.nanoTime(), departures);
                now = made;
                promise = next;
                next = new CompletableFuture<>();
            }
            promise.complete(made);
        }
    }

    static final class Timetable {
        private final List<Departure> all = new ArrayList<>();
        private final Random random = new Random(5);
        private int minute = 300;

        Timetable() {
            for (int i = 0; i < 4000; i++) {
                all.add(new Departure("RE" + random.nextInt(60), "town-" + random.nextInt(300), 1 + random.nextInt(DISPLAYS), random.nextInt(1440), 0));
            }
            all.sort(Comparator.comparingInt(Departure::minute));
        }

        private boolean soon(Departure departure) {
            int ahead = departure.minute() + departure.late() - minute;
            return ahead >= 0 && ahead < 90;
        }

        List<Departure> move() {
            minute = (minute + 1) % 1440;
            for (int i = 0; i < 20; i++) {
                int at = random.nextInt(all.size());
                Departure old = all.get(at);
                all.set(at, new Departure(old.line(), old.to(), old.platform(), old.minute(), random.nextInt(15)));
            }
            List<Departure> soon = new ArrayList<>();
            for (Departure departure : all) {
                if (soon(departure)) {
                    soon.add(departure);
                }
            }
            return Collections.unmodifiableList(soon);
        }
    }

    static final class ControlRoom implements Runnable {
        private final Channel channel;
        private final Timetable timetable = new Timetable();

        ControlRoom(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    channel.announce(timetable.move());
                    announced.incrementAndGet();
                    Thread.sleep(700);
                }
            } catch (InterruptedException e) {
                System.out.println("control room closes");
            }
        }
    }

    static final class Display implements Runnable {
        private final Channel channel;
        private final int platform;

        Display(Channel channel, int platform) {
            this.channel = channel;
            this.platform = platform;
        }

        private String draw(Announcement announcement) {
            StringBuilder text = new StringBuilder();
            int lines = 0;
            for (Departure departure : announcement.departures()) {
                if (departure.platform() == platform && lines < 6) {
                    text.append(departure.minute() / 60).append(':').append(departure.minute() % 60).append(' ')
                        .append(departure.line()).append(' ').append(departure.to());
                    if (departure.late() > 0) {
                        text.append(" +").append(departure.late());
                    }
                    text.append('\n');
                    lines++;
                }
            }
            return text.toString();
        }

        @Override
        public void run() {
            long seen = 0;
            try {
                while (true) {
                    Announcement announcement = channel.after(seen).get();
                    seen = announcement.version();
                    characters.addAndGet(draw(announcement).length());
                    delay.addAndGet(System.nanoTime() - announcement.at());
                    drawn.incrementAndGet();
                }
            } catch (InterruptedException | ExecutionException e) {
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
        Channel channel = new Channel();
        for (int i = 1; i <= DISPLAYS; i++) {
            start(new Display(channel, i), "display-" + i);
        }
        start(new ControlRoom(channel), "control-room");
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long a = announced.get();
            long d = drawn.get();
            long n = delay.get();
            Thread.sleep(1000);
            long done = drawn.get() - d;
            System.out.printf("measured: %d announcements, %d draws, %.3f ms late on average, %d characters in all%n",
                announced.get() - a, done, (delay.get() - n) / 1e6 / Math.max(1, done), characters.get());
        }
        System.exit(0);
    }
}
