/* SPDX-License-Identifier: Apache-2.0 */
package io.opentelemetry.sdk.autoconfigure.spi;

public interface AutoConfigurationCustomizer {
}
