// SPDX-License-Identifier: Apache-2.0
// cause: a slow formatter of log records runs under the monitor of the handler, so that requests wait for each other
// expect: waiting kind=monitor frame=SlowLogFormatter
// symptom: waiting lock-contention hot-method hot-calls hot-code disk-wait
// jdk: 17
// jvm: -Xmx256m
// set: fourth
import java.io.IOException;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

public final class SlowLogFormatter {
    private static final Logger LOG = Logger.getLogger("orders");
    private static volatile int placed;

    private static final class Layout extends Formatter {
        private static String mask(String message) {
            return message.replaceAll("\\b(\\d{4})\\d{8}(\\d{4})\\b", "$1********$2").replaceAll("(?i)password=\\S+", "password=***");
        }

        @Override
        public String format(LogRecord record) {
            String time = new SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZ").format(new Date(record.getMillis()));
            String caller = record.getSourceClassName() + "." + record.getSourceMethodName();
            return String.format("%s [%d] %-7s %s - %s%n", time, record.getLongThreadID(), record.getLevel(), caller,
                    mask(formatMessage(record)));
        }
    }

    private static int place(int order) {
        int check = order;
        for (int i = 0; i < 2000; i++) {
            check = check * 31 + i;
        }
        return check;
    }

    private static void request(int order) {
        LOG.info("received order " + order);
        placed += place(order);
        for (int line = 0; line < 40; line++) {
            LOG.info("line " + line + " of order " + order + " for card 4111111111111111, password=secret" + line);
        }
        LOG.info("placed order " + order);
    }

    private static void serve() {
        try {
            for (int order = 0;; order++) {
                request(order);
                Thread.sleep(1); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        FileHandler file = new FileHandler("orders.%g.log", 4 << 20, 2);
        file.setFormatter(new Layout());
        LOG.setUseParentHandlers(false);
        LOG.addHandler(file);
        for (int i = 0; i < 8; i++) {
            new Thread(SlowLogFormatter::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
