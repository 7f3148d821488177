// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * Clients of a ZooKeeper server: each sets the data of a node of its own, one after the other.
 *
 * <p>Arguments: the server's address, clients, for how many milliseconds each rests after a write. Prints READY, and how many writes were answered each second.
 */
public final class Znodes {
    private static final AtomicLong WRITES = new AtomicLong();

    private Znodes() {}

    private static void write(String server, int client, long restMillis) {
        try {
            CountDownLatch connected = new CountDownLatch(1);
            ZooKeeper session = new ZooKeeper(server, 30_000, event -> {
                if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                    connected.countDown();
                }
            });
            connected.await();
            String node = session.create("/node-", new byte[100], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
            for (int i = 0;; i++) {
                session.setData(node, new byte[1000 + i % 100], -1);
                WRITES.incrementAndGet();
                if (restMillis > 0) {
                    Thread.sleep(restMillis);
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException("client " + client, e);
        }
    }

    public static void main(String[] args) throws Exception {
        long restMillis = Long.parseLong(args[2]);
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            int client = i;
            new Thread(() -> write(args[0], client, restMillis), "client-" + i).start();
        }
        System.out.println("READY");
        for (long before = 0;;) {
            Thread.sleep(1000);
            long now = WRITES.get();
            System.out.println("writes a second: " + (now - before));
            before = now;
        }
    }
}
