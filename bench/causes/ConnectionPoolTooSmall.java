// SPDX-License-Identifier: Apache-2.0
// cause: two connections for sixteen threads
// expect: waiting kind=pool frame=ConnectionPoolTooSmall.query
// symptom: pool-busy
// jdk: 21
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

public final class ConnectionPoolTooSmall {
    static final class Connection {
        int execute(int n) throws InterruptedException {
            Thread.sleep(8); // the data base
            return n * 31 + 7;
        }
    }

    static final class ConnectionPool {
        private final BlockingQueue<Connection> free = new ArrayBlockingQueue<>(2);

        ConnectionPool() {
            free.add(new Connection());
            free.add(new Connection());
        }

        Connection borrow() throws InterruptedException {
            return free.take();
        }

        void giveBack(Connection c) {
            free.add(c);
        }
    }

    private final ConnectionPool pool = new ConnectionPool();

    private int query(int n) throws InterruptedException {
        Connection c = pool.borrow();
        try {
            return c.execute(n);
        } finally {
            pool.giveBack(c);
        }
    }

    private void serve() {
        try {
            for (int n = 0;;) {
                n = query(n);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        ConnectionPoolTooSmall service = new ConnectionPoolTooSmall();
        for (int i = 0; i < 16; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
