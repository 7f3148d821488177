/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that publishes thread contexts (OTEP 4947), for test_foreign.c; built for either way to its variable.
 */
void **wick_test_publisher_slot(void);

extern __thread void *otel_thread_ctx_v1;
__thread void *otel_thread_ctx_v1 __attribute__((tls_model(TLS_MODEL)));

void **wick_test_publisher_slot(void)
{
    return &otel_thread_ctx_v1;
}
