// SPDX-License-Identifier: Apache-2.0
// healthy: a program that makes the text of timetable posters of bus stops, each from new departures: text is what it is for; it appends to one StringBuilder that is used again for each poster, without strings in between; each text is made and written once
// share: 0.8 ns a character on a free CPU, 10,000 posters of 38,760 characters a second; rendering is what it does; 0.3 CPUs used
// judge: NAMED (right): nothing stands out, or neutral words (if it should be less; no fault shows) on where CPU time goes: building strings or appending at StopPosters$Poster.render, header, hour, row. WRONG: an accusation of building strings, formatting or copying as a fault, of collections or allocation, of writing, a saturated thread, locks, waiting, anything else
// jdk: 21
// set: thirty-second
// jvm: -Xmx192m
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** Renders the timetable posters of all stops of a city's bus network, as SVG text, whenever the timetable changes. */
public class StopPosters {
    static final AtomicLong posters = new AtomicLong();
    static final AtomicLong characters = new AtomicLong();
    static final AtomicLong renderingNs = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(300);

    static final class Timetable {
        private static final String[] PLACES = {"Harbour", "Old Town", "University", "Hospital", "Airport", "Mill Lane", "Castle Hill", "East Station"};
        final String stop;
        final int[] minutes;
        final int[] lines;
        final String[] towards;

        Timetable(int number, SplittableRandom random) {
            stop = "Stop " + number;
            int count = 320;
            minutes = new int[count];
            lines = new int[count];
            towards = new String[count];
            int at = 290;
            for (int i = 0; i < count; i++) {
                at += random.nextInt(7);
                minutes[i] = at % 1440;
                lines[i] = 1 + random.nextInt(60);
                towards[i] = PLACES[random.nextInt(PLACES.length)];
            }
        }
    }

    record Format(int width, int height, int leading) {
    }

    static final class Poster {
        private final StringBuilder text = new StringBuilder(64 << 10);

        String render(Timetable table, Format format) {
            text.setLength(0);
            header(table, format);
            int hour = -1;
            int y = 80;
            for (int i = 0; i < table.minutes.length; i++) {
                if (table.minutes[i] / 60 != hour) {
                    hour = table.minutes[i] / 60;
                    y += 2 * format.leading();
                    hour(hour, y);
                }
                row(table, i, y += format.leading());
            }
            return text.append("</svg>\n").toString();
        }

        private void header(Timetable table, Format format) {
            text.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"").append(format.width())
                .append("\" height=\"").append(format.height()).append("\">\n<text x=\"40\" y=\"60\" class=\"stop\">")
                .append(table.stop).append("</text>\n");
        }

        private void hour(int hour, int y) {
            text.append("<text x=\"40\" y=\"").append(y).append("\" class=\"hour\">");
            twoDigits(hour).append("</text>\n");
        }

        private void row(Timetable table, int i, int y) {
            text.append("<text x=\"90\" y=\"").append(y).append("\">");
            twoDigits(table.minutes[i] / 60).append(':');
            twoDigits(table.minutes[i] % 60).append("</text><text x=\"160\" y=\"").append(y).append("\" class=\"line\">")
                .append(table.lines[i]).append("</text><text x=\"210\" y=\"").append(y).append("\">")
                .append(table.towards[i]).append("</text>\n");
        }

        private StringBuilder twoDigits(int number) {
            return text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
        }
    }

    /** The way to the print shop; here the bytes are only counted and summed. */
    static final class PrintShop extends OutputStream {
        private final CRC32 sum = new CRC32();

        @Override
        public void write(int b) {
            sum.update(b);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            sum.update(bytes, from, length);
        }
    }

    static final class Renderer implements Runnable {
        private final PrintShop shop = new PrintShop();
        private final Poster poster = new Poster();
        private final Format[] formats = {new Format(840, 1188, 12), new Format(594, 840, 9), new Format(1680, 2376, 24), new Format(1080, 1920, 20)};
        private final SplittableRandom random = new SplittableRandom(17);

        @Override
        public void run() {
            try {
                for (int number = 0; ; number++) {
                    Timetable table = new Timetable(number % 4000, random);
                    for (Format format : formats) {
                        long start = System.nanoTime();
                        String text = poster.render(table, format);
                        renderingNs.addAndGet(System.nanoTime() - start);
                        shop.write(text.getBytes(StandardCharsets.UTF_8));
                        posters.incrementAndGet();
                        characters.addAndGet(text.length());
                        warm.countDown();
                    }
                    if (number % 64 == 63) Thread.sleep(14);
                }
            } catch (IOException e) {
                System.out.println("print shop closed: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        new Thread(new Renderer(), "renderer").start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long last = System.nanoTime(), made = posters.get(), chars = characters.get(), rendering = renderingNs.get(), cpu = os.getProcessCpuTime();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), p = posters.get(), c = characters.get(), r = renderingNs.get(), used = os.getProcessCpuTime();
            System.out.printf("measured: %d posters of %d characters, %.2f ns a character; rendering took %.0f %% of the time; CPUs used %.2f%n",
                p - made, (c - chars) / Math.max(1, p - made), (double) (r - rendering) / Math.max(1, c - chars), 100.0 * (r - rendering) / (now - last),
                (double) (used - cpu) / (now - last));
            last = now; made = p; chars = c; rendering = r; cpu = used;
        }
    }
}
