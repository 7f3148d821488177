// SPDX-License-Identifier: Apache-2.0
// healthy: two thousand players, a virtual thread each, chat in a lobby now and then; all of them together need little of a CPU
// jdk: 21
// set: tenth
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

public final class HealthyLobby {
    private static final class Room {
        private final ReentrantLock lock = new ReentrantLock();
        private final Deque<String> lines = new ArrayDeque<>();
        private long said;

        long say(String line) {
            lock.lock();
            try {
                lines.addLast(line);
                if (lines.size() > 20) {
                    lines.removeFirst();
                }
                return ++said;
            } finally {
                lock.unlock();
            }
        }

        int read(long from) {
            lock.lock();
            try {
                int length = 0;
                for (String line : lines) {
                    length += line.length();
                }
                return said > from ? length : 0;
            } finally {
                lock.unlock();
            }
        }
    }

    private final List<Room> rooms = new ArrayList<>();

    private void play(int player) {
        Room room = rooms.get(player % rooms.size());
        long seen = 0;
        try {
            for (int n = 0;; n++) {
                Thread.sleep(ThreadLocalRandom.current().nextInt(800, 2400));
                if (room.read(seen) > 0 && n % 3 == 0) {
                    seen = room.say("player " + player + ": gg " + n);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void report() {
        try {
            for (;;) {
                Thread.sleep(1000);
                long said = 0;
                for (Room room : rooms) {
                    said += room.read(-1);
                }
                System.out.println("lobby: " + said + " characters on display");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyLobby lobby = new HealthyLobby();
        for (int i = 0; i < 50; i++) {
            lobby.rooms.add(new Room());
        }
        for (int i = 0; i < 2000; i++) {
            int player = i;
            Thread.ofVirtual().name("player-" + i).start(() -> lobby.play(player));
        }
        new Thread(lobby::report, "report").start();
        System.out.println("READY");
    }
}
