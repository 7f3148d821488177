// SPDX-License-Identifier: Apache-2.0
// cause: keys of a map have the same hash code and no order, so each lookup compares hundreds of them
// expect: hot-code kind=colliding-keys frame=CollidingKeys.lookUp
// symptom: hot-code hot-method hot-calls
// jdk: 21
// set: second
import java.util.HashMap;
import java.util.Map;

public final class CollidingKeys {
    private final int x, y;

    private CollidingKeys(int x, int y) {
        this.x = x;
        this.y = y;
    }

    @Override public int hashCode() {
        return 7;
    }

    @Override public boolean equals(Object o) {
        return o instanceof CollidingKeys && ((CollidingKeys) o).x == x && ((CollidingKeys) o).y == y;
    }

    private static int lookUp(Map<CollidingKeys, Integer> map, int n) {
        Integer v = map.get(new CollidingKeys(n, n));
        return v == null ? 0 : v;
    }

    public static void main(String[] args) {
        Map<CollidingKeys, Integer> map = new HashMap<>();
        for (int i = 0; i < 600; i++) {
            map.put(new CollidingKeys(i, i), i);
        }
        System.out.println("READY");
        long sum = 0;
        for (int n = 0;; n++) {
            sum += lookUp(map, n % 700);
            if (sum == -1) {
                System.out.println(sum);
            }
        }
    }
}
