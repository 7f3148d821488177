/* SPDX-License-Identifier: Apache-2.0 */
package wick.servlet;

import java.util.EnumSet;
import java.util.Set;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;

/** Called by the servlet container for each application that can see wick.jar: puts the filter in front of it. */
public final class JakartaStart implements ServletContainerInitializer {
    @Override
    public void onStartup(Set<Class<?>> classes, ServletContext context) {
        FilterRegistration.Dynamic filter = Requests.isWanted() ? context.addFilter("wick", new JakartaFilter()) : null;
        if (filter != null) { // null: the application has a filter of this name
            filter.setAsyncSupported(true);
            filter.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
        }
    }
}
