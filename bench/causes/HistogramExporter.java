// SPDX-License-Identifier: Apache-2.0
// cause: an exporter of metrics asks for a class histogram each 300 ms, for which the JVM stops and collects and walks the whole heap: Exporter.export
// expect: explicit-gc what=histogram | gc-pauses cause=Heap_Inspection | vm-operations operation=Inspect | explicit-gc frame=HistogramExporter$Exporter
// symptom: gc-pauses gc-cpu
// judge: right is what says that the JVM is stopped by collections or operations for heap inspection (its GC cause or VM operation named), or that names HistogramExporter$Exporter as the caller of what stops it
// jdk: 21
// jvm: -Xmx160m
// set: twelfth
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import wick.Scope;
import wick.Wick;

public final class HistogramExporter {
    private static volatile long seen;

    private static final class Session {
        private final String user;
        private final List<Integer> basket = new ArrayList<>();

        private Session(int id) {
            user = "user-" + id;
            for (int i = 0; i < 6; i++) {
                basket.add(1000 + id * 6 + i);
            }
        }
    }

    private static final class Exporter implements Runnable {
        private String export() throws JMException {
            return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    int sessions = 0;
                    for (String line : export().split("\n")) {
                        if (line.endsWith("Session")) {
                            sessions = Integer.parseInt(line.trim().split(" +")[1]);
                        }
                    }
                    seen += sessions;
                    Thread.sleep(300);
                }
            } catch (JMException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final Map<Integer, Session> sessions = new HashMap<>();

    private HistogramExporter() {
        for (int i = 0; i < 220_000; i++) {
            sessions.put(i, new Session(i));
        }
    }

    private int basket(int id) {
        int sum = 0;
        for (int i = 0; i < 200; i++) {
            Session s = sessions.get((id + i * 7919) % 220_000);
            sum += s.basket.size() + s.user.length();
        }
        return sum;
    }

    private void client(int first) {
        try {
            for (int id = first;; id += 13) {
                try (Scope request = Wick.span("GET /basket")) {
                    seen += basket(id & 0xffff);
                }
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HistogramExporter shop = new HistogramExporter();
        for (int i = 0; i < 4; i++) {
            int first = i;
            new Thread(() -> shop.client(first), "http-" + i).start();
        }
        new Thread(new Exporter(), "metrics-exporter").start();
        System.out.println("READY");
    }
}
