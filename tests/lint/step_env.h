/* SPDX-License-Identifier: Apache-2.0 */
/* What an includer of the stepping code defines (unwind/step.h): for the check that each of its headers compiles. */
#ifndef WICK_TESTS_LINT_STEP_ENV_H
#define WICK_TESTS_LINT_STEP_ENV_H

#include "unwind/step.h"

struct wick_step_env;
struct wick_step_scratch *step_scratch(struct wick_step_env *env);
int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n);
int step_read_stack(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n);
int step_native_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule);
int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start);
int step_blob_find(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc, struct wick_step_blob *blob);
int step_method_find(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t method, uint64_t *cm,
                     uint32_t *code_size);

#endif
