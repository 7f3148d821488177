// SPDX-License-Identifier: Apache-2.0
// healthy: ten porters' planners wait in Condition.await (PorterDispatch$Board.next), each on a condition of its own, because there are fewer calls than they could plan for; a call is given to one that is free, which is woken alone and at once, and plans within some ms: they wait for work, and no call waits for them
// share: see the measured lines: calls wait less than 1 ms on average for a planner and are answered after some ms; the planners rest for 97 % of the time; 0.1 to 0.3 CPUs
// judge: RIGHT: nothing stands out, or neutral remarks (planners wait for work; time goes to computing in PorterDispatch$House.route). WRONG: any accusation: waiting for a condition at PorterDispatch$Board.next, lost or missing signals, planners that wait for each other, too many threads, locks (PorterDispatch$Board), waiting for answers at PorterDispatch$Ward.run, sleep of the wards, GC, the machine.
// jdk: 21
// set: thirty-fifth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Sends porters through a hospital: wards call, a planner finds the way for a porter, the ward hears how long it takes. */
public class PorterDispatch {
    record Call(Socket ward, int from, int to, long since) { }

    /** The corridors and lifts of the house. */
    static final class House {
        private static final int ROOMS = 8_000;
        private final int[][] doors = new int[ROOMS][], steps = new int[ROOMS][];

        House() {
            Random random = new Random(8);
            for (int room = 0; room < ROOMS; room++) {
                doors[room] = new int[6];
                steps[room] = new int[6];
                for (int i = 0; i < 6; i++) {
                    doors[room][i] = i == 0 ? (room + 1) % ROOMS : Math.floorMod(room + random.nextInt(201) - 100, ROOMS);
                    steps[room][i] = 5 + random.nextInt(60);
                }
            }
        }

        int route(int from, int to) {
            int[] best = new int[ROOMS];
            Arrays.fill(best, Integer.MAX_VALUE);
            best[from] = 0;
            PriorityQueue<long[]> open = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
            open.add(new long[] {0, from});
            while (!open.isEmpty()) {
                long[] first = open.poll();
                int room = (int) first[1];
                if (room == to) {
                    return best[to];
                }
                for (int i = 0; i < doors[room].length && first[0] == best[room]; i++) {
                    int next = doors[room][i], length = best[room] + steps[room][i];
                    if (length < best[next]) {
                        best[next] = length;
                        open.add(new long[] {length, next});
                    }
                }
            }
            return -1;
        }
    }

    /** Who is free, and which calls there are. */
    static final class Board {
        private final ReentrantLock lock = new ReentrantLock();
        private final ArrayDeque<Planner> free = new ArrayDeque<>();
        private final ArrayDeque<Call> calls = new ArrayDeque<>();

        void put(Call call) {
            lock.lock();
            try {
                Planner planner = free.poll();
                if (planner == null) {
                    calls.add(call);
                } else {
                    planner.given = call;
                    planner.turn.signal();
                }
            } finally {
                lock.unlock();
            }
        }

        Call next(Planner planner) throws InterruptedException {
            lock.lock();
            try {
                Call call = calls.poll();
                if (call == null) {
                    planner.given = null;
                    free.add(planner);
                    while (planner.given == null) {
                        planner.turn.await();
                    }
                    call = planner.given;
                }
                return call;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Plans the ways of one porter. */
    static final class Planner implements Runnable {
        private final Board board;
        private final House house;
        private final Condition turn;
        private Call given;
        final AtomicLong calls = new AtomicLong(), waited = new AtomicLong(), worked = new AtomicLong();

        Planner(Board board, House house) {
            this.board = board;
            this.house = house;
            this.turn = board.lock.newCondition();
        }

        @Override public void run() {
            for (;;) {
                try {
                    Call call = board.next(this);
                    long begin = System.nanoTime();
                    waited.addAndGet(begin - call.since());
                    int way = house.route(0, call.from()) + house.route(call.from(), call.to());
                    call.ward().getOutputStream().write((way + "\n").getBytes(StandardCharsets.US_ASCII));
                    worked.addAndGet(System.nanoTime() - begin);
                    calls.incrementAndGet();
                } catch (IOException e) {
                    System.out.println("ward hung up: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    /** Takes the calls of one ward's terminal. */
    static void listen(Socket socket, Board board) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int space = line.indexOf(' ');
                board.put(new Call(socket, Integer.parseInt(line, 0, space, 10), Integer.parseInt(line, space + 1, line.length(), 10), System.nanoTime()));
            }
        } catch (IOException e) {
            System.out.println("ward: " + e);
        }
    }

    /** A ward's terminal. */
    static final class Ward implements Runnable {
        private final Socket socket;
        private final Random random;
        final AtomicLong answers = new AtomicLong(), nanos = new AtomicLong();

        Ward(int port, int number) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            random = new Random(number);
        }

        @Override public void run() {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
                for (;;) {
                    Thread.sleep(50 + random.nextInt(100));
                    long begin = System.nanoTime();
                    socket.getOutputStream().write((random.nextInt(House.ROOMS) + " " + random.nextInt(House.ROOMS) + "\n").getBytes(StandardCharsets.US_ASCII));
                    if (in.readLine() == null) {
                        return;
                    }
                    nanos.addAndGet(System.nanoTime() - begin);
                    answers.incrementAndGet();
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("ward: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        House house = new House();
        Board board = new Board();
        Planner[] planners = new Planner[10];
        for (int i = 0; i < planners.length; i++) {
            planners[i] = new Planner(board, house);
            new Thread(planners[i], "planner-" + i).start();
        }
        ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Ward[] wards = new Ward[7];
        for (int i = 0; i < wards.length; i++) {
            wards[i] = new Ward(door.getLocalPort(), i);
            Socket socket = door.accept();
            socket.setTcpNoDelay(true);
            new Thread(() -> listen(socket, board), "terminal-" + i).start();
            new Thread(wards[i], "ward-" + i).start();
        }
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long calls = 0, waited = 0, worked = 0, answers = 0, nanos = 0;
            for (Planner planner : planners) {
                calls += planner.calls.getAndSet(0);
                waited += planner.waited.getAndSet(0);
                worked += planner.worked.getAndSet(0);
            }
            for (Ward ward : wards) {
                answers += ward.answers.getAndSet(0);
                nanos += ward.nanos.getAndSet(0);
            }
            sofar += calls;
            if (!ready && second >= 5 && sofar >= 150) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d calls waited %.2f ms each for a planner; planners had work for %.1f %% of their time; wards had their answer after %.2f ms%n", calls,
                    waited / 1e6 / Math.max(1, calls), worked / 1e7 / planners.length, nanos / 1e6 / Math.max(1, answers));
            System.out.flush();
        }
    }
}
