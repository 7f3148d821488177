// SPDX-License-Identifier: Apache-2.0
// cause: duplicates are sought in a list, from its beginning to its end
// expect: hot-method caller=EventIntake$Window.accept | saturated-thread caller=EventIntake$Window.accept
// symptom: saturated-thread waiting hot-method
// jdk: 17
// set: seventh

import java.util.*;
import java.util.concurrent.*;

public class EventIntake {
    static final class Event {
        final String device;
        final long sequence;

        Event(String device, long sequence) {
            this.device = device;
            this.sequence = sequence;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Event && ((Event) other).sequence == sequence
                    && ((Event) other).device.equals(device);
        }

        @Override
        public int hashCode() {
            return device.hashCode() * 31 + Long.hashCode(sequence);
        }
    }

    static final class Window {
        private final ArrayList<Event> recent = new ArrayList<>();
        private int accepted;

        boolean accept(Event event) {
            if (recent.contains(event))
                return false;
            if (recent.size() == 20_000)
                recent.subList(0, 5_000).clear();
            recent.add(event);
            accepted++;
            return true;
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Event> arriving = new ArrayBlockingQueue<>(256);
        new Thread(() -> {
            Window window = new Window();
            try {
                while (true)
                    window.accept(arriving.take());
            } catch (InterruptedException e) {
                // ends
            }
        }, "intake").start();
        for (int n = 0; n < 2; n++) {
            String device = "meter-" + n;
            new Thread(() -> {
                try {
                    for (long i = 0; ; i++)
                        arriving.put(new Event(device, i - (i % 50 == 0 ? 3 : 0)));
                } catch (InterruptedException e) {
                    // ends
                }
            }, "mqtt-" + n).start();
        }
        System.out.println("READY");
    }
}
