// SPDX-License-Identifier: Apache-2.0
// cause: ClinicIntakeDesk$Chart.update runs its callback, a socket exchange with the laboratory of 8 ms (Link.analyse), in a synchronized block, which on JDK 21 pins the virtual thread to its carrier, so with 2 carriers only 2 of 16 links are in use at a time and started virtual threads do not get to run.
// share: faulty: 217 patients/s, mean latency 180 ms; fixed: 1831 patients/s, mean latency 21.8 ms (2 CPUs; with more carriers the fault is smaller).
// expect: waiting kind=pinned
// symptom: waiting unstarted-threads
// judge: NAMED: virtual threads are pinned: they wait for the answer of the socket in Link.analyse within the synchronized block of Chart.update (or Chart.record / Ward.admit as the place of it) and keep the carriers. SYMPTOM ONLY: virtual threads are started and do not run, door waits for permits, or requests wait for the laboratory, without pinning. WRONG: contention for the monitors of charts (each visit has another chart), too few links, the laboratory as the only cause, the semaphore room too small, CPU.
// jdk: 21
// set: twenty-fourth
// jvm:
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

public class ClinicIntakeDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong admitted = new AtomicLong();
    static final AtomicLong spent = new AtomicLong();

    static int laboratory() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("lab-accept").start(() -> {
            try {
                for (int n = 0; ; n++) {
                    Socket socket = server.accept();
                    Thread.ofPlatform().daemon().name("lab-" + n).start(() -> serve(socket));
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        return server.getLocalPort();
    }

    static void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                String sample = in.readUTF();
                Thread.sleep(8);
                out.writeInt(sample.hashCode());
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static final class Link {
        private final DataInputStream in;
        private final DataOutputStream out;

        Link(int port) throws Exception {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        int analyse(String sample) throws Exception {
            out.writeUTF(sample);
            return in.readInt();
        }
    }

    static final class Laboratory {
        private final BlockingQueue<Link> links = new LinkedBlockingQueue<>();

        Laboratory(int port, int size) throws Exception {
            for (int i = 0; i < size; i++) links.add(new Link(port));
        }

        <T> T with(Exchange<T> exchange) throws Exception {
            Link link = links.take();
            try {
                return exchange.run(link);
            } finally {
                links.add(link);
            }
        }
    }

    interface Exchange<T> {
        T run(Link link) throws Exception;
    }

    static final class Chart {
        private final ReentrantLock lock = new ReentrantLock();
        private final List<Integer> findings = new ArrayList<>();
        private int visits;

        int update(Callable<Integer> source) throws Exception {
            if (FIXED) {
                lock.lock();
                try {
                    return record(source);
                } finally {
                    lock.unlock();
                }
            }
            synchronized (this) {
                return record(source);
            }
        }

        private int record(Callable<Integer> source) throws Exception {
            visits++;
            int finding = source.call();
            findings.add(finding);
            if (findings.size() > 20) findings.remove(0);
            return finding ^ visits;
        }
    }

    static final class Ward {
        private final Map<Integer, Chart> charts = new ConcurrentHashMap<>();
        private final Laboratory laboratory;

        Ward(Laboratory laboratory) {
            this.laboratory = laboratory;
            for (int i = 0; i < 4000; i++) charts.put(i, new Chart());
        }

        int admit(int patient) throws Exception {
            String sample = triage(patient);
            return laboratory.with(link -> charts.get(patient).update(() -> link.analyse(sample)));
        }

        private String triage(int patient) {
            StringBuilder form = new StringBuilder();
            for (int i = 0; i < 30; i++) form.append(patient * 31 + i).append(i % 2 == 0 ? '/' : '-');
            return form.toString();
        }
    }

    static void visit(Ward ward, int patient, long start, Semaphore room) {
        try {
            ward.admit(patient);
            spent.addAndGet(System.nanoTime() - start);
            admitted.incrementAndGet();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            room.release();
        }
    }

    public static void main(String[] args) throws Exception {
        Ward ward = new Ward(new Laboratory(laboratory(), 16));
        ExecutorService visits = Executors.newVirtualThreadPerTaskExecutor();
        Semaphore room = new Semaphore(40);
        Thread.ofPlatform().daemon().name("door").start(() -> {
            for (int n = 0; ; n++) {
                int patient = (n * 7919 & Integer.MAX_VALUE) % 4000;
                room.acquireUninterruptibly();
                long start = System.nanoTime();
                visits.submit(() -> visit(ward, patient, start, room));
            }
        });
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = admitted.get();
            long t = spent.get();
            Thread.sleep(1000);
            long count = admitted.get() - n;
            System.out.printf("measured: %d patients/s, mean latency %.2f ms%n", count, count == 0 ? 0.0 : (spent.get() - t) / 1e6 / count);
        }
        System.exit(0);
    }
}
