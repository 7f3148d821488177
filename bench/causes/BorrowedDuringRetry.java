// SPDX-License-Identifier: Apache-2.0
// cause: forty virtual threads share two connections, and who has one keeps it while it waits before a retry
// expect: endpoint-wait kind=pool frame=BorrowedDuringRetry | waiting kind=pool frame=BorrowedDuringRetry | endpoint-wait kind=queue frame=BorrowedDuringRetry | waiting kind=queue frame=BorrowedDuringRetry | endpoint-wait kind=sleep frame=BorrowedDuringRetry.backOff | waiting kind=sleep frame=BorrowedDuringRetry.backOff
// symptom: waiting endpoint-wait unmounted-wait
// jdk: 25
// set: fifth
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import wick.Scope;
import wick.Wick;

/** A query takes 2 ms, but every second one fails once and is retried 50 ms later, on the same connection. */
public final class BorrowedDuringRetry {
    private static final int CLIENTS = 40;
    private static volatile int found;

    private final ConnectionPool pool = new ConnectionPool(2);

    private static final class Conflict extends Exception {
        private static final long serialVersionUID = 1;

        private Conflict() {
            super("the row was changed by another transaction", null, false, false);
        }
    }

    private static final class Connection {
        private final AtomicInteger queries = new AtomicInteger();

        private int query(int key, boolean again) throws Conflict, InterruptedException {
            Thread.sleep(2); // the database
            if (!again && key % 2 == 0) {
                throw new Conflict();
            }
            return queries.incrementAndGet() ^ key;
        }
    }

    private static final class ConnectionPool {
        private final BlockingQueue<Connection> free;

        private ConnectionPool(int size) {
            free = new ArrayBlockingQueue<>(size);
            for (int i = 0; i < size; i++) {
                free.add(new Connection());
            }
        }

        private Connection borrow() throws InterruptedException {
            return free.take();
        }

        private void giveBack(Connection connection) {
            free.add(connection);
        }
    }

    private static void backOff() throws InterruptedException {
        Thread.sleep(50);
    }

    private int load(int key) throws InterruptedException {
        Connection connection = pool.borrow();
        try {
            try {
                return connection.query(key, false);
            } catch (Conflict e) {
                backOff();
                return connection.query(key, true);
            }
        } catch (Conflict e) {
            throw new IllegalStateException(e);
        } finally {
            pool.giveBack(connection);
        }
    }

    private void serve(int client) {
        try {
            for (int key = client;; key++) {
                try (Scope request = Wick.span("PUT /cart")) {
                    found += load(key);
                }
                Thread.sleep(30); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BorrowedDuringRetry shop = new BorrowedDuringRetry();
        Thread last = null;
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            last = Thread.ofVirtual().name("client-" + i).start(() -> shop.serve(client));
        }
        System.out.println("READY");
        last.join();
    }
}
