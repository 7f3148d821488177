/* SPDX-License-Identifier: Apache-2.0 */
package jakarta.servlet;

public enum DispatcherType { FORWARD, INCLUDE, REQUEST, ASYNC, ERROR }
