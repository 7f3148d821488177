/* SPDX-License-Identifier: Apache-2.0 */
package jakarta.servlet;

public interface Registration {
    interface Dynamic extends Registration {
        void setAsyncSupported(boolean supported);
    }
}
