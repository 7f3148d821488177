// SPDX-License-Identifier: Apache-2.0
// cause: CargoAssessment$PropertyPath.read looks every getter up anew by Class.getMethod (and invokes it by reflection) for each property of each rule and each consignment; the Methods are never kept
// share: 98 to 99 % of the assessors' work is evaluating rules (11 to 15 us a consignment); by JFR 91 % of CPU samples are in or below PropertyPath.read, nearly all of them in getMethod and Method.invoke; 0.7 CPUs on a crowded machine (more where there is room)
// expect: hot-code frame=CargoAssessment$PropertyPath.read
// symptom: hot-method hot-calls
// judge: NAMED: reflection (Class.getMethod / looking methods up / Method.invoke) at or for CargoAssessment$PropertyPath.read, or for its callers CargoAssessment$Condition.holds or CargoAssessment$Assessor.assess. SYMPTOM ONLY: "computes in CargoAssessment$PropertyPath.read" (or Condition.holds, Assessor.assess) without saying that it is reflection; a hot method inside java.lang.Class, java.lang.PublicMethods or java.lang.reflect without the program's place; only that the CPUs are full or that an assessor thread is busy; only garbage or collections. WRONG: anything else as the first fault (locks, queue, sleep, too many threads, collections as the cause, the arithmetic of the duties).
// jdk: 17
// set: thirty-first
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class CargoAssessment {
    public interface Located { String getCountry(); }

    public static class Address implements Located {
        private final String street, city, zip, country;
        private final boolean freePort;
        Address(String street, String city, String zip, String country, boolean freePort) {
            this.street = street; this.city = city; this.zip = zip; this.country = country; this.freePort = freePort;
        }
        public String getStreet() { return street; }
        public String getCity() { return city; }
        public String getZip() { return zip; }
        public String getCountry() { return country; }
        public boolean getFreePort() { return freePort; }
    }

    public static class Party {
        private final String name, eori;
        private final Address address;
        private final int rating;
        Party(String name, String eori, Address address, int rating) { this.name = name; this.eori = eori; this.address = address; this.rating = rating; }
        public String getName() { return name; }
        public String getEori() { return eori; }
        public Address getAddress() { return address; }
        public int getRating() { return rating; }
    }

    public static class Document {
        private final long number;
        private double duty;
        Document(long number) { this.number = number; }
        public long getNumber() { return number; }
        public double getDuty() { return duty; }
        public void setDuty(double duty) { this.duty = duty; }
    }

    public static class Consignment extends Document {
        private final Party shipper, consignee;
        private final String heading, vessel, incoterm;
        private final double weight, value, volume;
        private final int packages;
        Consignment(long number, Party shipper, Party consignee, String heading, String vessel, String incoterm, double weight, double value, double volume, int packages) {
            super(number);
            this.shipper = shipper; this.consignee = consignee; this.heading = heading; this.vessel = vessel; this.incoterm = incoterm;
            this.weight = weight; this.value = value; this.volume = volume; this.packages = packages;
        }
        public Party getShipper() { return shipper; }
        public Party getConsignee() { return consignee; }
        public String getHeading() { return heading; }
        public String getVessel() { return vessel; }
        public String getIncoterm() { return incoterm; }
        public double getWeight() { return weight; }
        public double getValue() { return value; }
        public double getVolume() { return volume; }
        public int getPackages() { return packages; }
    }

    /** A property as the tariff office writes it, such as consignee.address.country. */
    static final class PropertyPath {
        private final String[] getters;
        PropertyPath(String text) {
            String[] parts = text.split("\\.");
            getters = new String[parts.length];
            for (int i = 0; i < parts.length; i++) getters[i] = "get" + Character.toUpperCase(parts[i].charAt(0)) + parts[i].substring(1);
        }
        Object read(Object root) {
            Object current = root;
            try {
                for (String getter : getters) {
                    if (current == null) return null;
                    Method method = current.getClass().getMethod(getter);
                    current = method.invoke(current);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("no such property", e);
            }
            return current;
        }
    }

    static final class Condition {
        final PropertyPath path;
        final char operator;
        final Object operand;
        Condition(String path, char operator, Object operand) { this.path = new PropertyPath(path); this.operator = operator; this.operand = operand; }
        boolean holds(Consignment c) {
            Object v = path.read(c);
            if (operator == '=') return operand.equals(v);
            double d = ((Number) v).doubleValue(), o = ((Number) operand).doubleValue();
            return operator == '<' ? d < o : d > o;
        }
    }

    static final class Rule {
        final List<Condition> conditions;
        final double rate;
        Rule(double rate, Condition... conditions) { this.rate = rate; this.conditions = List.of(conditions); }
    }

    static final LongAdder assessed = new LongAdder(), ruleNanos = new LongAdder(), batchNanos = new LongAdder();

    static final class Assessor implements Runnable {
        private final List<Rule> rules;
        private final Intake intake;
        Assessor(List<Rule> rules, Intake intake) { this.rules = rules; this.intake = intake; }
        double assess(Consignment c) {
            double duty = 0;
            next:
            for (Rule r : rules) {
                for (Condition k : r.conditions) if (!k.holds(c)) continue next;
                duty += c.getValue() * r.rate;
            }
            return Math.round(duty * 100) / 100.0;
        }
        public void run() {
            try {
                for (;;) {
                    long begin = System.nanoTime();
                    List<Consignment> batch = intake.next(200);
                    long rulesBegin = System.nanoTime();
                    for (Consignment c : batch) c.setDuty(assess(c));
                    long end = System.nanoTime();
                    ruleNanos.add(end - rulesBegin);
                    batchNanos.add(end - begin);
                    assessed.add(batch.size());
                    Thread.sleep(4);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Intake {
        private static final String[] COUNTRIES = {"DE", "FR", "CN", "US", "BR", "IN"}, HEADINGS = {"8471", "6403", "0901", "2204", "8703"};
        private final Random random;
        private long number;
        Intake(long seed) { random = new Random(seed); }
        private Party party() {
            String country = COUNTRIES[random.nextInt(COUNTRIES.length)];
            return new Party("party", "EORI", new Address("Kai 4", "Port", "20457", country, random.nextInt(9) == 0), random.nextInt(10));
        }
        List<Consignment> next(int n) {
            List<Consignment> batch = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                batch.add(new Consignment(++number, party(), party(), HEADINGS[random.nextInt(HEADINGS.length)], "MS Elbe", random.nextBoolean() ? "CIF" : "FOB",
                        random.nextInt(20000), random.nextInt(90000), random.nextInt(60), 1 + random.nextInt(40)));
            }
            return batch;
        }
    }

    static List<Rule> tariff() {
        List<Rule> rules = new ArrayList<>();
        for (String country : Intake.COUNTRIES) {
            for (String heading : Intake.HEADINGS) {
                rules.add(new Rule(0.01 + 0.001 * rules.size(), new Condition("consignee.address.freePort", '=', false), new Condition("shipper.address.country", '=', country),
                        new Condition("heading", '=', heading), new Condition("weight", '>', 100)));
            }
        }
        rules.add(new Rule(0.002, new Condition("consignee.rating", '<', 3), new Condition("incoterm", '=', "FOB")));
        return rules;
    }

    public static void main(String[] args) throws InterruptedException {
        List<Rule> rules = tariff();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Assessor(rules, new Intake(i)), "assessor-" + i);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long a = assessed.sum(), r = ruleNanos.sum(), b = batchNanos.sum();
            Thread.sleep(1000);
            long n = assessed.sum() - a, rn = ruleNanos.sum() - r, bn = Math.max(1, batchNanos.sum() - b);
            System.out.printf("measured: %d consignments, rules take %.1f us each, %.0f %% of the assessors' work%n", n, rn / 1e3 / Math.max(1, n), 100.0 * rn / bn);
            System.out.flush();
        }
    }
}
