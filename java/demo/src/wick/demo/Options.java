/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Command-line options of the form {@code --name value}. All of them have a value by default, which says what exists.
 */
final class Options {
    private final String program;
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * @param program the name for messages
     * @param namesAndDefaults name, default, name, default...
     */
    Options(String program, String... namesAndDefaults) {
        this.program = program;
        for (int i = 0; i < namesAndDefaults.length; i += 2) {
            values.put(namesAndDefaults[i], namesAndDefaults[i + 1]);
        }
    }

    /** Takes over what the user gave; ends the program with a message and status 2 if that is wrong. */
    Options parse(String[] args) {
        for (int i = 0; i < args.length; i += 2) {
            String name = args[i].startsWith("--") ? args[i].substring(2) : "";
            if (!values.containsKey(name)) {
                throw usage("there is no option " + args[i] + "; options: " + values);
            }
            if (i + 1 == args.length) {
                throw usage(args[i] + " needs a value");
            }
            values.put(name, args[i + 1]);
        }
        return this;
    }

    String text(String name) {
        return values.get(name);
    }

    /** The value as a whole number that is not negative. */
    int number(String name) {
        try {
            return Integer.parseUnsignedInt(values.get(name));
        } catch (NumberFormatException e) {
            throw usage("--" + name + " takes a whole number, not " + values.get(name));
        }
    }

    /** Prints the message and exits; the return value only lets callers write {@code throw usage(...)}. */
    RuntimeException usage(String message) {
        System.err.println(program + ": " + message);
        System.exit(2);
        return new IllegalArgumentException(message);
    }
}
