/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.util.Map;
import java.util.TreeMap;

/**
 * An immutable set of labels with a number that the agent knows. Equal sets are one object, and each set remembers to which
 * set a label leads from it, so that a change of labels that was made before is one array access.
 */
final class LabelSet {
    static final int MAX_LABELS = 16;
    private static final int STEPS = 64; // a power of two
    private static final int ENDPOINTS = 64; // a power of two
    private static final int WAYS = 4;   // places where a step may be
    private static final String OVERFLOW = "[overflow]";

    private static final class Step {
        final String key;
        final String value;
        final LabelSet to;

        Step(String key, String value, LabelSet to) {
            this.key = key;
            this.value = value;
            this.to = to;
        }
    }

    final int number; // the agent's
    final int place;  // in the connection
    private final TreeMap<String, String> labels;
    private Step[] steps; // races lose a step, which is found again
    private Attributes[] published; // by endpoint; the same

    LabelSet(int number, int place, TreeMap<String, String> labels) {
        this.number = number;
        this.place = place;
        this.labels = labels;
    }

    /** This set with one label put, replaced, or (value null or empty) taken out. */
    LabelSet with(Connection connection, String key, String value) {
        Step[] known = steps;
        if (known != null && value != null) {
            int home = home(key, value);
            for (int i = 0; i < WAYS; i++) {
                Step step = known[home + i & STEPS - 1];
                if (step != null && step.value.equals(value) && step.key.equals(key)) {
                    return step.to;
                }
            }
        }
        return find(connection, key, value == null ? "" : value);
    }

    private static int home(String key, String value) {
        int h = (key.hashCode() * 31 + value.hashCode()) * 0x9e3779b9;
        return h >>> 26;
    }

    private void remember(Step step) {
        Step[] known = steps;
        if (known == null) {
            steps = known = new Step[STEPS];
        }
        int at = home(step.key, step.value);
        for (int i = 1; i < WAYS && known[at & STEPS - 1] != null; i++) {
            at++;
        }
        known[at & STEPS - 1] = step;
    }

    /** These labels and an endpoint as published records have them. */
    Attributes attributes(Connection connection, int endpoint) {
        Attributes[] known = published;
        if (known == null) {
            published = known = new Attributes[ENDPOINTS];
        }
        Attributes found = known[endpoint & ENDPOINTS - 1];
        if (found == null || found.endpoint != endpoint) {
            known[endpoint & ENDPOINTS - 1] = found = new Attributes(connection, endpoint, labels);
        }
        return found;
    }

    private LabelSet find(Connection connection, String key, String value) {
        TreeMap<String, String> changed = new TreeMap<>(labels);
        if (value.isEmpty()) {
            changed.remove(Text.cutKey(key));
        } else if (changed.size() >= MAX_LABELS && !changed.containsKey(Text.cutKey(key))) {
            changed.put(OVERFLOW, "1"); // the recording shows that something is missing
        } else {
            changed.put(Text.cutKey(key), Text.cut(value));
        }
        LabelSet to = connection.labelSet(changed);
        remember(new Step(key, value, to));
        return to;
    }

    /** The text that recordings hold: key=value,key=value with a backslash before any of {@code \ , =} in them. */
    static String text(Map<String, String> labels) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> label : labels.entrySet()) {
            if (text.length() > 0) {
                text.append(',');
            }
            Text.escape(text, label.getKey());
            text.append('=');
            Text.escape(text, label.getValue());
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return text(labels);
    }
}
