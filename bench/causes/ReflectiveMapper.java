// SPDX-License-Identifier: Apache-2.0
// cause: a mapper of beans to rows looks up the getters of a class for every bean
// expect: hot-code kind=reflection frame=ReflectiveMapper.row
// symptom: hot-method hot-calls hot-code
// jdk: 17
// jvm: -Xmx256m
// set: fourth
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public final class ReflectiveMapper {
    private static volatile int mapped;

    public static class Entity {
        private final long id;

        Entity(long id) {
            this.id = id;
        }

        public long getId() {
            return id;
        }

        public long getVersion() {
            return id % 5;
        }
    }

    public static final class Customer extends Entity {
        Customer(long id) {
            super(id);
        }

        public String getName() {
            return "customer";
        }

        public String getCity() {
            return "city";
        }

        public int getAge() {
            return (int) (getId() % 90);
        }

        public boolean getActive() {
            return getId() % 2 == 0;
        }
    }

    private static Map<String, Object> row(Object bean) throws ReflectiveOperationException {
        Map<String, Object> row = new TreeMap<>();
        for (Method method : bean.getClass().getMethods()) {
            if (method.getName().startsWith("get") && method.getParameterCount() == 0) {
                row.put(method.getName().substring(3), method.invoke(bean));
            }
        }
        return row;
    }

    private static int write(List<Map<String, Object>> rows) {
        StringBuilder out = new StringBuilder();
        for (Map<String, Object> row : rows) {
            for (Object value : row.values()) {
                out.append(value instanceof Class ? "" : value).append(',');
            }
        }
        return out.length();
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        System.out.println("READY");
        for (long id = 0;;) {
            List<Map<String, Object>> rows = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                rows.add(row(new Customer(id++)));
            }
            mapped += write(rows);
        }
    }
}
