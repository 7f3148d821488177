// SPDX-License-Identifier: Apache-2.0
// cause: two roles inherit from each other, so a check of rights recurses until the stack overflows, which is caught: Roles.grants
// expect: hot-code frame=CycleByOverflow | hot-method frame=CycleByOverflow | hot-method caller=CycleByOverflow | hot-calls frame=CycleByOverflow | endpoint-cpu frame=CycleByOverflow | saturated-thread frame=CycleByOverflow
// judge: right is what says that CPU time goes to CycleByOverflow$Roles.grants (or CycleByOverflow.open, its caller), or to the exceptions (StackOverflowError) thrown there
// jdk: 17
// set: twelfth
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import wick.Scope;
import wick.Wick;

public final class CycleByOverflow {
    private static volatile int opened;

    private static final class Roles {
        private final Map<String, List<String>> parents = new HashMap<>();
        private final Map<String, String> rights = new HashMap<>();

        private Roles() {
            for (int i = 1; i < 200; i++) {
                inherit("role-" + i, "role-" + i / 2);
                rights.put("role-" + i, "right-" + i);
            }
            inherit("role-0", "role-5"); // someone's ticket of last Friday
        }

        private void inherit(String role, String parent) {
            parents.computeIfAbsent(role, r -> new ArrayList<>()).add(parent);
        }

        private boolean grants(String role, String right) {
            if (right.equals(rights.get(role))) {
                return true;
            }
            for (String parent : parents.getOrDefault(role, List.of())) {
                if (grants(parent, right)) {
                    return true;
                }
            }
            return false;
        }
    }

    private final Roles roles = new Roles();

    private boolean open(int user, String right) {
        try {
            return roles.grants("role-" + user, right);
        } catch (StackOverflowError e) {
            return false;
        }
    }

    private void client(int first) {
        try {
            for (int n = first;; n++) {
                try (Scope request = Wick.span("GET /documents")) {
                    for (int right = 0; right < 12; right++) {
                        opened += open(1 + n % 199, "right-" + (n * 7 + right * 31) % 200) ? 1 : 0;
                    }
                }
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        CycleByOverflow archive = new CycleByOverflow();
        for (int i = 0; i < 3; i++) {
            int first = i * 50;
            new Thread(() -> archive.client(first), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
