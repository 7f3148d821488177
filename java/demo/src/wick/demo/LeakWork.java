/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code /leak?kib=N}: keeps N KiB in a "session" that nobody ever closes. {@code /leak?forget=1} lets all of them go.
 *
 * <p>The leak ends at a quarter of the heap, so that a forgotten demo goes on; with {@code &share=100} at all of it.
 */
final class LeakWork implements Endpoint {
    private static final int CHUNK_BYTES = 1024;

    private static final class Session {
        private final List<byte[]> attributes = new ArrayList<>();
    }

    private final List<Session> openSessions = new ArrayList<>(); // guarded by this
    private long keptBytes;                                       // guarded by this

    @Override
    public synchronized String handle(Query query) {
        if (query.get("forget", 0, 1) == 1) {
            openSessions.clear();
            keptBytes = 0;
        }
        int kib = query.get("kib", 64, 1024 * 1024);
        if (keptBytes + kib * 1024L < Runtime.getRuntime().maxMemory() / 100 * query.get("share", 25, 100)) {
            openSessions.add(open(kib));
            keptBytes += kib * 1024L;
        }
        return openSessions.size() + " sessions keep " + keptBytes / 1024 + " KiB";
    }

    private static Session open(int kib) {
        Session session = new Session();
        for (int i = 0; i < kib; i++) {
            session.attributes.add(new byte[CHUNK_BYTES]);
        }
        return session;
    }
}
