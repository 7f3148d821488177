/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/explain/explain_code_kind.h"

#include <string.h>

#include "base/sum.h"
#include "model/name.h"

#define NESTED_LEAST  6    /* repetitions within a repetition on one stack */
#define OWN_MOST      8    /* frames of the program that logging has called */
#define BETWEEN_MOST  8    /* frames of a file, and of what its data pass, below a stream of fields */
#define WRAPPED_LEAST 12   /* calls of a wrapper by one of its class, on one stack */
#define BIG_LEAST     0.50 /* of arithmetic with BigDecimals: of those that are no longs */
#define DEFINES_LEAST 0.03 /* of what loading classes costs: defining them */
/* Of what a kind of work costs, a more particular one: compiling for XML, or making factories for it, digits ... */
#define PARTICULAR_LEAST 0.30

const struct wick_explain_code_text wick_explain_codes[WICK_CODES] = {
    [WICK_CODE_OTHER] = {"other", "other code", NULL},
#define CODE(NAME, name, text, advice) [WICK_CODE_##NAME] = {name, text, advice},
#include "def/code_kind.def"
};

static enum wick_explain_code code_of(const char *class_name, const char *method)
{
    static const struct {
        const char *class_name, *method;
        enum wick_explain_code code;
    } uses[] = {
#define USES(class, method, NAME) {class, method, WICK_CODE_##NAME},
#include "def/code_kind.def"
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!strncmp(class_name, uses[i].class_name, strlen(uses[i].class_name)) &&
            (uses[i].code == WICK_CODE_SEARCHING ? !strcmp(method, uses[i].method)
                                                 : !strncmp(method, uses[i].method, strlen(uses[i].method))))
            return uses[i].code;
    return WICK_CODE_OTHER;
}

static enum wick_explain_code code_of_stub(const char *name)
{
    static const struct {
        const char *text;
        enum wick_explain_code code;
    } stubs[] = {
#define STUB(text, NAME) {text, WICK_CODE_##NAME},
#include "def/code_kind.def"
    };
    for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
        if (strstr(name, stubs[i].text))
            return stubs[i].code;
    return WICK_CODE_OTHER;
}

static const char *class_at(const struct wick_profile *p, uint32_t stack)
{
    return wick_profile_str(p, p->functions[wick_explain_function_at(p, stack)].class_name);
}

static const char *method_at(const struct wick_profile *p, uint32_t stack)
{
    return wick_profile_str(p, p->functions[wick_explain_function_at(p, stack)].name);
}

static bool is_any_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Turns of a group of a regular expression that has a repetition in it, on the way from the leaf. Each is a call of the
 * group's loop, by what follows the repetition. */
struct turns {
    unsigned n;
    bool inner; /* a repetition, and no loop since */
};

static void count_turn(const char *class_name, struct turns *t)
{
    static const char pattern[] = "java/util/regex/Pattern$";
    static const char *const loops[] = {"Loop", "LazyLoop"}, *const inner[] = {"Curly", "GroupCurly",
                                                                               "CharPropertyGreedy",
                                                                               "BmpCharPropertyGreedy"};
    if (strncmp(class_name, pattern, strlen(pattern)) != 0)
        return;
    const char *node = class_name + strlen(pattern);
    bool loop = is_any_of(node, loops, sizeof loops / sizeof *loops);
    t->n += loop && t->inner;
    t->inner = !loop && (t->inner || is_any_of(node, inner, sizeof inner / sizeof *inner));
}

/* Whether that is a method of what wraps one object of its kind, and passes calls on. */
static bool is_wrapper(const char *class_name)
{
    static const char *const wrappers[] = {"java/util/Collections$", "java/util/ArrayList$SubList",
                                           "java/util/SubList",      "java/util/AbstractList$SubList",
                                           "java/util/function/",    "java/util/stream/Streams$Concat",
                                           "java/util/Comparator"};
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
        if (!strncmp(class_name, wrappers[i], strlen(wrappers[i])))
            return true;
    return false;
}

/* Counts calls of a wrapper's method by the same one of another, directly or by a lambda's. */
static void count_wrapper(const struct wick_profile *p, uint32_t stack, unsigned *wrapped)
{
    uint32_t caller = p->stacks[stack].parent, before = p->stacks[caller].parent,
             function = wick_explain_function_at(p, stack);
    bool again = (caller && wick_explain_function_at(p, caller) == function) ||
                 (before && wick_explain_function_at(p, before) == function);
    *wrapped += again && is_wrapper(class_at(p, stack));
}

/* Whether it is the equals() of an element that a collection is searched for: a part of the search. */
static bool is_of_search(const struct wick_profile *p, uint32_t stack)
{
    uint32_t caller = p->stacks[stack].parent;
    return caller && !strcmp(method_at(p, stack), "equals") &&
           code_of(class_at(p, caller), method_at(p, caller)) == WICK_CODE_SEARCHING;
}

/* Whether a stream of fields (writeInt, readLong ...) calls that of a file, or one that expands data, directly or
 * through one that only reads what passes: a system call, or one of the compression library, each time. What compresses
 * data has work that a buffer does not save. */
static bool is_field_by_field(const struct wick_profile *p, uint32_t stack)
{
    static const char *const sources[] = {"java/io/FileInputStream",       "java/io/FileOutputStream",
                                          "sun/nio/ch/ChannelInputStream", "sun/nio/ch/ChannelOutputStream",
                                          "java/nio/channels/Channels$1",  "java/util/zip/InflaterInputStream",
                                          "java/util/zip/GZIPInputStream"},
                             *const passing[] = {"java/util/zip/CheckedInputStream",
                                                 "java/util/zip/CheckedOutputStream",
                                                 "java/security/DigestInputStream",
                                                 "java/security/DigestOutputStream",
                                                 "java/io/FilterInputStream",
                                                 "java/io/FilterOutputStream"},
                             *const fields[] = {"java/io/DataInputStream", "java/io/DataOutputStream"},
                             *const whole[] = {"read",     "write",     "flush", "close",    "readUTF",
                                               "writeUTF", "skipBytes", "skip",  "available"};
    uint32_t caller = p->stacks[stack].parent;
    if (!is_any_of(class_at(p, stack), sources, sizeof sources / sizeof *sources))
        return false;
    for (unsigned n = 0; n < BETWEEN_MOST && caller &&
                         (is_any_of(class_at(p, caller), sources, sizeof sources / sizeof *sources) ||
                          is_any_of(class_at(p, caller), passing, sizeof passing / sizeof *passing));
         n++)
        caller = p->stacks[caller].parent;
    if (!caller || !is_any_of(class_at(p, caller), fields, 2))
        return false;
    if (!strcmp(method_at(p, caller), "readFully")) /* of eight bytes, or of an array of the program's */
        caller = p->stacks[caller].parent;
    return caller && is_any_of(class_at(p, caller), fields, 2) &&
           !is_any_of(method_at(p, caller), whole, sizeof whole / sizeof *whole);
}

/* Whether logging calls it, or what calls it: a formatter, a filter, what makes the text of a message. That is logging
 * for who logs, but for what it computes itself, or has logging do, such as search the stack for who logs. */
static bool is_of_logging(const struct wick_profile *p, uint32_t stack)
{
    uint32_t caller = p->stacks[stack].parent;
    for (unsigned n = 0; n < OWN_MOST && caller && !wick_name_is_jdk(class_at(p, caller)) &&
                         code_of(class_at(p, caller), method_at(p, caller)) == WICK_CODE_OTHER;
         n++)
        caller = p->stacks[caller].parent;
    return caller && code_of(class_at(p, caller), method_at(p, caller)) == WICK_CODE_LOGGING;
}

uint32_t wick_explain_user_of(const struct wick_profile *p, uint32_t stack, enum wick_explain_code *code)
{
    struct turns turns = {0};
    unsigned wrapped = 0;
    enum wick_explain_code own_code = WICK_CODE_OTHER;
    uint32_t own = 0; /* what logging calls, if nobody is seen to log */
    *code = WICK_CODE_OTHER;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const char *class_name = class_at(p, s), *name = method_at(p, s);
        bool java = wick_frame_kind_is_java(p->frames[p->stacks[s].frame].kind);
        enum wick_explain_code one = java ? code_of(class_name, name) : code_of_stub(name);
        bool program = java && one == WICK_CODE_OTHER && !wick_name_is_jdk(class_name) && !is_of_search(p, s);
        if (program && (s == stack || *code == WICK_CODE_LOGGING || !is_of_logging(p, s)))
            return s;
        if (program && !own) {
            own = s;
            own_code = *code;
        }
        *code = java && is_field_by_field(p, s) ? WICK_CODE_FIELDWISE : one != WICK_CODE_OTHER ? one : *code;
        count_turn(class_name, &turns);
        count_wrapper(p, s, &wrapped);
        if (wrapped >= WRAPPED_LEAST)
            *code = WICK_CODE_WRAPPED;
        if (*code == WICK_CODE_REGEX && turns.n >= NESTED_LEAST)
            *code = WICK_CODE_NESTED;
    }
    *code = own ? own_code : *code;
    return own;
}

/* Whether a class is made on the way from the leaf to the program's function. */
static bool defines(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    static const char *const makers[] = {"define", "newProxyInstance", "metafactory", "linkCallSite",
                                         "resolve_from_stream"};
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent)
        for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
            if (strstr(method_at(p, s), makers[i]))
                return true;
    return false;
}

/* Whether a factory for XML is made, or a script compiled, on the way from the leaf to the program's function. */
static bool makes_factory(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    static const char *const makers[] = {"newInstance", "newFactory", "newDefaultInstance", "newNSInstance"};
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent) {
        const char *class_name = class_at(p, s);
        bool xml = !strncmp(class_name, "javax/xml/", 10) || !strncmp(class_name, "jakarta/xml/", 12);
        if (xml && is_any_of(method_at(p, s), makers, sizeof makers / sizeof *makers))
            return true;
        if (strstr(class_name, "/nashorn/") && !strncmp(method_at(p, s), "compile", strlen("compile")))
            return true;
    }
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), len = strlen(end);
    return n >= len && !strcmp(name + n - len, end);
}

/* Whether a stylesheet, a schema or an XPath expression is compiled on that way; evaluating a text does as well. */
static bool compiles_xml(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    static const struct {
        const char *class_end, *method;
    } compilers[] = {{"TransformerFactoryImpl", "newTemplates"},
                     {"TransformerFactory", "newTemplates"},
                     {"SchemaFactory", "newSchema"},
                     {"/XPath", "<init>"},
                     {"/XsltCompiler", "compile"},
                     {"/XPathCompiler", "compile"}};
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent)
        for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
            if (ends_with(class_at(p, s), compilers[i].class_end) && !strcmp(method_at(p, s), compilers[i].method))
                return true;
    return false;
}

static bool compiles_pattern(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent)
        if (!strcmp(class_at(p, s), "java/util/regex/Pattern") &&
            (!strcmp(method_at(p, s), "compile") || !strcmp(method_at(p, s), "<init>")))
            return true;
    return false;
}

/* Whether that work on a BigDecimal is of a kind that the JDK does with numbers of hundreds of digits only: powers of
 * ten beyond its table of them, and algorithms for long factors. */
static bool has_many_digits(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    static const char *const algorithms[] = {"Karatsuba", "ToomCook", "BurnikelZiegler"};
    bool many = false, decimal = false;
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent) {
        const char *name = method_at(p, s);
        uint32_t caller = p->stacks[s].parent;
        many |= !strcmp(name, "pow") && caller && !strcmp(method_at(p, caller), "bigTenToThe");
        for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
            many |= strstr(name, algorithms[i]) != NULL;
        decimal |= !strcmp(class_at(p, s), "java/math/BigDecimal");
    }
    return many && decimal;
}

/* Whether the caller of a logger is searched for on the stack. */
static bool finds_caller(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    static const struct {
        const char *class_name, *method;
    } finders[] = {{"java/util/logging/LogRecord", "inferCaller"},   {"java/util/logging/LogRecord", "getSource"},
                   {"java/util/logging/LogRecord$CallerFinder", ""}, {"ch/qos/logback/classic/spi/CallerData", ""},
                   {"org/apache/logging/log4j/", "calcLocation"},    {"org/apache/log4j/spi/LocationInfo", ""}};
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent)
        for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
            if (!strncmp(class_at(p, s), finders[i].class_name, strlen(finders[i].class_name)) &&
                !strncmp(method_at(p, s), finders[i].method, strlen(finders[i].method)))
                return true;
    return false;
}

/* Whether classes are described to a reader of objects, or by it found by such a description. */
static bool describes_classes(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    static const char *const methods[] = {"readClassDesc", "readNonProxyDesc", "writeClassDesc", "writeNonProxyDesc"};
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent)
        if (!strncmp(class_at(p, s), "java/io/Object", strlen("java/io/Object")) &&
            is_any_of(method_at(p, s), methods, sizeof methods / sizeof *methods))
            return true;
    return false;
}

/* What hands a comparison over: a comparator that the JDK makes of a function, and the class of a lambda. */
static bool is_comparator(const struct wick_profile *p, uint32_t stack)
{
    static const char prefix[] = "java/util/Comparator"; /* and Comparators */
    const char *class_name = class_at(p, stack);
    return !strncmp(class_name, prefix, strlen(prefix)) || !strcmp(method_at(p, stack), "compare");
}

/* Methods whose calls cost next to nothing: of values and collections, but for what reads or makes text. */
static bool is_cheap(const struct wick_profile *p, uint32_t stack)
{
    static const char *const cheap[] = {"java/lang/", "java/util/", "java/math/", "jdk/internal/", "sun/misc/Unsafe"},
                             *const not_cheap[] = {"java/util/regex/",    "java/util/Formatter", "java/util/Scanner",
                                                   "java/util/Calendar",  "java/util/zip/",      "java/util/jar/",
                                                   "java/util/Gregorian", "java/util/Base64"};
    const char *class_name = class_at(p, stack);
    for (size_t i = 0; i < sizeof not_cheap / sizeof *not_cheap; i++)
        if (!strncmp(class_name, not_cheap[i], strlen(not_cheap[i])))
            return false;
    for (size_t i = 0; i < sizeof cheap / sizeof *cheap; i++)
        if (!strncmp(class_name, cheap[i], strlen(cheap[i])))
            return true;
    return strstr(class_name, "$$Lambda") || !strncmp(method_at(p, stack), "lambda$", strlen("lambda$"));
}

bool wick_explain_is_sort(const struct wick_profile *p, uint32_t stack)
{
    return code_of(class_at(p, stack), method_at(p, stack)) == WICK_CODE_SORTING;
}

uint32_t wick_explain_compared_by(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    uint32_t calls = 0;
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent) {
        if (!wick_frame_kind_is_java(p->frames[p->stacks[s].frame].kind))
            continue;
        if (calls && is_comparator(p, s))
            return calls;
        if (!strcmp(method_at(p, s), "compareTo") || wick_explain_is_sort(p, s))
            calls = 0;
        else if (!is_cheap(p, s) && !is_comparator(p, s))
            calls = s;
    }
    return 0;
}

static bool compares_costly(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    return wick_explain_compared_by(p, stack, user) != 0;
}

/* A kind of work that a part of it shows to be another, more particular one. */
static const struct {
    enum wick_explain_code all, particular;
    bool (*shows)(const struct wick_profile *p, uint32_t stack, uint32_t user);
    double least; /* of that work; 0 = PARTICULAR_LEAST */
} particulars[] = {{WICK_CODE_XML, WICK_CODE_COMPILED_XML, compiles_xml},
                   {WICK_CODE_XML, WICK_CODE_FACTORIES, makes_factory},
                   {WICK_CODE_SCRIPTS, WICK_CODE_FACTORIES, makes_factory},
                   {WICK_CODE_REGEX, WICK_CODE_PATTERNS, compiles_pattern, 0.50},
                   {WICK_CODE_BIG_NUMBERS, WICK_CODE_MANY_DIGITS, has_many_digits},
                   {WICK_CODE_LOGGING, WICK_CODE_LOGGED_CALLERS, finds_caller},
                   {WICK_CODE_SERIALISATION, WICK_CODE_CLASS_DESCRIPTORS, describes_classes},
                   {WICK_CODE_SORTING, WICK_CODE_COMPARED, compares_costly}};

bool wick_explain_is_particular(const struct wick_profile *p, enum wick_explain_code particular, uint32_t stack,
                                uint32_t user)
{
    bool any = false, shown = false;
    for (size_t i = 0; i < sizeof particulars / sizeof *particulars; i++)
        if (particulars[i].particular == particular) {
            any = true;
            shown |= particulars[i].shows(p, stack, user);
        }
    return !any || shown;
}

/* Of the work of that kind, in calls by that function (0 = any), the share that a test is true of. */
static double share_of(const struct wick_explain_facts *f, uint32_t function, enum wick_explain_code code,
                       bool (*shows)(const struct wick_profile *p, uint32_t stack, uint32_t user))
{
    int64_t all = 0, part = 0;
    for (size_t i = 0; i < f->ncpu; i++) {
        enum wick_explain_code one;
        uint32_t stack = f->cpu[i].stack, user = wick_explain_user_of(f->p, stack, &one);
        if (!user || one != code || (function && wick_explain_function_at(f->p, user) != function))
            continue;
        all = wick_sum(all, f->cpu[i].weight_ns);
        part = wick_sum(part, shows(f->p, stack, user) ? f->cpu[i].weight_ns : 0);
    }
    return wick_explain_share((double)part, (double)all);
}

/* A BigDecimal of 18 digits or less is a long. */
static bool has_big_integers(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    bool decimal = false, big = false;
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent) {
        decimal |= !strcmp(class_at(p, s), "java/math/BigDecimal");
        big |= !strcmp(class_at(p, s), "java/math/BigInteger");
    }
    return decimal && big;
}

enum wick_explain_code wick_explain_code_of_all(const struct wick_explain_facts *f, uint32_t function,
                                                enum wick_explain_code code)
{
    if (code == WICK_CODE_CLASS_LOADING)
        return share_of(f, function, code, defines) < DEFINES_LEAST ? WICK_CODE_CLASS_LOOKUP : code;
    enum wick_explain_code most = code;
    double share = 0;
    for (size_t i = 0; i < sizeof particulars / sizeof *particulars; i++) {
        double one = particulars[i].all == code ? share_of(f, function, code, particulars[i].shows) : 0;
        if (one >= share && one >= (particulars[i].least > 0 ? particulars[i].least : PARTICULAR_LEAST)) {
            most = particulars[i].particular;
            share = one;
        }
    }
    return most;
}

bool wick_explain_is_needless(enum wick_explain_code code)
{
    switch (code) {
    case WICK_CODE_CLASS_DESCRIPTORS:
    case WICK_CODE_CLASS_LOOKUP:
    case WICK_CODE_COLLISIONS:
    case WICK_CODE_COMPARED:
    case WICK_CODE_COMPILED_XML:
    case WICK_CODE_EXCEPTIONS:
    case WICK_CODE_FACTORIES:
    case WICK_CODE_FIELDWISE:
    case WICK_CODE_LOGGED_CALLERS:
    case WICK_CODE_MANY_DIGITS:
    case WICK_CODE_NESTED:
    case WICK_CODE_PATTERNS:
    case WICK_CODE_POLLING:
    case WICK_CODE_SEARCHING:
    case WICK_CODE_WRAPPED:
        return true;
    default:
        return false;
    }
}

bool wick_explain_has_part(const struct wick_explain_facts *f, uint32_t function, enum wick_explain_code code,
                           enum wick_explain_code particular, bool *shown)
{
    *shown = wick_explain_code_of_all(f, function, code) == particular;
    return *shown ||
           (particular == WICK_CODE_MANY_DIGITS && share_of(f, function, code, has_big_integers) >= BIG_LEAST);
}
