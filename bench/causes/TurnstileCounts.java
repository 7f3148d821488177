// SPDX-License-Identifier: Apache-2.0
// cause: TurnstileCounts$StandReporter.report makes a new TCP connection (new Socket) for each message of 24 bytes, some 5000 a second to four ports that stay the same, where one kept connection for each stand would do.
// share: 50 to 70 % of the process's CPU time (0.26 to 0.35 CPUs) is the constructor of Socket in report (27 to 45 us each); most of the rest of it is writing to and closing these sockets. Nothing else costs 5 %. (The stands' displays are a JVM of their own, TurnstileCounts$StandDisplays, which is not what is asked about; of the two PIDs take the one that was started.)
// expect: hot-code frame=TurnstileCounts$StandReporter.report
// symptom: hot-calls waiting
// judge: NAMED: connecting (making connections) at TurnstileCounts$StandReporter.report (or called by Gate.admit, Gate.run), as CPU time of that kind, also as waiting for connections to be made there, or as 'these threads make connections all the time'. SYMPTOM ONLY: that report is in system calls (hot-calls) without that it connects, or closes sockets. WRONG: Thread.sleep of the gates, the tickets' check (Gate.admit) as computing, a full backlog, name resolution, collections, locks.
// jdk: 11
// set: thirty-first
// jvm: -Xmx96m

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** A stadium: every turnstile reports each visitor to the stand that it leads to, which shows how full it is. */
public class TurnstileCounts {
    static final int STANDS = 4;
    static final int GATES = 4;
    static final int MESSAGE = 24;

    /** Counts the visitors of one stand. */
    static final class Stand implements Runnable {
        private final ServerSocket door;
        private final AtomicLongArray sectors = new AtomicLongArray(32);
        private final LongAdder counted = new LongAdder();

        Stand() throws IOException {
            door = new ServerSocket(0, 512, InetAddress.getByName("127.0.0.1"));
        }

        int port() {
            return door.getLocalPort();
        }

        @Override
        public void run() {
            byte[] message = new byte[MESSAGE];
            while (true) {
                try (Socket gate = door.accept()) {
                    InputStream in = gate.getInputStream();
                    if (in.readNBytes(message, 0, MESSAGE) == MESSAGE) {
                        sectors.incrementAndGet(ByteBuffer.wrap(message).getInt(16) & 31);
                        counted.increment();
                    }
                } catch (IOException e) {
                    System.err.println("stand: " + e);
                }
            }
        }
    }

    /** Reports to a stand its visitors. */
    static final class StandReporter {
        private final InetAddress host;
        private final int port;
        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
        static final LongAdder nanos = new LongAdder();
        static final LongAdder reports = new LongAdder();

        StandReporter(InetAddress host, int port) {
            this.host = host;
            this.port = port;
        }

        void report(long ticket, long time, int sector, int price) throws IOException {
            boolean measured = (ticket & 15) == 0;
            long begin = measured ? THREADS.getCurrentThreadCpuTime() : 0;
            try (Socket stand = new Socket(host, port)) {
                if (measured) {
                    nanos.add(16 * (THREADS.getCurrentThreadCpuTime() - begin));
                }
                stand.getOutputStream().write(ByteBuffer.allocate(MESSAGE)
                        .putLong(ticket).putLong(time).putInt(sector).putInt(price).array());
            }
            reports.increment();
        }
    }

    /** A gate with some turnstiles: checks tickets and reports who has gone through. */
    static final class Gate implements Runnable {
        private final List<StandReporter> stands;
        private final Random random;
        private final CountDownLatch warm;
        private long visitors;

        Gate(List<StandReporter> stands, int number, CountDownLatch warm) {
            this.stands = stands;
            this.random = new Random(number);
            this.warm = warm;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    int arrived = 10 + random.nextInt(12);
                    for (int i = 0; i < arrived; i++) {
                        admit(random.nextLong());
                    }
                    Thread.sleep(10);
                } catch (IOException e) {
                    System.err.println("gate: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void admit(long ticket) throws IOException {
            int check = 0;
            for (long t = ticket; t != 0; t >>>= 5) {
                check = check * 31 + (int) (t & 31);
            }
            int sector = check & 31;
            StandReporter stand = stands.get(sector % STANDS);
            stand.report(ticket, System.currentTimeMillis(), sector, 1200 + (check & 1023));
            visitors++;
            warm.countDown();
        }
    }

    /** The stands' displays, a program of its own, which ends with the one that has started it. */
    static final class StandDisplays {
        public static void main(String[] args) throws IOException {
            StringBuilder ports = new StringBuilder();
            for (int i = 0; i < STANDS; i++) {
                Stand stand = new Stand();
                Thread t = new Thread(stand, "stand-" + (char) ('A' + i));
                t.setDaemon(true);
                t.start();
                ports.append(stand.port()).append(' ');
            }
            System.out.println(ports);
            System.out.flush();
            while (System.in.read() >= 0) {
                // until the gates are gone
            }
        }

        static String[] start() throws IOException {
            String java = System.getProperty("java.home") + "/bin/java";
            Process displays = new ProcessBuilder(java, "-Xmx48m", "-XX:+UseSerialGC",
                    "-cp", System.getProperty("java.class.path"), StandDisplays.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            BufferedReader said = new BufferedReader(new InputStreamReader(displays.getInputStream()));
            return said.readLine().trim().split(" ");
        }
    }

    public static void main(String[] args) throws Exception {
        List<StandReporter> reporters = new ArrayList<>();
        for (String port : StandDisplays.start()) {
            reporters.add(new StandReporter(InetAddress.getByName("127.0.0.1"), Integer.parseInt(port)));
        }
        CountDownLatch warm = new CountDownLatch(8000);
        List<Thread> gates = new ArrayList<>();
        for (int i = 1; i <= GATES; i++) {
            Thread t = new Thread(new Gate(reporters, i, warm), "gate-" + i);
            gates.add(t);
            t.start();
        }
        warm.await();
        System.out.println("READY");
        System.out.flush();
        ThreadMXBean threads = StandReporter.THREADS;
        com.sun.management.OperatingSystemMXBean os =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long lastGates = 0;
        for (Thread t : gates) {
            lastGates += Math.max(0, threads.getThreadCpuTime(t.getId()));
        }
        StandReporter.nanos.reset();
        StandReporter.reports.reset();
        long lastAll = os.getProcessCpuTime();
        while (true) {
            Thread.sleep(1000);
            long cpu = 0;
            for (Thread t : gates) {
                cpu += Math.max(0, threads.getThreadCpuTime(t.getId()));
            }
            long all = os.getProcessCpuTime();
            long n = Math.max(1, StandReporter.reports.sumThenReset());
            long sockets = StandReporter.nanos.sumThenReset();
            System.out.printf("measured: %d reports; %.2f CPUs: %.0f %% of it in the gates' threads, %.0f %% to make their sockets (%.0f us each)%n",
                    n, (all - lastAll) / 1e9, 100.0 * (cpu - lastGates) / (all - lastAll), 100.0 * sockets / (all - lastAll), sockets / 1e3 / n);
            lastGates = cpu;
            lastAll = all;
        }
    }
}
