// SPDX-License-Identifier: Apache-2.0
// cause: MeterExchange$MessageReader.read makes an XMLInputFactory (newInstance) for each message and a DatatypeFactory (newInstance) for each time stamp in it: each searches for services on the class path and properties anew
// share: about 70 % of the time to read a message, which is some 60 % of the CPU time of the process (0.3 CPUs), is in newInstance of these two factories; making a message up takes little
// expect: hot-code what=factories frame=MeterExchange$MessageReader
// symptom: hot-code hot-calls
// judge: NAMED: making (or finding) XML factories anew, for MessageReader.read or MessageReader.instant, which it calls, e.g. XMLInputFactory.newInstance, DatatypeFactory.newInstance; also if said as lookups of services (ServiceLoader) below newInstance there. SYMPTOM ONLY: reading XML, hot calls, class loading or lookups in MessageReader without naming factories or newInstance. WRONG: all else accused (dates, strings, collections, waiting), or nothing found.
// jdk: 17
// set: thirty-third
// jvm: -Xmx256m
import java.io.StringReader;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import javax.xml.datatype.*;
import javax.xml.stream.*;

public class MeterExchange {

    record Reading(String meter, long at, double kwh) { }

    static final class MessageReader {
        final AtomicLong making = new AtomicLong();

        List<Reading> read(String message) throws XMLStreamException, DatatypeConfigurationException {
            long t = System.nanoTime();
            XMLInputFactory factory = XMLInputFactory.newInstance();
            making.addAndGet(System.nanoTime() - t);
            List<Reading> readings = new ArrayList<>();
            XMLStreamReader xml = factory.createXMLStreamReader(new StringReader(message));
            String meter = null;
            while (xml.hasNext()) {
                if (xml.next() != XMLStreamConstants.START_ELEMENT)
                    continue;
                if (xml.getLocalName().equals("meter"))
                    meter = xml.getAttributeValue(null, "id");
                else if (xml.getLocalName().equals("reading"))
                    readings.add(new Reading(meter, instant(xml.getAttributeValue(null, "at")),
                        Double.parseDouble(xml.getAttributeValue(null, "kwh"))));
            }
            xml.close();
            return readings;
        }

        private long instant(String text) throws DatatypeConfigurationException {
            long t = System.nanoTime();
            DatatypeFactory types = DatatypeFactory.newInstance();
            making.addAndGet(System.nanoTime() - t);
            XMLGregorianCalendar c = types.newXMLGregorianCalendar(text);
            return ((c.getYear() * 372L + c.getMonth() * 31L + c.getDay()) * 24 + c.getHour()) * 60 + c.getMinute();
        }
    }

    static final class Balances {
        private final Map<String, double[]> perMeter = new ConcurrentHashMap<>();

        void add(Reading r) {
            double[] day = perMeter.computeIfAbsent(r.meter(), m -> new double[24]);
            synchronized (day) {
                day[(int) (r.at() / 60 % 24)] += r.kwh();
            }
        }

        double total() {
            double sum = 0;
            for (double[] day : perMeter.values())
                synchronized (day) {
                    for (double d : day)
                        sum += d;
                }
            return sum;
        }
    }

    static final class Operator {
        final String name;
        final Random random;

        Operator(String name) {
            this.name = name;
            random = new Random(name.hashCode());
        }

        String message() {
            StringBuilder b = new StringBuilder(900).append("<delivery operator='").append(name).append("'>");
            b.append("<meter id='").append(name).append('-').append(random.nextInt(3000)).append("'>");
            for (int i = 0; i < 8; i++)
                b.append("<reading at='2024-03-").append(10 + random.nextInt(18)).append('T').append(10 + random.nextInt(13))
                    .append(':').append(15 * (1 + random.nextInt(3))).append(":00Z' kwh='").append(random.nextInt(900) / 100.0).append("'/>");
            return b.append("</meter></delivery>").toString();
        }
    }

    static final class Intake {
        final MessageReader reader = new MessageReader();
        final Balances balances = new Balances();
        final AtomicLong messages = new AtomicLong(), reading = new AtomicLong(), failed = new AtomicLong();

        void take(String message) {
            long t = System.nanoTime();
            try {
                for (Reading r : reader.read(message))
                    balances.add(r);
            } catch (XMLStreamException | DatatypeConfigurationException | NumberFormatException e) {
                failed.incrementAndGet();
            }
            reading.addAndGet(System.nanoTime() - t);
            messages.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        Intake intake = new Intake();
        AtomicInteger n = new AtomicInteger();
        ScheduledExecutorService lines = Executors.newScheduledThreadPool(4, r -> {
            Thread t = new Thread(r, "line-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        for (String name : new String[] {"northgrid", "eastgrid", "city", "rail"}) {
            Operator operator = new Operator(name);
            lines.scheduleWithFixedDelay(() -> {
                for (int i = 0; i < 25; i++)
                    intake.take(operator.message());
            }, random(20), 15, TimeUnit.MILLISECONDS);
        }
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long m = intake.messages.getAndSet(0), t = intake.reading.getAndSet(0), f = intake.reader.making.getAndSet(0);
            System.out.printf("measured: %d messages, %.0f us each, %.0f %% of it before anything is read, %d failed, %.0f kWh%n",
                m, m == 0 ? 0 : t / 1e3 / m, t == 0 ? 0 : 100.0 * f / t, intake.failed.get(), intake.balances.total());
            if (second == 4) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }

    static int random(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }
}
