// SPDX-License-Identifier: Apache-2.0
// cause: DepotOrders$DepotLine.send tries the depots in their configured order for each order, first the standby depot, which holds its port but accepts nobody: Socket.connect at DepotOrders$DepotLine.dial waits there until its time-out of 350 ms, then the second depot answers within a few ms; what is known to be unreachable is not remembered
// share: about 350 of 360 ms of an order (95 % and more) are in Socket.connect at DepotOrders$DepotLine.dial
// expect: waiting kind=connect frame=DepotOrders$DepotLine | listen-overflow frame=DepotOrders$DepotLine | slow-accept
// symptom: listen-overflow waiting
// judge: NAMED: waiting for connections to be made (connect) at DepotOrders$DepotLine.dial (or its caller send), best with the address (the first port) or that its queue is full / nobody accepts; also listen-overflow or slow-accept if the sentence says that threads wait for connections there (at DepotLine.dial). SYMPTOM ONLY: a full queue or connections not accepted of a listening socket without these waits; connections made all the time, without that they wait; orders wait for answers. WRONG: DepotOrders$OpenDepot (the second depot), the pause of the counters, TCP no-delay, CPU, GC, locks, the machine, or nothing found.
// jdk: 17
// set: thirty-fifth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Pharmacies' counters order medicines from the depots of a wholesaler. */
public class DepotOrders {
    static final InetAddress HERE = InetAddress.getLoopbackAddress();

    /** A depot that takes orders. */
    static final class OpenDepot {
        private final ServerSocket door;
        private final ExecutorService clerks = Executors.newFixedThreadPool(8);

        OpenDepot() throws IOException {
            door = new ServerSocket(0, 100, HERE);
            Thread porter = new Thread(this::accept, "depot-door");
            porter.setDaemon(true);
            porter.start();
        }

        InetSocketAddress address() {
            return new InetSocketAddress(HERE, door.getLocalPort());
        }

        private void accept() {
            for (;;) {
                try {
                    Socket caller = door.accept();
                    clerks.execute(() -> serve(caller));
                } catch (IOException e) {
                    System.out.println("depot: " + e);
                }
            }
        }

        private void serve(Socket caller) {
            try (caller; BufferedReader in = new BufferedReader(new InputStreamReader(caller.getInputStream(), StandardCharsets.UTF_8))) {
                caller.setSoTimeout(5000);
                String order = in.readLine();
                if (order != null) {
                    int shelf = shelf(order);
                    caller.getOutputStream().write(("ok shelf " + shelf + "\n").getBytes(StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                // the caller has hung up
            }
        }

        private int shelf(String order) {
            int hash = 17;
            for (int round = 0; round < 3000; round++) {
                for (int i = 0; i < order.length(); i++) {
                    hash = hash * 31 + order.charAt(i);
                }
            }
            return Math.floorMod(hash, 4000);
        }
    }

    /** A depot that takes over when it is promoted. */
    static final class StandbyDepot {
        private final ServerSocket door;

        StandbyDepot() throws IOException {
            door = new ServerSocket(0, 1, HERE);
        }

        InetSocketAddress address() {
            return new InetSocketAddress(HERE, door.getLocalPort());
        }
    }

    /** The way to the depots: the first that answers gets the order. */
    static final class DepotLine {
        private final List<InetSocketAddress> depots;
        final AtomicLong dialling = new AtomicLong();

        DepotLine(List<InetSocketAddress> depots) {
            this.depots = depots;
        }

        String send(String order) throws IOException {
            IOException last = null;
            for (InetSocketAddress depot : depots) {
                try (Socket socket = dial(depot)) {
                    socket.getOutputStream().write(order.getBytes(StandardCharsets.UTF_8));
                    BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                    String answer = in.readLine();
                    if (answer != null) {
                        return answer;
                    }
                } catch (IOException e) {
                    last = e;
                }
            }
            throw last != null ? last : new IOException("no depot");
        }

        private Socket dial(InetSocketAddress depot) throws IOException {
            long begin = System.nanoTime();
            Socket socket = new Socket();
            try {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(350);
                socket.connect(depot, 350);
                return socket;
            } catch (IOException e) {
                socket.close();
                throw e;
            } finally {
                dialling.addAndGet(System.nanoTime() - begin);
            }
        }
    }

    /** A counter, which orders what customers ask for. */
    static final class Counter implements Runnable {
        private final int number;
        private final DepotLine line;
        private final Random random;
        final AtomicLong orders = new AtomicLong(), nanos = new AtomicLong(), lost = new AtomicLong();

        Counter(int number, DepotLine line) {
            this.number = number;
            this.line = line;
            this.random = new Random(number);
        }

        @Override public void run() {
            try {
                for (;;) {
                    String order = "counter " + number + " pzn " + interactions() + "\n";
                    long begin = System.nanoTime();
                    try {
                        line.send(order);
                        orders.incrementAndGet();
                    } catch (IOException e) {
                        lost.incrementAndGet();
                    }
                    nanos.addAndGet(System.nanoTime() - begin);
                    Thread.sleep(10 + random.nextInt(20));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private int interactions() {
            int[][] table = new int[64][64];
            int found = 0;
            for (int round = 0; round < 160; round++) {
                for (int a = 0; a < 64; a++) {
                    for (int b = 0; b < 64; b++) {
                        table[a][b] += random.nextInt(9) * (a ^ b);
                        found += table[a][b] & 1;
                    }
                }
            }
            return found;
        }
    }

    public static void main(String[] args) throws Exception {
        StandbyDepot east = new StandbyDepot();
        OpenDepot west = new OpenDepot();
        DepotLine line = new DepotLine(List.of(east.address(), west.address()));
        Counter[] counters = new Counter[8];
        for (int i = 0; i < counters.length; i++) {
            counters[i] = new Counter(i, line);
            new Thread(counters[i], "counter-" + i).start();
        }
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long orders = 0, nanos = 0, lost = 0;
            for (Counter counter : counters) {
                orders += counter.orders.getAndSet(0);
                nanos += counter.nanos.getAndSet(0);
                lost += counter.lost.getAndSet(0);
            }
            sofar += orders;
            if (!ready && second >= 3 && sofar >= 40) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d orders, %.0f ms each, %.0f %% of that to connect, %d lost (port of the first depot %d)%n", orders,
                    nanos / 1e6 / Math.max(1, orders + lost), 100.0 * line.dialling.getAndSet(0) / Math.max(1, nanos), lost, east.address().getPort());
            System.out.flush();
        }
    }
}
