// SPDX-License-Identifier: Apache-2.0
// cause: each message moves its session's timeout in a DelayQueue, whose remove() searches among 200,000 others
// expect: hot-method caller=DelayQueueRemove.touch | hot-method frame=PriorityQueue.indexOf | hot-calls frame=DelayQueueRemove.touch | hot-code frame=DelayQueueRemove.touch | lock-contention frame=DelayQueueRemove.touch
// symptom: hot-method hot-code hot-calls lock-contention waiting
// jdk: 21
// set: sixth
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A gateway closes sessions after ten idle minutes. Removing a timeout is a linear search under the queue's lock, of
 * some 100 us on average; adding it anew takes a microsecond, and the message itself less. So one of three connections
 * searches and the others wait for the queue's lock, but for a millisecond after ten messages each.
 */
public final class DelayQueueRemove {
    private static final int SESSIONS = 200_000;
    private static final int CONNECTIONS = 3;

    private final DelayQueue<Timeout> timeouts = new DelayQueue<>();
    private final Session[] sessions = new Session[SESSIONS];

    private static final class Session {
        private Timeout timeout;
        private int checksum;
    }

    private record Timeout(Session session, long at) implements Delayed {
        private static Timeout of(Session session) {
            return new Timeout(session, System.nanoTime() + TimeUnit.MINUTES.toNanos(10));
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(at - ((Timeout) other).at, 0);
        }
    }

    private DelayQueueRemove() {
        for (int i = 0; i < SESSIONS; i++) {
            sessions[i] = new Session();
            sessions[i].timeout = Timeout.of(sessions[i]);
            timeouts.add(sessions[i].timeout);
        }
    }

    private void touch(Session session) {
        timeouts.remove(session.timeout);
        session.timeout = Timeout.of(session);
        timeouts.add(session.timeout);
    }

    private void handle(Session session, int message) {
        session.checksum = session.checksum * 31 + message;
        touch(session);
    }

    private void receive(int connection) {
        try {
            for (int n = 0;; n++) {
                int session = ThreadLocalRandom.current().nextInt(SESSIONS / CONNECTIONS) * CONNECTIONS + connection;
                handle(sessions[session], n);
                if (n % 10 == 0) {
                    Thread.sleep(1); // the next messages
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void expire() {
        try {
            for (;;) {
                timeouts.take().session().checksum = 0;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        DelayQueueRemove gateway = new DelayQueueRemove();
        new Thread(gateway::expire, "expiry").start();
        for (int i = 0; i < CONNECTIONS; i++) {
            int connection = i;
            new Thread(() -> gateway.receive(connection), "connection-" + i).start();
        }
        System.out.println("READY");
    }
}
