// SPDX-License-Identifier: Apache-2.0
// cause: for the number of each event, the network interfaces of the machine are listed: NodeIdPerEvent.node
// expect: hot-method frame=NodeIdPerEvent.node | hot-method caller=NodeIdPerEvent.node | hot-calls frame=NodeIdPerEvent.node | hot-code frame=NodeIdPerEvent.node | endpoint-cpu frame=NodeIdPerEvent.node
// symptom: hot-method hot-calls hot-code
// jdk: 17
// set: ninth
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Enumeration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public final class NodeIdPerEvent {
    private static final AtomicLong NEXT = new AtomicLong();
    private static final LongAdder NAMING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder EVENTS = new LongAdder();
    private static volatile int length;

    private static long node() throws SocketException {
        long node = 0;
        Enumeration<NetworkInterface> all = NetworkInterface.getNetworkInterfaces();
        while (all.hasMoreElements()) {
            byte[] address = all.nextElement().getHardwareAddress();
            if (address != null) {
                for (byte one : address) {
                    node = node << 8 | one & 0xff;
                }
            }
        }
        return node;
    }

    private static String id() throws SocketException {
        return Long.toHexString(node()) + '-' + NEXT.incrementAndGet();
    }

    private static String event(String id, int customer) {
        StringBuilder event = new StringBuilder(400);
        event.append("{\"id\":\"").append(id).append("\",\"customer\":").append(customer).append(",\"items\":[");
        for (int i = 0; i < 12; i++) {
            event.append(i == 0 ? "" : ",").append("{\"article\":").append(customer * 31 % 9000 + i)
                    .append(",\"pieces\":").append(1 + i % 4).append('}');
        }
        return event.append("]}").toString();
    }

    private static void publish(int worker) {
        try {
            for (int customer = worker;; customer += 2) {
                long start = System.nanoTime();
                String id = id();
                NAMING.add(System.nanoTime() - start);
                length = event(id, customer % 100_000).length();
                ALL.add(System.nanoTime() - start);
                EVENTS.increment();
                if (customer % 40 < 2) {
                    Thread.sleep(1); // the next events
                }
            }
        } catch (SocketException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            int worker = i;
            new Thread(() -> publish(worker), "publish-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * NAMING.sum() / (ALL.sum() + 1) + " % of an event is its id, "
                    + NAMING.sum() / (EVENTS.sum() + 1) / 1000 + " us");
        }
    }
}
