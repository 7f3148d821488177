// SPDX-License-Identifier: Apache-2.0
// cause: PatientRecord.refresh is synchronized and does a blocking socket read inside, so on JDK 21 each virtual thread pins its carrier for the whole registry round trip and only as many round trips as carriers (cores) run at once.
// share: throughput: about 93 admissions/s instead of about 2280 (96 % lost)
// judge: Right: virtual threads are pinned to their carriers by the synchronized PatientRecord.refresh around the socket read (RegistryLink.lookup); all carriers are held, other virtual threads starve; remedy: ReentrantLock or no monitor around the I/O. The monitors are per record and uncontended: 'lock contention on PatientRecord' is wrong. Socket read time of the registry is only the service time. Wrong: too few connections, CPU, GC.
// expect: waiting monitor=PatientRecord.refresh | unstarted-threads monitor=PatientRecord.refresh | waiting holder=PatientRecord.refresh
// symptom: unstarted-threads waiting
// set: nineteenth
// jdk: 21
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class ClinicIntake {
    private static final boolean PER_CASE = Boolean.getBoolean("fixed");
    private static final int DESKS = 48;
    private static final LongAdder admitted = new LongAdder();

    static final class RegistryLink {
        private final DataInputStream in;
        private final DataOutputStream out;

        RegistryLink(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }

        long lookup(int patient) throws IOException {
            out.writeInt(patient);
            out.flush();
            return in.readLong();
        }
    }

    static final class PatientRecord {
        private final RegistryLink registry;
        private final ReentrantLock guard = new ReentrantLock();
        private final List<Long> history = new ArrayList<>();
        private int visits;

        PatientRecord(RegistryLink registry) {
            this.registry = registry;
        }

        synchronized long refresh(int patient) throws IOException {
            return append(registry.lookup(patient));
        }

        long update(int patient) throws IOException {
            guard.lock();
            try {
                return append(registry.lookup(patient));
            } finally {
                guard.unlock();
            }
        }

        private long append(long insurance) {
            if (history.size() >= 32) history.clear();
            history.add(insurance);
            visits++;
            long mix = visits;
            for (long h : history) mix = mix * 1099511628211L ^ h;
            return mix;
        }
    }

    private static void desk(int number, int port) {
        try {
            PatientRecord record = new PatientRecord(new RegistryLink(port));
            long check = 0;
            for (int i = 0; ; i++) {
                int patient = number * 1000 + i % 1000;
                check ^= PER_CASE ? record.update(patient) : record.refresh(patient);
                admitted.increment();
                if (check == 42) System.err.println("check " + check);
            }
        } catch (IOException e) {
            System.err.println("desk " + number + ": " + e);
        }
    }

    private static void registry(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            while (true) {
                int patient = in.readInt();
                Thread.sleep(20);
                out.writeLong(patient * 7919L);
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("registry-accept").start(() -> {
            try {
                for (int n = 0; ; n++) {
                    Socket s = server.accept();
                    Thread.ofPlatform().daemon().name("registry-" + n).start(() -> registry(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        for (int d = 0; d < DESKS; d++) {
            int number = d;
            Thread.ofVirtual().name("desk-" + d).start(() -> desk(number, server.getLocalPort()));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long at = System.nanoTime();
        admitted.reset();
        for (int left = Integer.getInteger("secs", 165); left > 0; left--) {
            Thread.sleep(1000);
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.1f admissions/s%n", admitted.sumThenReset() * 1e9 / (t - at));
            at = t;
        }
        System.exit(0);
    }
}
