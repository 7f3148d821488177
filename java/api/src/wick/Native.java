/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;

/**
 * What the agent, libwick.so, does for this library. None of it is called while scopes open and close, save on virtual
 * threads, whose outermost scope binds and unbinds a record, and while somebody reads the probes of spans.
 */
final class Native {
    private Native() {}

    /** Memory shared with the agent (SpanQueue says what is in it), or null if there are too many class loaders. */
    static native ByteBuffer connect();

    /**
     * The record of the calling thread, or null if there is no room for one.
     *
     * @param virtualId the id of the calling thread if it is virtual, else 0
     */
    static native ByteBuffer bind(long virtualId);

    /** Gives the record of the calling virtual thread back. */
    static native void unbind(long virtualId);

    /** The agent's number of the calling platform thread, or of the carrier; 0 if it does not know it. */
    static native int thread();

    /** The place of the calling platform thread in {@link #places}; 0 if it has none. */
    static native int place();

    /** A byte for each thread: 1 while it has a context. */
    static native ByteBuffer places();

    /** The number of a text, given now if it is new. */
    static native int intern(byte[] utf8);

    /** Begins to publish contexts for readers other than wick; false: somebody else does already, or it is impossible. */
    static native boolean publish();

    /** The published record of the calling thread, which has bound its own; null if it cannot publish. */
    static native ByteBuffer published(long virtualId);

    /** The index of a key in published records, given now if it is new; negative: there is no room. */
    static native int key(byte[] utf8);

    /** Two counters of 16 bits, not 0 while somebody reads the static probe wick:span__begin, or wick:span__end. */
    static native ByteBuffer probes();

    /** The calling thread has begun a span, which is to pass by the probe. */
    static native void spanBegun(long traceHigh, long traceLow, long id, long parent, int operation, int labels);

    /** The calling thread ends a span, which is to pass by the probe. */
    static native void spanEnded(long traceHigh, long traceLow, long id, long duration, int operation, int labels);
}
