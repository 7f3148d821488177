// SPDX-License-Identifier: Apache-2.0
// healthy: An availability monitor of parcel lockers: whether a locker's terminal takes a new connection is just what it has to find out, so it makes one to each of 48 terminals every half second, asks for the state and closes it, with a twentieth of a CPU; most of its CPU time goes to the forecast of failures
// share: @SHARE@
// judge: NAMED (right): nothing stands out, or only neutral statements (time goes to computing in LockerWatch$Forecast; connections are made, which is what the program is for). SYMPTOM ONLY: that LockerWatch$Probe.check makes some 90 connections a second, as a note. WRONG: an accusation of making connections (connecting), of waiting for connections or answers at LockerWatch$Probe.check, of the event loop of LockerWatch$Terminals, of slow accepting, or of anything else
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx128m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** Watches the terminals of parcel lockers: whether they can be reached, how fast, and which may fail next. */
public class LockerWatch {
    static final int LOCKERS = 48;
    static final LongAdder probes = new LongAdder();
    static final LongAdder probeNanos = new LongAdder();
    static final LongAdder failures = new LongAdder();
    static final LongAdder forecastNanos = new LongAdder();

    /** The terminals, here all on this machine: each says how many of its boxes are taken. */
    static final class Terminals implements Runnable {
        private final Selector selector;
        final List<Integer> ports = new ArrayList<>();
        private int taken = 17;

        Terminals() throws IOException {
            selector = Selector.open();
            for (int i = 0; i < LOCKERS; i++) {
                ServerSocketChannel door = ServerSocketChannel.open();
                door.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
                door.configureBlocking(false);
                door.register(selector, SelectionKey.OP_ACCEPT);
                ports.add(door.socket().getLocalPort());
            }
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    selector.select();
                    Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
                    while (keys.hasNext()) {
                        SelectionKey key = keys.next();
                        keys.remove();
                        if (key.isAcceptable()) {
                            accept((ServerSocketChannel) key.channel());
                        } else {
                            answer(key);
                        }
                    }
                }
            } catch (IOException e) {
                System.out.println("terminals: " + e);
            }
        }

        private void accept(ServerSocketChannel door) throws IOException {
            SocketChannel line = door.accept();
            if (line != null) {
                line.configureBlocking(false);
                line.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(64));
            }
        }

        private void answer(SelectionKey key) {
            SocketChannel line = (SocketChannel) key.channel();
            ByteBuffer question = (ByteBuffer) key.attachment();
            try {
                int n = line.read(question);
                if (n < 0) {
                    line.close();
                } else if (question.position() > 0 && question.get(question.position() - 1) == '\n') {
                    taken = (taken * 29 + 11) % 60;
                    question.clear();
                    line.write(StandardCharsets.US_ASCII.encode("taken " + taken + "\n"));
                }
            } catch (IOException e) {
                key.cancel();
                try {
                    line.close();
                } catch (IOException ignored) {
                    failures.increment();
                }
            }
        }
    }

    /** What is known of one locker: the times of its latest answers, and how full it was. */
    static final class Locker {
        final int port;
        final double[] millis = new double[256];
        final int[] taken = new int[256];
        int count;

        Locker(int port) {
            this.port = port;
        }

        synchronized void add(double ms, int boxes) {
            millis[count % millis.length] = ms;
            taken[count % taken.length] = boxes;
            count++;
        }

        synchronized double[] sample() {
            double[] copy = new double[Math.min(count, millis.length)];
            System.arraycopy(millis, 0, copy, 0, copy.length);
            return copy;
        }
    }

    /** Visits every locker in turn, a round each half second. */
    static final class Probe implements Runnable {
        private final List<Locker> lockers;

        Probe(List<Locker> lockers) {
            this.lockers = lockers;
        }

        private int check(Locker locker) throws IOException {
            try (Socket socket = new Socket()) {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(3000);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), locker.port), 3000);
                socket.getOutputStream().write("state\n".getBytes(StandardCharsets.US_ASCII));
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII), 64);
                String line = in.readLine();
                if (line == null) {
                    throw new IOException("no answer");
                }
                return Integer.parseInt(line.substring(6));
            }
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    for (Locker locker : lockers) {
                        long begin = System.nanoTime();
                        try {
                            int boxes = check(locker);
                            long took = System.nanoTime() - begin;
                            locker.add(took / 1e6, boxes);
                            probeNanos.add(took);
                            probes.increment();
                        } catch (IOException e) {
                            failures.increment();
                        }
                        Thread.sleep(10);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Which terminal may fail next: fits a Weibull distribution to the times of each. */
    static final class Forecast implements Runnable {
        private final List<Locker> lockers;
        volatile double worst;

        Forecast(List<Locker> lockers) {
            this.lockers = lockers;
        }

        private static double shape(double[] sample) {
            double low = 0.05;
            double high = 20;
            double logs = 0;
            for (double x : sample) {
                logs += Math.log(x + 1e-3);
            }
            for (int i = 0; i < 24; i++) {
                double k = (low + high) / 2;
                double sum = 0;
                double weighted = 0;
                for (double x : sample) {
                    double power = Math.pow(x + 1e-3, k);
                    sum += power;
                    weighted += power * Math.log(x + 1e-3);
                }
                if (weighted / sum - 1 / k - logs / sample.length > 0) {
                    high = k;
                } else {
                    low = k;
                }
            }
            return low;
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    long begin = System.nanoTime();
                    double least = Double.MAX_VALUE;
                    for (Locker locker : lockers) {
                        double[] sample = locker.sample();
                        if (sample.length > 8) {
                            least = Math.min(least, shape(sample));
                        }
                    }
                    worst = least;
                    forecastNanos.add(System.nanoTime() - begin);
                    Thread.sleep(150);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Terminals terminals = new Terminals();
        daemon(terminals, "terminals");
        List<Locker> lockers = new ArrayList<>();
        for (int port : terminals.ports) {
            lockers.add(new Locker(port));
        }
        Forecast forecast = new Forecast(lockers);
        daemon(new Probe(lockers), "probe");
        daemon(forecast, "forecast");
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = probes.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d probes, %.2f ms each (connect, ask, close), %d failed; forecast %.0f ms in this second, worst %.2f%n",
                    n, probeNanos.sumThenReset() / 1e6 / Math.max(1, n), failures.sumThenReset(), forecastNanos.sumThenReset() / 1e6, forecast.worst);
            if (second == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
