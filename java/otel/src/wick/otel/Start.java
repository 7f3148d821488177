/* SPDX-License-Identifier: Apache-2.0 */
package wick.otel;

import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;

/** Called by OpenTelemetry's automatic configuration for each SDK that it makes. */
public final class Start implements AutoConfigurationCustomizerProvider {
    @Override
    public void customize(AutoConfigurationCustomizer autoConfiguration) {
        Bridge.install();
    }
}
