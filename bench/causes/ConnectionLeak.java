// SPDX-License-Identifier: Apache-2.0
// cause: who fails in a query does not give its connection back, and the pool of eight gets it 2 s later from a reaper
// expect: waiting kind=pool least=. | waiting kind=pool least=0 | waiting frame=Pool.take | endpoint-wait | pool-busy
// symptom: waiting
// jvm: -Xmx128m -XX:+UseShenandoahGC
// jdk: 21
// set: sixth
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import wick.Scope;
import wick.Wick;

/**
 * One query of 25 fails as a deadlock's victim, and its exception passes by the line that returns the connection. A
 * query takes 5 ms, so that eight connections are plenty for the twelve threads. With the leak, seven of eight are lost
 * at any time, as each loss lasts for 2 s, and threads wait more than 100 ms in the pool for a query of 5 ms: nine
 * tenths of their time. Nothing computes, and the database (a sleep) has no queue.
 */
public final class ConnectionLeak {
    private static volatile int found;

    private final Pool pool = new Pool();
    private final AtomicInteger queries = new AtomicInteger();

    /** To a database that answers each query after 5 ms. */
    private static final class Connection {
        private volatile long takenAt;

        private int query(int number) throws SQLException, InterruptedException {
            Thread.sleep(5); // the answer of the database
            if (number % 25 == 0) {
                throw new SQLException("deadlock detected");
            }
            return number % 7;
        }
    }

    private static final class Pool {
        private final BlockingQueue<Connection> idle = new LinkedBlockingQueue<>();
        private final Map<Connection, Boolean> taken = new ConcurrentHashMap<>();

        private Pool() {
            for (int i = 0; i < 8; i++) {
                idle.add(new Connection());
            }
        }

        private Connection take() throws InterruptedException {
            Connection connection = idle.take();
            connection.takenAt = System.nanoTime();
            taken.put(connection, true);
            return connection;
        }

        private void giveBack(Connection connection) {
            if (taken.remove(connection) != null) {
                idle.add(connection);
            }
        }

        /** Takes back what was given out long ago. */
        private void reap() {
            for (Connection connection : taken.keySet()) {
                if (System.nanoTime() - connection.takenAt > 2_000_000_000L) {
                    giveBack(connection);
                }
            }
        }
    }

    private int search() throws SQLException, InterruptedException {
        Connection connection = pool.take();
        int rows = connection.query(queries.incrementAndGet());
        pool.giveBack(connection);
        return rows;
    }

    private void serve() {
        try {
            for (;;) {
                try (Scope request = Wick.span("GET /search")) {
                    found = search();
                } catch (SQLException e) {
                    found = -1;
                }
                Thread.sleep(5); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        ConnectionLeak service = new ConnectionLeak();
        Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "reaper"))
            .scheduleAtFixedRate(service.pool::reap, 100, 100, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 12; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
