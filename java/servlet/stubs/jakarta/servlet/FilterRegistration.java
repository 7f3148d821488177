/* SPDX-License-Identifier: Apache-2.0 */
package jakarta.servlet;

import java.util.EnumSet;

public interface FilterRegistration extends Registration {
    interface Dynamic extends FilterRegistration, Registration.Dynamic {}

    void addMappingForUrlPatterns(EnumSet<DispatcherType> types, boolean after, String... patterns);
}
