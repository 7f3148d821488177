/* SPDX-License-Identifier: Apache-2.0 */
package jakarta.servlet;

import java.util.Set;

public interface ServletContainerInitializer {
    void onStartup(Set<Class<?>> classes, ServletContext context) throws ServletException;
}
