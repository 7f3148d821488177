/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.c - names for people
 *
 * Signatures (JVM specification 4.3.3) are turned into Java spelling without spaces, because collapsed stacks separate
 * frames by ';' and the raw form is full of them. The return type follows the parenthesis: methods that differ in
 * nothing else exist (bridges). A signature that does not parse is shown as it is.
 */
#include "model/name.h"

#include <inttypes.h>
#include <string.h>

#include "codec/stack_line.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True for a '/' that separates packages: no package or class name starts with a digit, a serial number does. */
static bool separates(const char *slash)
{
    return *slash == '/' && !is_digit(slash[1]);
}

static void add_class(struct wick_strbuf *out, const char *s, size_t len, unsigned flags)
{
    size_t from = 0;
    if (flags & WICK_NAME_SIMPLE)
        for (size_t i = 0; i + 1 < len; i++)
            if (separates(s + i) || (s[i] == '.' && !is_digit(s[i + 1])))
                from = i + 1;
    for (size_t i = from; i < len; i++)
        wick_strbuf_addc(out, i + 1 < len && separates(s + i) ? '.' : s[i]);
}

static const char *primitive(char c)
{
    switch (c) {
    case 'B':
        return "byte";
    case 'C':
        return "char";
    case 'D':
        return "double";
    case 'F':
        return "float";
    case 'I':
        return "int";
    case 'J':
        return "long";
    case 'S':
        return "short";
    case 'V':
        return "void";
    case 'Z':
        return "boolean";
    default:
        return NULL;
    }
}

/* One type descriptor; returns what follows it, NULL if it is malformed. */
static const char *add_type(struct wick_strbuf *out, const char *s, unsigned flags)
{
    unsigned dims = 0;
    for (; *s == '['; s++)
        dims++;
    if (*s == 'L') {
        const char *end = strchr(s, ';');
        if (!end || dims > 255)
            return NULL;
        add_class(out, s + 1, (size_t)(end - s - 1), flags);
        s = end + 1;
    } else {
        const char *name = primitive(*s);
        if (!name || dims > 255)
            return NULL;
        wick_strbuf_adds(out, name);
        s++;
    }
    while (dims--)
        wick_strbuf_adds(out, "[]");
    return s;
}

void wick_name_add_class(struct wick_strbuf *out, const char *internal, size_t len, unsigned flags)
{
    size_t mark = out->len;
    if (*internal == '[') { /* an array: a descriptor, not a name */
        const char *end = add_type(out, internal, flags);
        if (end == internal + len)
            return;
        wick_strbuf_cut(out, mark);
    }
    add_class(out, internal, len, flags);
}

static const struct wick_string *string_of(const struct wick_profile *p, uint32_t id)
{
    return &p->strings[id < p->nstrings ? id : 0];
}

static void add_string(struct wick_strbuf *out, const struct wick_string *s)
{
    wick_strbuf_add(out, s->s, s->len);
}

static void add_signature(struct wick_strbuf *out, const struct wick_string *sig, unsigned flags)
{
    size_t mark = out->len;
    const char *s = sig->s;
    if (*s++ != '(')
        goto raw;
    wick_strbuf_addc(out, '(');
    for (bool first = true; *s != ')'; first = false) {
        if (!first)
            wick_strbuf_addc(out, ',');
        s = add_type(out, s, flags);
        if (!s)
            goto raw;
    }
    wick_strbuf_addc(out, ')');
    s = add_type(out, s + 1, flags);
    if (s == sig->s + sig->len)
        return;
raw:
    wick_strbuf_cut(out, mark);
    add_string(out, sig);
}

/* A library by its path (instead of a symbol, where there is none) is shown without the folders. */
static void add_file_name(struct wick_strbuf *out, const struct wick_string *s)
{
    const char *slash = *s->s == '/' ? memrchr(s->s, '/', s->len) : NULL;
    size_t from = slash && slash + 1 < s->s + s->len ? (size_t)(slash + 1 - s->s) : 0;
    wick_strbuf_add(out, s->s + from, s->len - from);
}

/* --- what differs from run to run --- */

static size_t without_digits(const char *s, size_t len)
{
    while (len && is_digit(s[len - 1]))
        len--;
    return len;
}

/* How much of a class name is the same in every run: up to the serial number of a lambda, hidden class, proxy, accessor
 * or class made by CGLIB. */
static size_t normal_class(const char *s, size_t len)
{
    static const char *const numbered[] = {"$Proxy", "GeneratedMethodAccessor", "GeneratedConstructorAccessor",
                                           "GeneratedSerializationConstructorAccessor"};
    static const char *const cglib[] = {"$$EnhancerBy", "$$FastClassBy", "$$SpringCGLIB"};
    const char *at = memmem(s, len, "$$Lambda", 8);
    if (at)
        return (size_t)(at - s) + 8;
    for (size_t i = 0; i < sizeof cglib / sizeof *cglib; i++) {
        at = memmem(s, len, cglib[i], strlen(cglib[i]));
        const char *serial = at ? memmem(at + 2, len - (size_t)(at + 2 - s), "$$", 2) : NULL;
        if (serial)
            return (size_t)(serial - s);
    }
    for (size_t i = 0; i + 1 < len; i++)
        if (s[i] == '/' && is_digit(s[i + 1]))
            return i;
    size_t bare = without_digits(s, len);
    for (size_t i = 0; bare < len && i < sizeof numbered / sizeof *numbered; i++) {
        size_t n = strlen(numbered[i]);
        if (bare >= n && memcmp(s + bare - n, numbered[i], n) == 0)
            return bare;
    }
    return len;
}

/* "lambda$main$0" is the first lambda of main: the number moves when the source does. */
static size_t normal_method(const char *s, size_t len)
{
    size_t bare = without_digits(s, len);
    return len > 7 && memcmp(s, "lambda$", 7) == 0 && bare < len && bare > 8 && s[bare - 1] == '$' ? bare - 1 : len;
}

void wick_name_add_function_system(struct wick_strbuf *out, const struct wick_profile *p, uint32_t function,
                                   bool is_java)
{
    const struct wick_function *f = &p->functions[function];
    const struct wick_string *s = p->strings;
    if (is_java) {
        wick_strbuf_add(out, s[f->class_name].s, s[f->class_name].len);
        wick_strbuf_addc(out, '.');
    }
    wick_strbuf_add(out, s[f->name].s, s[f->name].len);
    if (is_java)
        wick_strbuf_add(out, s[f->signature].s, s[f->signature].len);
}

void wick_name_add_function(struct wick_strbuf *out, const struct wick_profile *p, uint32_t function, bool is_java,
                            unsigned flags)
{
    const struct wick_function *f = &p->functions[function < p->nfunctions ? function : 0];
    const struct wick_string *cls = string_of(p, f->class_name), *name = string_of(p, f->name);
    if (!cls->len && !name->len) {
        wick_strbuf_adds(out, "[unknown]");
    } else if (is_java) {
        bool normal = flags & WICK_NAME_NORMALISED;
        add_class(out, cls->s, normal ? normal_class(cls->s, cls->len) : cls->len, flags);
        if (cls->len && name->len)
            wick_strbuf_addc(out, '.');
        wick_strbuf_add(out, name->s, normal ? normal_method(name->s, name->len) : name->len);
        if (flags & WICK_NAME_SIGNATURES)
            add_signature(out, string_of(p, f->signature), flags);
    } else {
        bool offset = name->s[0] == '+' || strncmp(name->s, "0x", 2) == 0;
        if (!name->len || offset)
            add_file_name(out, cls);
        if (offset && cls->len && name->s[0] != '+')
            wick_strbuf_addc(out, '+');
        add_file_name(out, name);
    }
}

void wick_name_add_frame(struct wick_strbuf *out, const struct wick_profile *p, uint32_t frame, unsigned flags)
{
    const struct wick_frame *f = &p->frames[frame < p->nframes ? frame : 0];
    wick_name_add_function(out, p, f->function, wick_frame_kind_is_java(f->kind), flags);
    if ((flags & WICK_NAME_LINES) && f->line > 0)
        wick_strbuf_addf(out, ":%" PRId32, f->line);
    if (flags & WICK_NAME_ANNOTATE)
        wick_stack_line_add_kind(out, f->kind);
}

void wick_name_add_thread(struct wick_strbuf *out, const struct wick_profile *p, uint32_t thread)
{
    const struct wick_thread *t = &p->threads[thread < p->nthreads ? thread : 0];
    const struct wick_string *name = string_of(p, t->name);
    wick_strbuf_addc(out, '[');
    if (name->len)
        add_string(out, name);
    else
        wick_strbuf_adds(out, t->is_virtual ? "virtual" : "unknown");
    if (t->os_tid || t->java_tid)
        wick_strbuf_addf(out, " tid=%" PRId64, t->os_tid ? t->os_tid : t->java_tid);
    wick_strbuf_addc(out, ']');
}

bool wick_name_is_jdk(const char *class_name)
{
    static const char *const packages[] = {
        "java/", "javax/", "jdk/", "sun/", "com/sun/", "org/w3c/dom/", "org/xml/sax/",
        /* of other languages */
        "kotlin/", "kotlinx/coroutines/", "scala/collection/", "scala/concurrent/", "scala/runtime/", "scala/util/",
        "scala/math/", "scala/Function", "scala/Option", "scala/Predef", "scala/Array", "clojure/lang/", "clojure/core",
        "groovy/lang/", "org/codehaus/groovy/", "org/apache/groovy/"};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (*class_name == *packages[i] && !strncmp(class_name, packages[i], strlen(packages[i])))
            return true;
    return strstr(class_name, "$$Lambda"); /* of a reference to a method, which has a frame of its own */
}

bool wick_frame_is_unsampled(const struct wick_profile *p, uint32_t frame)
{
    return p->frames[frame].kind == WICK_FRAME_UNSAMPLED;
}
