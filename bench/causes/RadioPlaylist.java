// SPDX-License-Identifier: Apache-2.0
// healthy: a bounded LRU cache (LinkedHashMap under a short lock) of rendered track cards with a hit rate near 98.5 %; the lock is held well under a microsecond and hardly ever contended, misses are rendered outside it, the load (about 3000 requests/s, paced) is met with much idle time.
// judge: any claim of a fault is wrong: e.g. "lock contention on the cache", "cache thrashing / too small", "leak in the LinkedHashMap", "rendering on miss is the bottleneck", "threads sleep too much".
// set: twentieth
// jdk: 17
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class RadioPlaylist {
    static final int KEPT = 1500;
    static final int TRACKS = 2200;

    record Card(int track, String title, byte[] waveform) { }

    static final class Cards extends LinkedHashMap<Integer, Card> {
        private static final long serialVersionUID = 1L;

        Cards() {
            super(2048, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Card> eldest) {
            return size() > KEPT;
        }
    }

    final Cards cards = new Cards();
    final LongAdder requests = new LongAdder();
    final LongAdder misses = new LongAdder();
    final LongAdder micros = new LongAdder();

    Card card(int track) {
        synchronized (cards) {
            Card c = cards.get(track);
            if (c != null) {
                return c;
            }
        }
        Card fresh = render(track);
        misses.increment();
        synchronized (cards) {
            cards.put(track, fresh);
        }
        return fresh;
    }

    static Card render(int track) {
        byte[] wave = new byte[4096];
        for (int i = 0; i < wave.length; i++) {
            wave[i] = (byte) (Math.sin(i * 0.01 * (1 + track % 17)) * 60 + Math.sin(i * 0.13) * 30);
        }
        return new Card(track, "Track no. " + track, wave);
    }

    static int loudness(Card c) {
        int peak = 0;
        for (int i = 0; i < c.waveform().length; i += 8) {
            peak = Math.max(peak, Math.abs(c.waveform()[i]));
        }
        return peak + c.title().length();
    }

    void studio() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        long due = System.nanoTime();
        long peaks = 0;
        while (peaks >= 0) {
            due += 1_250_000 + r.nextInt(166_000);
            long pause = due - System.nanoTime();
            if (pause > 0) {
                LockSupport.parkNanos(pause);
            }
            int track = (int) Math.min(TRACKS - 1, Math.abs(r.nextGaussian()) * TRACKS / 4.0);
            long t = System.nanoTime();
            peaks += loudness(card(track));
            micros.add((System.nanoTime() - t) / 1000);
            requests.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        RadioPlaylist desk = new RadioPlaylist();
        for (int i = 0; i < TRACKS / 2; i++) {
            desk.card(i);
        }
        desk.misses.reset();
        for (int i = 0; i < 4; i++) {
            Thread t = new Thread(desk::studio, "studio-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long lastN = 0;
        long lastT = 0;
        long lastM = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = desk.requests.sum();
            long t = desk.micros.sum();
            long m = desk.misses.sum();
            System.out.println("measured: " + (n - lastN) + " requests/s, mean "
                    + (n == lastN ? 0 : (t - lastT) / (n - lastN)) + " us, misses " + (m - lastM));
            lastN = n;
            lastT = t;
            lastM = m;
        }
    }
}
