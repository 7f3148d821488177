// SPDX-License-Identifier: Apache-2.0
// cause: an importer of events interns every value, most of which never occur again
// expect: hot-calls frame=InternedKeys.value | hot-method frame=InternedKeys.value | hot-method caller=InternedKeys.value | hot-code frame=InternedKeys.value
// symptom: hot-calls hot-method hot-code gc-cpu allocation-stall
// jdk: 25
// jvm: -Xmx384m -XX:+UseZGC
// set: fourth
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

public final class InternedKeys {
    private static final int RECENT = 2000;
    private static volatile int imported;

    private final Deque<Map<String, String>> recent = new ArrayDeque<>();

    private static String event(int number) {
        return "session=" + number / 5 + ";request=" + number + ";path=/item/" + number % 50_000 + ";status=200";
    }

    private static String value(String text, int from, int to) {
        return text.substring(from, to).intern();
    }

    private static Map<String, String> parse(String event) {
        Map<String, String> fields = new HashMap<>();
        for (int at = 0; at < event.length();) {
            int equals = event.indexOf('=', at);
            int end = event.indexOf(';', equals);
            end = end < 0 ? event.length() : end;
            fields.put(value(event, at, equals), value(event, equals + 1, end));
            at = end + 1;
        }
        return fields;
    }

    private void add(Map<String, String> fields) {
        recent.addLast(fields);
        if (recent.size() > RECENT) {
            recent.removeFirst();
        }
        imported++;
    }

    public static void main(String[] args) {
        InternedKeys importer = new InternedKeys();
        System.out.println("READY");
        for (int i = 0;; i = (i + 1) & 0xfffffff) {
            importer.add(parse(event(i)));
        }
    }
}
