// SPDX-License-Identifier: Apache-2.0
// healthy: the program writes EDI messages of a ship's cargo, so it builds text, but as one should: each writer has one StringBuilder that it uses again, appends to it in place, and makes one string of each message; the checks of the stowage plan cost more, and messages are done in about a ms at a low load
// share: 0.15 to 0.4 of 2 CPUs in all; building the text is 25 to 40 % of the work ("text" in the measured lines), 0.1 CPUs or so; a message takes about 1 ms
// judge: NAMED: nothing stands out; or only neutral statements (CPU time goes to CargoManifests$StowageCheck.overload or to CargoManifests$MessageWriter.write) that call nothing a fault. SYMPTOM ONLY: does not apply. WRONG: any accusation, above all that building strings in CargoManifests$MessageWriter is what is wrong; also copying arrays, collections, the timer, locks.
// jdk: 11
// set: thirty-sixth

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class CargoManifests {
    static final AtomicLong messages = new AtomicLong(), allNanos = new AtomicLong(), textNanos = new AtomicLong(), characters = new AtomicLong(), worst = new AtomicLong();

    static final class Container {
        final String number;
        final int bay, row, tier, kilos;
        final String goods;

        Container(Random random) {
            number = "MSKU" + (1_000_000 + random.nextInt(8_999_999));
            bay = random.nextInt(20);
            row = random.nextInt(14);
            tier = random.nextInt(9);
            kilos = 2500 + random.nextInt(27000);
            goods = random.nextInt(9) == 0 ? "chem" + random.nextInt(99) + "+'liquid'" : "general cargo " + random.nextInt(400);
        }
    }

    static final class Voyage {
        final String ship;
        final List<Container> cargo = new ArrayList<>();

        Voyage(int n, Random random) {
            ship = "V" + n;
            for (int i = 0; i < 350; i++) cargo.add(new Container(random));
        }
    }

    /** Looks for stacks that are too heavy, and how the ship lies for each order of unloading. */
    static final class StowageCheck {
        private final int[][] stack = new int[20][14];

        int overload(Voyage voyage) {
            for (int[] bay : stack) Arrays.fill(bay, 0);
            for (Container c : voyage.cargo) stack[c.bay][c.row] += c.kilos * (10 - c.tier) / 10;
            int over = 0;
            for (int from = 0; from < 20; from++) {
                for (int to = from + 1; to <= 20; to++) {
                    double moment = 0;
                    for (int bay = from; bay < to; bay++) {
                        for (int row = 0; row < 14; row++) moment += stack[bay][row] * Math.sin((bay - 9.5) / 20) * (row - 6.5);
                    }
                    if (Math.abs(moment) > 300_000) over++;
                }
            }
            return over;
        }
    }

    /** Writes one message after another; not for several threads. */
    static final class MessageWriter {
        private final StringBuilder out = new StringBuilder(64 * 1024);
        private int segments;

        String write(Voyage voyage, int number, int over) {
            out.setLength(0);
            segments = 0;
            out.append("UNH+").append(number).append("+BAPLIE:D:95B:UN:SMDG20");
            end();
            out.append("TDT+20+").append(voyage.ship).append("+++:172:20");
            end();
            for (Container c : voyage.cargo) {
                out.append("LOC+147+");
                padded(c.bay, 3);
                padded(c.row, 2);
                padded(c.tier, 2);
                out.append("::5");
                end();
                out.append("FTX+AAA+++");
                escaped(c.goods);
                end();
                out.append("MEA+VGM++KGM:").append(c.kilos);
                end();
                out.append("EQD+CN+").append(c.number).append("+42G1+++5");
                end();
            }
            out.append("FTX+OVL+++").append(over);
            end();
            out.append("UNT+").append(segments + 1).append('+').append(number).append("'\n");
            return out.toString();
        }

        private void end() {
            out.append("'\n");
            segments++;
        }

        private void padded(int n, int width) {
            for (int limit = (int) Math.pow(10, width - 1); limit > 1 && n < limit; limit /= 10) out.append('0');
            out.append(n);
        }

        private void escaped(String text) {
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '+' || c == '\'' || c == ':' || c == '?') out.append('?');
                out.append(c);
            }
        }
    }

    static final class Agent implements Runnable {
        final List<Voyage> voyages;
        final MessageWriter writer = new MessageWriter();
        final StowageCheck check = new StowageCheck();
        final CRC32 crc = new CRC32();
        int number;

        Agent(List<Voyage> voyages) { this.voyages = voyages; }

        @Override public void run() {
            long from = System.nanoTime();
            Voyage voyage = voyages.get(++number % voyages.size());
            int over = 0;
            for (int plan = 0; plan < 2; plan++) over += check.overload(voyage);
            long before = System.nanoTime();
            String text = writer.write(voyage, number, over);
            textNanos.addAndGet(System.nanoTime() - before);
            send(text.getBytes(StandardCharsets.ISO_8859_1));
            long took = System.nanoTime() - from;
            messages.incrementAndGet();
            characters.addAndGet(text.length());
            allNanos.addAndGet(took);
            worst.accumulateAndGet(took, Math::max);
        }

        void send(byte[] message) {
            crc.update(message);
        }
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(6);
        List<Voyage> voyages = new ArrayList<>();
        for (int i = 0; i < 50; i++) voyages.add(new Voyage(i, random));
        AtomicInteger n = new AtomicInteger();
        ScheduledExecutorService agents = Executors.newScheduledThreadPool(2, r -> new Thread(r, "agent-" + n.incrementAndGet()));
        for (int i = 0; i < 2; i++) agents.scheduleWithFixedDelay(new Agent(voyages), 5, 5, TimeUnit.MILLISECONDS);
        long m = 0, all = 0, text = 0, chars = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long m2 = messages.get(), a2 = allNanos.get(), t2 = textNanos.get(), c2 = characters.get();
            System.out.printf("measured: %d messages of %d KB, %.2f ms each, %.0f ms at most, text %.0f %% of that%n", m2 - m, (c2 - chars) / 1024 / Math.max(1, m2 - m),
                (a2 - all) / 1e6 / Math.max(1, m2 - m), worst.getAndSet(0) / 1e6, (t2 - text) * 100.0 / Math.max(1, a2 - all));
            m = m2;
            all = a2;
            text = t2;
            chars = c2;
            if (s == 5) System.out.println("READY");
            System.out.flush();
        }
    }
}
