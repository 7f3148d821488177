/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/jvm/class_name.h"

#include <string.h>

void wick_agent_class_name(jvmtiEnv *jvmti, jclass class, char *out, size_t cap)
{
    char *signature = NULL;
    out[0] = 0;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
        return;
    size_t n = strlen(signature), skip = signature[0] == 'L' && n > 2;
    n -= 2 * skip;
    if (n >= cap)
        n = cap - 1;
    memcpy(out, signature + skip, n);
    out[n] = 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}
