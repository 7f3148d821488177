/* SPDX-License-Identifier: Apache-2.0 */
package wick;

/**
 * Something that is in force in a thread until it is closed: a span, a label, a context. Meant for try-with-resources. A
 * scope is closed by the thread that opened it; other threads' calls do nothing. Closing twice does nothing, and closing
 * an outer scope also ends those inside it.
 *
 * <p>It is only a ticket: what is open is kept in the thread's Record. Nothing refers to it there, so the compiler leaves the
 * object out where it sees both ends of its life.
 */
public final class Scope implements AutoCloseable {
    private final Record record; // null: nothing was opened
    private final int level;
    private final long ticket;

    Scope(Record record, int level, long ticket) {
        this.record = record;
        this.level = level;
        this.ticket = ticket;
    }

    @Override
    public void close() {
        Record r = record;
        if (r != null) {
            r.close(level, ticket);
        }
    }
}
