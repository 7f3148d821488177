// SPDX-License-Identifier: Apache-2.0
// cause: PumpStations$Station.poll is synchronized and waits in it for the answer of the station's controller (a blocking socket read): on JDK 21 a virtual thread keeps its carrier while it waits so, and as all 2 carriers are kept, the other virtual threads of the round are started but cannot run
// share: 25 to 27 virtual threads on average are started and have not run; a poll takes 42 ms once it runs, and waits 560 ms before it runs; both carriers are taken some 98 % of the time (56 polls of 42 ms in each 1.2 s)
// expect: waiting kind=pinned frame=PumpStations$ | unstarted-threads frame=PumpStations$
// symptom: waiting unstarted-threads
// judge: NAMED: virtual threads that have been started and have not run (or lack a carrier) because carriers are taken by waits under synchronized (pinned) at PumpStations$Station.poll (or PumpStations$Controller.ask, which it calls); "pinned" waits at that place with poll's synchronized named. SYMPTOM ONLY: virtual threads wait for carriers or have not started, without the place; waiting for a controller's answer (socket read) at Controller.ask, without pinning or carriers. WRONG: the simulated controllers (PumpStations$Rtu) as slow, their clock, the round clock (PumpStations.main / round), lock contention (the monitors are one for each station and never contended), too few CPUs, "nothing stands out"
// jdk: 21
// set: thirty-sixth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class PumpStations {
    static final int STATIONS = 56;
    static final int ANSWER_MS = 40;
    static final LongAdder polls = new LongAdder();
    static final LongAdder startDelay = new LongAdder();
    static final LongAdder pollTime = new LongAdder();
    static final LongAdder skipped = new LongAdder();
    static final AtomicInteger started = new AtomicInteger();
    static final AtomicInteger running = new AtomicInteger();

    /** Stands for the controllers in the field, which answer after some tens of milliseconds. */
    static final class Rtu {
        private final ServerSocket door;
        private final ScheduledExecutorService line = Executors.newScheduledThreadPool(1, r -> daemon(r, "rtu-line"));

        Rtu() throws IOException {
            door = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
            daemon(this::accept, "rtu-door").start();
        }

        int port() {
            return door.getLocalPort();
        }

        private void accept() {
            try {
                for (int n = 0; ; n++) {
                    Socket socket = door.accept();
                    socket.setTcpNoDelay(true);
                    daemon(() -> serve(socket), "rtu-" + n).start();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void serve(Socket socket) {
            try {
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
                while (true) {
                    int register = in.readInt();
                    line.schedule(() -> answer(out, register), ANSWER_MS, TimeUnit.MILLISECONDS);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void answer(DataOutputStream out, int register) {
            try {
                out.writeInt(register * 31 % 997);
                out.flush();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static Thread daemon(Runnable work, String name) {
        return Thread.ofPlatform().daemon().name(name).unstarted(work);
    }

    static final class Controller {
        private final DataInputStream in;
        private final DataOutputStream out;

        Controller(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }

        int ask(int register) throws IOException {
            out.writeInt(register);
            out.flush();
            return in.readInt();
        }
    }

    static final class Station {
        private final int id;
        private final Controller controller;
        private final double[] levels = new double[240];
        private int filled;
        final AtomicBoolean pending = new AtomicBoolean();

        Station(int id, Controller controller) {
            this.id = id;
            this.controller = controller;
        }

        synchronized void poll() throws IOException {
            int raw = controller.ask(4000 + id);
            levels[filled++ % levels.length] = raw / 100.0;
        }

        synchronized double mean() {
            double sum = 0;
            int n = Math.min(filled, levels.length);
            for (int i = 0; i < n; i++) {
                sum += levels[i];
            }
            return n == 0 ? 0 : sum / n;
        }
    }

    static void round(List<Station> stations) {
        for (Station station : stations) {
            if (!station.pending.compareAndSet(false, true)) {
                skipped.increment();
                continue;
            }
            long asked = System.nanoTime();
            started.incrementAndGet();
            Thread.ofVirtual().name("poll-" + station.id).start(() -> {
                long begin = System.nanoTime();
                running.incrementAndGet();
                startDelay.add(begin - asked);
                try {
                    station.poll();
                    station.mean();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                } finally {
                    pollTime.add(System.nanoTime() - begin);
                    polls.increment();
                    running.decrementAndGet();
                    started.decrementAndGet();
                    station.pending.set(false);
                }
            });
        }
    }

    public static void main(String[] args) throws Exception {
        Rtu field = new Rtu();
        List<Station> stations = new ArrayList<>();
        for (int i = 0; i < STATIONS; i++) {
            stations.add(new Station(i, new Controller(field.port())));
        }
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, r -> daemon(r, "round-clock"));
        clock.scheduleAtFixedRate(() -> round(stations), 0, 1200, TimeUnit.MILLISECONDS);
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = polls.sum(), delay = startDelay.sum(), took = pollTime.sum();
            double waiting = 0;
            for (int i = 0; i < 24; i++) {
                Thread.sleep(50);
                waiting += Math.max(0, started.get() - running.get());
            }
            n = polls.sum() - n;
            System.out.printf(Locale.ROOT, "measured: %d polls in 1.2 s, %.0f ms each once they run, but %.0f ms before they run; %.1f virtual threads on average started and not run yet; %d polls skipped so far%n",
                n, (pollTime.sum() - took) / 1e6 / Math.max(1, n), (startDelay.sum() - delay) / 1e6 / Math.max(1, n), waiting / 24, skipped.sum());
            System.out.flush();
        }
    }
}
