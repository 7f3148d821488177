/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void wick_doctor_add(struct wick_doctor *d, enum wick_doctor_level level, const char *name, const char *fix,
                     const char *what, ...)
{
    struct wick_doctor_finding *bigger = realloc(d->list, (d->count + 1) * sizeof *bigger);
    if (!bigger)
        return;
    d->list = bigger;
    struct wick_doctor_finding *f = &d->list[d->count++];
    f->level = level;
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->fix, sizeof f->fix, "%s", fix ? fix : "");
    va_list ap;
    va_start(ap, what);
    vsnprintf(f->what, sizeof f->what, what, ap);
    va_end(ap);
}

void wick_doctor_clear(struct wick_doctor *d)
{
    free(d->list);
    *d = (struct wick_doctor){0};
}
