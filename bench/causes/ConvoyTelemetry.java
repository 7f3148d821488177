// SPDX-License-Identifier: Apache-2.0
// cause: Every Position kept in the per-vehicle track keeps a reference to its whole raw frame (byte[400]) although only three numbers are needed, so the live set fills most of the 64 MB heap and the JVM spends most of its time in full collections.
// share: throughput: about 500,000 frames/s instead of about 2,000,000 (75 % lost); about 70 % of the wall time is in full collections
// judge: Right: GC (full/old collections) takes the time because the live heap is nearly full; the retained data are the byte[] frames held by Position.frame in Track.ring (made in ConvoyTelemetry.decode); remedy: drop the frame reference (a larger heap only mitigates). Naming GC pressure without the retained byte[]/Position/Track is only half right. Allocation rate of decode alone is a symptom and not the cause (fixed run allocates the same). Wrong: unbounded growth (it is bounded and does not grow), contention, CPU of the decoding.
// expect: gc-pauses holder=ConvoyTelemetry$Track | gc-cpu holder=ConvoyTelemetry$Track
// symptom: gc-pauses gc-cpu
// set: nineteenth
// jdk: 21
// jvm: -XX:+UseSerialGC
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;

public class ConvoyTelemetry {
    private static final boolean COMPACT = Boolean.getBoolean("fixed");
    private static final int VEHICLES = 400;
    private static final int TRACK = 250;
    private static final LongAdder frames = new LongAdder();

    static final class Position {
        final double lat;
        final double lon;
        final int speed;
        final byte[] frame;

        Position(double lat, double lon, int speed, byte[] frame) {
            this.lat = lat;
            this.lon = lon;
            this.speed = speed;
            this.frame = frame;
        }
    }

    static final class Track {
        private final Position[] ring = new Position[TRACK];
        private int next;
        private double distance;

        synchronized void add(Position p) {
            Position last = ring[(next + TRACK - 1) % TRACK];
            if (last != null) {
                double dx = p.lat - last.lat;
                double dy = (p.lon - last.lon) * Math.cos(Math.toRadians(p.lat));
                distance += Math.sqrt(dx * dx + dy * dy) * 111.2;
            }
            ring[next] = p;
            next = (next + 1) % TRACK;
        }

        synchronized double meanSpeed() {
            long sum = 0;
            int n = 0;
            for (Position p : ring) {
                if (p != null) {
                    sum += p.speed;
                    n++;
                }
            }
            return n == 0 ? distance : (double) sum / n;
        }
    }

    static final class Modem {
        private final SplittableRandom r;

        Modem(int seed) {
            r = new SplittableRandom(seed);
        }

        byte[] receive(int vehicle) {
            byte[] f = new byte[400];
            ByteBuffer b = ByteBuffer.wrap(f);
            b.putInt(vehicle).putDouble(47 + r.nextDouble()).putDouble(8 + r.nextDouble()).putInt(r.nextInt(120));
            int sum = 0;
            for (int i = b.position(); i < f.length - 4; i += 4) {
                f[i] = (byte) (i * 31 + vehicle);
                sum = sum * 17 + f[i];
            }
            b.putInt(f.length - 4, sum);
            return f;
        }
    }

    private static Position decode(byte[] f) {
        ByteBuffer b = ByteBuffer.wrap(f);
        b.getInt();
        double lat = b.getDouble();
        double lon = b.getDouble();
        int speed = b.getInt();
        int sum = 0;
        for (int i = b.position(); i < f.length - 4; i += 4) sum = sum * 17 + f[i];
        if (sum != b.getInt(f.length - 4)) throw new IllegalStateException("checksum");
        return new Position(lat, lon, speed, COMPACT ? null : f);
    }

    private static void receiver(int number, Track[] tracks) {
        Modem modem = new Modem(number);
        SplittableRandom pick = new SplittableRandom(number + 77);
        double mean = 0;
        for (int i = 0; ; i++) {
            int v = pick.nextInt(tracks.length);
            tracks[v].add(decode(modem.receive(v)));
            if (i % 2000 == 0) mean += tracks[v].meanSpeed();
            frames.increment();
            if (mean < 0) return;
        }
    }

    public static void main(String[] args) throws Exception {
        Track[] tracks = new Track[VEHICLES];
        for (int i = 0; i < tracks.length; i++) tracks[i] = new Track();
        for (int n = 0; n < 2; n++) {
            int number = n;
            Thread.ofPlatform().daemon().name("receiver-" + n).start(() -> receiver(number, tracks));
        }
        Thread.sleep(5000);
        System.out.println("READY");
        long before = frames.sum();
        long at = System.nanoTime();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long now = frames.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f frames/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
