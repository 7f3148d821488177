/* SPDX-License-Identifier: Apache-2.0 */
package io.opentelemetry.context;

public interface Context {
    static Context current() {
        return ContextStorage.get().current();
    }

    default Scope makeCurrent() {
        return ContextStorage.get().attach(this);
    }
}
