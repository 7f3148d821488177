/* SPDX-License-Identifier: Apache-2.0 */
package jakarta.servlet;

@SuppressWarnings("serial")
public class ServletException extends Exception {}
