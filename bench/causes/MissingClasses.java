// SPDX-License-Identifier: Apache-2.0
// cause: for each event a handler of the tenant is sought by class names that do not exist, all along the class path
// expect: hot-method caller=MissingClasses.find | hot-calls frame=MissingClasses.find | hot-code frame=MissingClasses.find
// symptom: hot-method hot-code hot-calls lock-contention
// jvm: -Xmx128m
// jdk: 17
// set: sixth
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tenants may replace the handler of an event by a class of a certain name in one of four packages. None of them does,
 * so each event costs four ClassNotFoundExceptions, for each of which class loaders look into the modules and into all
 * of the class path, about 30 us. The standard handler then takes a microsecond. Three threads handle some 3000 events
 * a second together, and nearly all of their CPU time is this search.
 */
public final class MissingClasses {
    private static final String[] PACKAGES = {"custom", "custom.events", "com.example.tenants", "com.example.own"};
    private static final String[] EVENTS = {"OrderPlaced", "OrderPaid", "OrderSent", "OrderReturned"};
    private static final AtomicLong HANDLED = new AtomicLong();

    /** What handles an event. */
    public interface Handler {
        void handle(int order);
    }

    private static Handler find(int tenant, String event) throws ReflectiveOperationException {
        for (String name : PACKAGES) {
            try {
                Class<?> own = Class.forName(name + ".Tenant" + tenant + event);
                return (Handler) own.getDeclaredConstructor().newInstance();
            } catch (ClassNotFoundException e) {
                continue; // another package may have it
            }
        }
        return HANDLED::addAndGet;
    }

    private static void dispatch(int first) {
        try {
            for (int n = first;; n++) {
                find(n % 40, EVENTS[n % EVENTS.length]).handle(n);
                if (n % 3 == 0) {
                    Thread.sleep(1); // the next events
                }
            }
        } catch (InterruptedException | ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            int first = i * 13;
            new Thread(() -> dispatch(first), "events-" + i).start();
        }
        System.out.println("READY");
    }
}
