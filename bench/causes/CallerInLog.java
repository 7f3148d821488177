// SPDX-License-Identifier: Apache-2.0
// cause: each line of the log makes a Throwable to find out who logs, below a deep stack of filters
// expect: hot-code kind=exceptions frame=CallerInLog | hot-calls frame=CallerInLog.caller | hot-method caller=CallerInLog.caller
// symptom: hot-method hot-code gc-cpu gc-pauses
// jdk: 11
// set: fifth
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** Orders pass through sixty filters. Each one is logged three times, with the place that logs it. */
public final class CallerInLog {
    private static final int FILTERS = 60;
    private static final int KEPT = 500;

    private final Deque<String> lines = new ArrayDeque<>();
    private final Map<String, Integer> stock = new HashMap<>();

    private static String caller() {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            String method = frame.getMethodName();
            if (!method.equals("caller") && !method.equals("log")) {
                return frame.getFileName() + ":" + frame.getLineNumber();
            }
        }
        return "unknown";
    }

    private void log(String level, String text, int order) {
        StringBuilder line = new StringBuilder(80);
        line.append(level).append(" [").append(caller()).append("] ").append(text).append(' ').append(order);
        lines.add(line.toString());
        if (lines.size() > KEPT) {
            lines.remove();
        }
    }

    private int reserve(int order) {
        String article = "article-" + order % 97;
        log("DEBUG", "asks for stock of", order);
        int left = stock.merge(article, -1, Integer::sum);
        if (left < 0) {
            stock.put(article, 1000);
            log("WARN", "stock had to be filled up for", order);
        }
        return left;
    }

    private int enter(int order) {
        log("INFO", "enters", order);
        int left = reserve(order);
        log("INFO", "has entered", order);
        return left;
    }

    private int filter(int depth, int order) {
        if (depth == FILTERS) {
            return enter(order);
        }
        int checked = order + depth; // what a filter does
        return filter(depth + 1, order) + (checked & 1);
    }

    private void serve() {
        int sum = 0;
        for (int order = 0;; order++) {
            sum += filter(0, order);
            if (sum == Integer.MIN_VALUE) {
                System.out.println(lines.peek());
            }
        }
    }

    public static void main(String[] args) {
        System.out.println("READY");
        new CallerInLog().serve();
    }
}
