// SPDX-License-Identifier: Apache-2.0
// cause: TramPunctuality$CallReader.read makes a new XMLInputFactory (XMLInputFactory.newInstance: a search for services on the class path and in modules) for each message of 200 bytes, in place of one for all
// share: half or more of the time of a message goes to XMLInputFactory.newInstance in CallReader.read by its own clock, and part of the rest to what a fresh factory makes anew in createXMLStreamReader: a message takes 15 to 45 us (as busy as the machine is), 10 us with one factory for all
// expect: hot-code what=factories frame=TramPunctuality$CallReader.read
// symptom: hot-code hot-calls
// judge: NAMED: making factories anew (XMLInputFactory.newInstance) for TramPunctuality$CallReader.read; also looking up services for CallReader.read if it is said to be newInstance. SYMPTOM ONLY: reading XML for CallReader.read without the factory, hot calls of CallReader.read, class loading or class lookup without newInstance. WRONG: TramPunctuality$Board, collections as the cause, CPUs, nothing stands out
// jdk: 11
// set: thirty-second
// jvm: -Xmx512m
import java.io.StringReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Follows how punctual the trams of a town are, by messages that they send at each stop. */
public class TramPunctuality {

    static final LongAdder READ = new LongAdder();
    static final LongAdder FACTORY = new LongAdder();
    static final LongAdder WHOLE = new LongAdder();

    static final class StopCall {
        final int line;
        final int vehicle;
        final String stop;
        final int planned;
        final int actual;

        StopCall(Map<String, String> fields) {
            line = Integer.parseInt(fields.get("line"));
            vehicle = Integer.parseInt(fields.get("vehicle"));
            stop = fields.get("stop");
            planned = Integer.parseInt(fields.get("planned"));
            actual = Integer.parseInt(fields.get("actual"));
        }

        int delay() {
            return actual - planned;
        }
    }

    static final class CallReader {

        StopCall read(String message) throws XMLStreamException {
            long begin = System.nanoTime();
            XMLInputFactory factory = XMLInputFactory.newInstance();
            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            factory.setProperty(XMLInputFactory.IS_COALESCING, true);
            FACTORY.add(System.nanoTime() - begin);
            XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(message));
            Map<String, String> fields = new HashMap<>();
            try {
                while (reader.hasNext()) {
                    if (reader.next() == XMLStreamConstants.START_ELEMENT && !reader.getLocalName().equals("call"))
                        fields.put(reader.getLocalName(), reader.getElementText());
                }
            } finally {
                reader.close();
            }
            StopCall call = new StopCall(fields);
            WHOLE.add(System.nanoTime() - begin);
            READ.increment();
            return call;
        }
    }

    /** The delays of each line, as the board in the control room shows them. */
    static final class Board {
        private final Map<Integer, int[]> byLine = new ConcurrentHashMap<>();

        void add(StopCall call) {
            int[] classes = byLine.computeIfAbsent(call.line, line -> new int[6]);
            int index = Math.max(0, Math.min(5, call.delay() / 60));
            synchronized (classes) {
                classes[index]++;
            }
        }

        String worst() {
            int line = 0;
            double share = -1;
            for (Map.Entry<Integer, int[]> entry : byLine.entrySet()) {
                int all = 0, late = 0;
                int[] classes = entry.getValue();
                for (int i = 0; i < classes.length; i++) {
                    all += classes[i];
                    if (i >= 3) late += classes[i];
                }
                if (all > 0 && (double) late / all > share) {
                    share = (double) late / all;
                    line = entry.getKey();
                }
            }
            return "line " + line;
        }
    }

    static final class Depot implements Runnable {
        private final BlockingQueue<String> radio;
        private final Random random = new Random(5);
        private final String[] sheet = new String[20_000];
        private int next;

        Depot(BlockingQueue<String> radio) {
            this.radio = radio;
            for (int i = 0; i < sheet.length; i++) sheet[i] = call();
        }

        private String message() {
            return sheet[next++ % sheet.length];
        }

        private String call() {
            int planned = 18_000 + random.nextInt(50_000);
            return "<call><line>" + (1 + random.nextInt(14)) + "</line><vehicle>" + (2000 + random.nextInt(180))
                    + "</vehicle><stop>Stop " + random.nextInt(300) + "</stop><planned>" + planned
                    + "</planned><actual>" + (planned + random.nextInt(400)) + "</actual></call>";
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 250; i++) radio.put(message());
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Receiver implements Runnable {
        private final BlockingQueue<String> radio;
        private final Board board;
        private final CallReader reader = new CallReader();

        Receiver(BlockingQueue<String> radio, Board board) {
            this.radio = radio;
            this.board = board;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    board.add(reader.read(radio.take()));
                } catch (XMLStreamException e) {
                    System.err.println("message dropped: " + e.getMessage());
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<String> radio = new ArrayBlockingQueue<>(1000);
        Board board = new Board();
        new Thread(new Depot(radio), "depot").start();
        for (int i = 0; i < 2; i++) new Thread(new Receiver(radio, board), "receiver-" + i).start();
        while (READ.sum() < 5000) Thread.sleep(20);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            READ.reset();
            FACTORY.reset();
            WHOLE.reset();
            Thread.sleep(1000);
            long n = Math.max(1, READ.sum());
            System.out.printf("measured: %d messages, %.0f us each, %.0f %% of it for the factory; latest is %s%n",
                    n, WHOLE.sum() / 1e3 / n, 100.0 * FACTORY.sum() / Math.max(1, WHOLE.sum()), board.worst());
        }
    }
}
