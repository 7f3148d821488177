/* SPDX-License-Identifier: Apache-2.0 */
#include "record/wait_state.h"

#include <string.h>

#include "jfr/writer/writer.h"

unsigned wick_wait_native(const char *symbol)
{
    static const struct {
        const char *text;
        unsigned state;
    } rules[] = {
#define JAVA(...)
#define NATIVE(text, STATE) {text, WICK_JFR_STATE_##STATE},
#include "def/wait.def"
#undef JAVA
#undef NATIVE
    };
    for (size_t i = 0; symbol && i < sizeof rules / sizeof *rules; i++)
        if (strstr(symbol, rules[i].text))
            return rules[i].state;
    return 0;
}

unsigned wick_wait_java(const char *class_name, const char *method)
{
    static const struct {
        const char *class_name, *method;
        unsigned state;
    } rules[] = {
#define JAVA(class_name, method, STATE) {class_name, method, WICK_JFR_STATE_##STATE},
#define NATIVE(...)
#include "def/wait.def"
#undef JAVA
#undef NATIVE
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(class_name, rules[i].class_name) && !strncmp(method, rules[i].method, strlen(rules[i].method)))
            return rules[i].state;
    return 0;
}
