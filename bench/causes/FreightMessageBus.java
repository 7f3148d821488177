// SPDX-License-Identifier: Apache-2.0
// cause: FreightMessageBus.converterFor calls Class.forName for every message to look for an optional nested class such as FreightMessageBus$GateInConverter; for 37 of the 40 message types no such class exists, the "not found" answer is not remembered, so nearly every message pays a full class loader search (parent delegation, file lookup on the class path) and a ClassNotFoundException.
// share: faulty about 58 000 messages/s, fixed about 1 490 000 messages/s (factor 25), means over 6 s on a busy 2-core machine.
// expect: hot-code kind=class-lookup | cache-misses frame=converterFor
// symptom: waiting
// judge: NAMED: the repeated failing Class.forName / ClassLoader.loadClass in FreightMessageBus.converterFor (class lookup that misses each time and is not cached; ClassNotFoundException per message is part of the same answer). SYMPTOM ONLY: high CPU, many exceptions created, file or jar system calls by the class loader, or blocking on the class loading lock, without saying that converterFor looks up missing classes per message. WRONG: parsing of the message text (split/HashMap in parse), the queue or the executor size, GC or heap size, a metaspace or class loader leak.
// jdk: 8
// set: twenty-fifth
// jvm:

import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FreightMessageBus {
    interface Converter {
        long convert(Map<String, String> fields);
    }

    static class BookingConverter implements Converter {
        public long convert(Map<String, String> f) {
            return Long.parseLong(f.get("weight")) * 3 + f.get("port").hashCode();
        }
    }

    static class ArrivalConverter implements Converter {
        public long convert(Map<String, String> f) {
            return Long.parseLong(f.get("weight")) + f.get("vessel").length();
        }
    }

    static class ReleaseConverter implements Converter {
        public long convert(Map<String, String> f) {
            return Long.parseLong(f.get("weight")) ^ f.get("box").hashCode();
        }
    }

    static class PlainConverter implements Converter {
        public long convert(Map<String, String> f) {
            long sum = 0;
            for (Map.Entry<String, String> e : f.entrySet()) {
                sum = sum * 31 + e.getValue().hashCode();
            }
            return sum;
        }
    }

    static final String[] STEPS = {"Booking", "Arrival", "Release", "GateIn", "GateOut", "Stow", "Load", "Discharge",
            "Weigh", "Seal", "Inspect", "Hold", "Clear", "Fumigate", "Reefer", "Damage", "Repair", "Store", "Stack",
            "Lift", "Rail", "Truck", "Barge", "Invoice", "Credit", "Dispute", "Quote", "Amend", "Cancel", "Split",
            "Merge", "Roll", "Tranship", "Manifest", "Declare", "Customs", "Notify", "Pickup", "Return", "Lease"};

    final boolean variant = Boolean.getBoolean("fixed");
    final BlockingQueue<String> inbox = new ArrayBlockingQueue<String>(2000);
    final ConcurrentMap<String, Converter> known = new ConcurrentHashMap<String, Converter>();
    final AtomicLong handled = new AtomicLong();
    final AtomicLong ledger = new AtomicLong();
    final Converter plain = new PlainConverter();
    volatile boolean open = true;

    Converter converterFor(String step) {
        if (variant) {
            Converter c = known.get(step);
            if (c == null) {
                c = locate(step);
                known.put(step, c);
            }
            return c;
        }
        Converter c = known.get(step);
        if (c != null) {
            return c;
        }
        c = locate(step);
        if (c != plain) {
            known.put(step, c);
        }
        return c;
    }

    Converter locate(String step) {
        try {
            Class<?> type = Class.forName("FreightMessageBus$" + step + "Converter");
            return (Converter) type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            return plain;
        }
    }

    static Map<String, String> parse(String text) {
        Map<String, String> fields = new HashMap<String, String>();
        for (String part : text.split(";")) {
            int eq = part.indexOf('=');
            fields.put(part.substring(0, eq), part.substring(eq + 1));
        }
        return fields;
    }

    void terminal(int no) {
        Random rnd = new Random(no);
        while (open) {
            StringBuilder sb = new StringBuilder();
            sb.append("step=").append(STEPS[rnd.nextInt(STEPS.length)]);
            sb.append(";box=MSKU").append(1000000 + rnd.nextInt(900000));
            sb.append(";vessel=V").append(rnd.nextInt(300));
            sb.append(";port=P").append(rnd.nextInt(90));
            sb.append(";weight=").append(2000 + rnd.nextInt(28000));
            try {
                inbox.offer(sb.toString(), 1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    void desk() {
        try {
            while (open) {
                String text = inbox.poll(1, TimeUnit.SECONDS);
                if (text == null) {
                    continue;
                }
                Map<String, String> fields = parse(text);
                ledger.addAndGet(converterFor(fields.get("step")).convert(fields));
                handled.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        final FreightMessageBus bus = new FreightMessageBus();
        bus.start(() -> bus.terminal(1), "terminal-1");
        for (int i = 0; i < 3; i++) {
            bus.start(bus::desk, "desk-" + i);
        }
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long now = bus.handled.get();
            System.out.println("measured: " + (now - last) + " messages/s");
            last = now;
        }
        bus.open = false;
        System.out.println("done " + bus.ledger.get());
    }
}
