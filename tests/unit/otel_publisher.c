/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that publishes thread contexts (OTEP 4947), for test_foreign.c and test_tls_descriptor.c; built for
 * each way to its variable.
 */
void **wick_test_publisher_slot(void);

extern __thread void *otel_thread_ctx_v1;
__thread void *otel_thread_ctx_v1 __attribute__((tls_model(TLS_MODEL)));

#ifdef MUCH /* more than the loader has room for in the memory that threads are made with */
extern __thread char wick_test_publisher_much[MUCH];
__thread char wick_test_publisher_much[MUCH];
#endif

void **wick_test_publisher_slot(void)
{
    return &otel_thread_ctx_v1;
}
