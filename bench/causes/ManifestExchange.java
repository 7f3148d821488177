// SPDX-License-Identifier: Apache-2.0
// cause: ManifestExchange$ManifestWriter.render puts an interchange of some 3150 segments together by stream.reduce("", (text, segment) -> text + segment + "'\n"): each segment copies all text before it (quadratic) where a StringBuilder or Collectors.joining would copy it once
// share: putting the text together takes 97 to 99 % of the program's own time and more than nine tenths of its CPU time (16 to 50 ms for each interchange of 0.1 MiB, 38 a second; 0.5 CPUs on a machine where others took most of both); all else 5 ms a second; the collector some 5 %
// expect: hot-code kind=building-strings frame=ManifestExchange$ManifestWriter | hot-code kind=copying-arrays frame=ManifestExchange$ManifestWriter
// symptom: hot-method hot-calls gc-pauses gc-cpu waiting humongous-allocation
// judge: NAMED: any finding that says that building (concatenating, copying) strings, at ManifestExchange$ManifestWriter.render or its lambda (lambda$render$0), takes the CPU time, kind building-strings; also copying-arrays at that place. SYMPTOM ONLY: a bare hot-method or hot-calls of the JDK's string code (StringConcatHelper, System.arraycopy, String.getBytes) without render; hot-calls at render that does not say strings; collections or allocation (of byte[]) by render, waiting for room in the queue by booking-feed, or the manifest-sender threads having work all the time (a crowded or slow machine). WRONG: segments(), PortLink.send, CRC32, BookingFeed.voyage, streams as such, too small a heap as the main cause, no fault
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx512m
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** Sends the cargo manifests of container ships to the port's community system, as EDI interchanges. */
public class ManifestExchange {
    static final AtomicLong rendered = new AtomicLong();
    static final AtomicLong renderNanos = new AtomicLong();
    static final AtomicLong otherNanos = new AtomicLong();
    static final AtomicLong characters = new AtomicLong();

    record Container(String number, String sealNumber, String isoType, int grossKg, String loadPort, String dischargePort, int stowage) {
    }

    record Voyage(String vessel, String number, List<Container> containers) {
    }

    /** Bookings as the line's system has them. */
    static final class BookingFeed implements Runnable {
        private static final String[] PORTS = {"DEHAM", "NLRTM", "BEANR", "SGSIN", "CNSHA", "USNYC", "BRSSZ", "ZADUR"};
        private static final String[] TYPES = {"22G1", "42G1", "45G1", "22R1", "45R1"};
        private final SplittableRandom random = new SplittableRandom(41);
        private final BlockingQueue<Voyage> out;
        private int next = 100;

        BookingFeed(BlockingQueue<Voyage> out) {
            this.out = out;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    Voyage voyage = voyage();
                    otherNanos.addAndGet(System.nanoTime() - begin);
                    if (!out.offer(voyage)) {
                        out.put(voyage);
                    }
                    TimeUnit.MILLISECONDS.sleep(25);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Voyage voyage() {
            int count = 950 + random.nextInt(200);
            List<Container> containers = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                int number = 1_000_000 + random.nextInt(8_999_999);
                containers.add(new Container("HLXU" + number, "S" + random.nextInt(900_000), TYPES[random.nextInt(TYPES.length)],
                        4_000 + random.nextInt(26_000), PORTS[random.nextInt(PORTS.length)], PORTS[random.nextInt(PORTS.length)],
                        10_000 + i));
            }
            return new Voyage("MV HANSA " + next % 17, "V" + next++, containers);
        }
    }

    /** The text of an interchange: one segment for each fact about a container. */
    static final class ManifestWriter {
        List<String> segments(Voyage voyage) {
            List<String> segments = new ArrayList<>(3 * voyage.containers().size() + 4);
            segments.add("UNB+UNOA:2+LINE+PORT+" + Instant.now().getEpochSecond() + "+" + voyage.number());
            segments.add("TDT+20+" + voyage.number() + "+1++LINE:172+++" + voyage.vessel());
            for (Container container : voyage.containers()) {
                segments.add("EQD+CN+" + container.number() + "+" + container.isoType() + ":102:5+++5");
                segments.add("MEA+AAE+G+KGM:" + container.grossKg() + "+SEL+" + container.sealNumber());
                segments.add("LOC+9+" + container.loadPort() + "+11+" + container.dischargePort() + "+147+" + container.stowage());
            }
            segments.add("UNZ+1+" + voyage.number());
            return segments;
        }

        String render(Voyage voyage) {
            return segments(voyage).stream().reduce("", (text, segment) -> text + segment + "'\n");
        }
    }

    /** Hands a finished interchange over to the line to the port. */
    static final class PortLink {
        private long acknowledged;

        void send(String interchange) {
            CRC32 sum = new CRC32();
            byte[] octets = interchange.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
            sum.update(octets, 0, octets.length);
            acknowledged ^= sum.getValue();
            characters.addAndGet(octets.length);
        }
    }

    static final class Sender implements Runnable {
        private final BlockingQueue<Voyage> in;
        private final ManifestWriter writer = new ManifestWriter();
        private final PortLink link = new PortLink();

        Sender(BlockingQueue<Voyage> in) {
            this.in = in;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Voyage voyage = in.take();
                    long begin = System.nanoTime();
                    String interchange = writer.render(voyage);
                    long done = System.nanoTime();
                    link.send(interchange);
                    renderNanos.addAndGet(done - begin);
                    otherNanos.addAndGet(System.nanoTime() - done);
                    rendered.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Voyage> voyages = new ArrayBlockingQueue<>(8);
        for (int number = 1; number <= 2; number++) {
            new Thread(new Sender(voyages), "manifest-sender-" + number).start();
        }
        new Thread(new BookingFeed(voyages), "booking-feed").start();
        while (rendered.get() < 25) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long lastCount = rendered.get();
        long lastRender = renderNanos.get();
        long lastOther = otherNanos.get();
        while (true) {
            Thread.sleep(1000);
            long count = rendered.get();
            long render = renderNanos.get();
            long other = otherNanos.get();
            System.out.printf("measured: %d interchanges, %d ms putting their text together, %d ms all else, %d MiB sent so far%n",
                    count - lastCount, (render - lastRender) / 1_000_000, (other - lastOther) / 1_000_000, characters.get() >> 20);
            System.out.flush();
            lastCount = count;
            lastRender = render;
            lastOther = other;
        }
    }
}
