/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of def/option.def becomes an array of descriptors: name, kind, range and the place of the field in struct
 * wick_opts. Everything else is a walk over that array: the defaults are texts read by the same code as the user's
 * values, so that "10ms" in the manual page and the number in the program cannot differ.
 *
 * Time and size are parsed by hand, in integers: strtod depends on the process's locale, and in the agent that is the
 * application's business.
 */
#include "opt/option.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/distance.h"

#define RECORD  WICK_CMD_RECORD
#define START   WICK_CMD_START
#define STOP    WICK_CMD_STOP
#define DUMP    WICK_CMD_DUMP
#define STATUS  WICK_CMD_STATUS
#define PS      WICK_CMD_PS
#define DOCTOR  WICK_CMD_DOCTOR
#define VERSION WICK_CMD_VERSION
#define CHANGE  WICK_CMD_CHANGE
#define MARK    WICK_CMD_MARK
#define EVENTS  (WICK_CMD_CHANGE | WICK_OPT_CHOOSES)

const struct wick_opt_desc wick_opt_table[WICK_OPT_TABLE_COUNT] = {
#define ROW(place, opt_kind, opt_name, opt_letter, opt_metavar, opt_words, opt_def, lo, hi, cmds, text)       \
    {                                                                                                         \
        .name = (opt_name), .metavar = (opt_metavar), .words = (opt_words), .def = (opt_def), .help = (text), \
        .min = (lo), .max = (hi), .where = (cmds), .kind = WICK_OPT_##opt_kind, .offset = (place),            \
        .letter = (opt_letter)                                                                                \
    }
#define X(field, kind, name, letter, metavar, words, def, lo, hi, cmds, text)                                          \
    ROW(offsetof(struct wick_opts, s.field), kind, name, letter, metavar, words, def, lo, hi, (cmds) | WICK_CMD_AGENT, \
        text),
#define C(field, kind, name, letter, metavar, words, def, lo, hi, cmds, text) \
    ROW(offsetof(struct wick_opts, field), kind, name, letter, metavar, words, def, lo, hi, cmds, text),
#include "def/option.def"
#undef X
#undef C
};

static const struct {
    const char *name;
    enum wick_opt_action action;
} actions[] = {
    {"start", WICK_ACTION_START},     {"stop", WICK_ACTION_STOP},           {"dump", WICK_ACTION_DUMP},
    {"status", WICK_ACTION_STATUS},   {"deadlocks", WICK_ACTION_DEADLOCKS}, {"version", WICK_ACTION_VERSION},
    {"virtual", WICK_ACTION_VIRTUAL}, {"retire", WICK_ACTION_RETIRE},       {"resume", WICK_ACTION_RESUME},
    {"change", WICK_ACTION_CHANGE},   {"mark", WICK_ACTION_MARK},           {"heap", WICK_ACTION_HEAP},
};

/* Digits with an optional fraction of up to nine places, as billionths: 1.5 -> 1500000000. */
static int parse_number(const char **s, uint64_t *whole, uint64_t *billionths)
{
    const char *p = *s;
    uint64_t w = 0, f = 0, unit = 100000000;
    if (*p < '0' || *p > '9')
        return -WICK_E_USAGE;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(w, 10, &w) || __builtin_add_overflow(w, (uint64_t)(*p - '0'), &w))
            return -WICK_E_USAGE;
    if (*p == '.') {
        p++;
        if (*p < '0' || *p > '9')
            return -WICK_E_USAGE;
        for (; *p >= '0' && *p <= '9'; p++, unit /= 10)
            f += (uint64_t)(*p - '0') * unit;
    }
    *s = p;
    *whole = w;
    *billionths = f;
    return 0;
}

static int scale(uint64_t whole, uint64_t billionths, uint64_t unit, uint64_t *out)
{
    uint64_t v;
    unsigned __int128 frac = (unsigned __int128)billionths * unit / 1000000000u;
    if (__builtin_mul_overflow(whole, unit, &v) || __builtin_add_overflow(v, (uint64_t)frac, &v) || v >> 63)
        return -WICK_E_USAGE;
    *out = v;
    return 0;
}

int wick_opt_time(const char *s, uint64_t bare_ns, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1},          {"us", 1000},         {"ms", 1000000},      {"s", 1000000000},
                 {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000}};
    uint64_t whole, billionths, unit = 0;
    if (parse_number(&s, &whole, &billionths))
        return -WICK_E_USAGE;
    if (!*s)
        unit = bare_ns;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(s, units[i].name))
            unit = units[i].ns;
    return unit ? scale(whole, billionths, unit, ns) : -WICK_E_USAGE;
}

int wick_opt_size(const char *s, uint64_t *bytes)
{
    uint64_t whole, billionths, unit = 1;
    if (parse_number(&s, &whole, &billionths))
        return -WICK_E_USAGE;
    static const char letters[] = "kmgt";
    const char *hit = *s ? strchr(letters, *s | 0x20) : NULL;
    if (hit) {
        unit = (uint64_t)1 << (10 * (hit - letters + 1));
        s++;
        if (*s == 'i')
            s++;
    }
    if (*s == 'b' || *s == 'B')
        s++;
    return *s ? -WICK_E_USAGE : scale(whole, billionths, unit, bytes);
}

int wick_opt_interval(const char *s, bool counts, uint64_t *v)
{
    static const struct {
        const char *name;
        uint64_t factor;
        bool counts;
    } units[] = {{"", 1, 0},
                 {"n", 1, 0},
                 {"ns", 1, 0},
                 {"u", 1000, 0},
                 {"us", 1000, 0},
                 {"m", 1000000, 0},
                 {"ms", 1000000, 0},
                 {"s", 1000000000, 0},
                 {"b", 1, 1},
                 {"k", 1024, 1},
                 {"g", 1 << 30, 1},
                 {"h", 3600000000000, 0},
                 {"d", 86400000000000, 0}};
    uint64_t whole, billionths;
    if (parse_number(&s, &whole, &billionths))
        return -WICK_E_USAGE;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcasecmp(s, units[i].name) && (counts || !units[i].counts))
            return scale(whole, billionths, units[i].factor, v);
    return -WICK_E_USAGE;
}

/* Equal but for dashes in either. */
static bool same_name(const char *a, size_t a_len, const char *b)
{
    const char *end = a + a_len;
    for (;;) {
        while (a < end && *a == '-')
            a++;
        while (*b == '-')
            b++;
        if (a == end || !*b)
            return a == end && !*b;
        if (*a++ != *b++)
            return false;
    }
}

static const struct wick_opt_desc *find(const char *name, size_t len, unsigned where)
{
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++)
        if ((wick_opt_table[i].where & where) && same_name(name, len, wick_opt_table[i].name))
            return &wick_opt_table[i];
    return NULL;
}

/* Before an option's name in messages: as it was written. */
static const char *dashes(unsigned where)
{
    return where & WICK_CMD_AGENT ? "" : "--";
}

static int out_of_range(const struct wick_opt_desc *d, uint64_t v, const char *value, unsigned where,
                        struct wick_err *err)
{
    static const struct {
        const char *name;
        uint64_t is;
    } times[] = {{"h", 3600000000000}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}},
      sizes[] = {{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}, {"", 1}}, counts[] = {{"", 1}};
    uint64_t limit = v < d->min ? d->min : d->max;
    size_t unit = 0;
    bool count = d->kind == WICK_OPT_COUNT, size = d->kind == WICK_OPT_SIZE;
    while (!count && limit % (size ? sizes : times)[unit].is)
        unit++;
    uint64_t is = count ? 1 : (size ? sizes : times)[unit].is;
    return wick_err_set(err, WICK_E_USAGE, "option %s%s: '%.100s' is too %s: at %s %" PRIu64 "%s", dashes(where),
                        d->name, value, v < d->min ? "small" : "large", v < d->min ? "least" : "most", limit / is,
                        (count  ? counts
                         : size ? sizes
                                : times)[unit]
                            .name);
}

static int set_number(const struct wick_opt_desc *d, uint64_t *field, const char *value, unsigned where,
                      struct wick_err *err)
{
    static const char *const hints[] = {[WICK_OPT_NS] = "a time such as 10ms or 100us",
                                        [WICK_OPT_WALL] = "a time such as 10ms or 1s",
                                        [WICK_OPT_SEC] = "a time such as 30, 500ms or 2m",
                                        [WICK_OPT_UNTIL] = "a time such as 30, 500ms or 2m, or a time of day such as "
                                                           "13:59:00",
                                        [WICK_OPT_SIZE] = "a size such as 64m or 1g",
                                        [WICK_OPT_COUNT] = "a whole number"};
    uint64_t v = 0, billionths = 0;
    int rc;
    if (d->kind == WICK_OPT_NS || d->kind == WICK_OPT_WALL) {
        rc = wick_opt_interval(value, d->kind == WICK_OPT_NS, &v);
    } else if (d->kind == WICK_OPT_UNTIL && strchr(value, ':')) {
        rc = wick_opt_until(value, (int64_t)time(NULL), &v);
    } else if (d->kind == WICK_OPT_SEC || d->kind == WICK_OPT_UNTIL) {
        rc = wick_opt_time(value, 1000000000, &v);
    } else if (d->kind == WICK_OPT_SIZE) {
        rc = wick_opt_size(value, &v);
    } else {
        const char *p = value;
        rc = parse_number(&p, &v, &billionths);
        if (!rc && (*p || billionths))
            rc = -WICK_E_USAGE;
    }
    if (rc)
        return wick_err_set(err, WICK_E_USAGE, "option %s%s: '%.100s' is not %s", dashes(where), d->name, value,
                            hints[d->kind]);
    if (v < d->min || (d->max && v > d->max))
        return out_of_range(d, v, value, where, err);
    *field = v;
    return 0;
}

/* `N`, or `N/M` with M up to N. */
static int set_depth(const struct wick_opt_desc *d, struct wick_opt_depth *field, const char *value, unsigned where,
                     struct wick_err *err)
{
    uint64_t most = 0, kept, billionths = 0, rest = 0;
    const char *p = value;
    int rc = parse_number(&p, &most, &billionths);
    kept = most;
    if (!rc && *p == '/') {
        p++;
        rc = parse_number(&p, &kept, &rest);
    }
    if (rc || *p || billionths || rest)
        return wick_err_set(err, WICK_E_USAGE, "option %s%s: '%.100s' is not a number of frames, or two such as 500/20",
                            dashes(where), d->name, value);
    if (most < d->min || most > d->max || !kept)
        return wick_err_set(err, WICK_E_USAGE, "option %s%s: '%.100s' is too %s", dashes(where), d->name, value,
                            most > d->max ? "large" : "small");
    *field = (struct wick_opt_depth){(uint32_t)most, (uint32_t)(kept < most ? kept : most)};
    return 0;
}

static bool is_text(enum wick_opt_kind k)
{
    return k == WICK_OPT_STR || k == WICK_OPT_LOCK || k == WICK_OPT_PATH;
}

static int set_text(const struct wick_opt_desc *d, char *field, const char *value, unsigned where, struct wick_err *err)
{
    size_t cap = d->kind == WICK_OPT_PATH ? WICK_OPT_PATH_MAX : WICK_OPT_STR_MAX, len = strlen(value);
    if (len >= cap)
        return wick_err_set(err, WICK_E_USAGE, "option %s%s: the value is longer than %zu bytes", dashes(where),
                            d->name, cap - 1);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)value[i] < 0x20)
            return wick_err_set(err, WICK_E_USAGE, "option %s%s: the value has a control character", dashes(where),
                                d->name);
    memcpy(field, value, len + 1);
    return 0;
}

static int set_flag(const struct wick_opt_desc *d, bool *field, const char *value, unsigned where, struct wick_err *err)
{
    if (!value || !strcmp(value, "1") || !strcmp(value, "true") || !strcmp(value, "yes") || !strcmp(value, "on"))
        *field = true;
    else if (!strcmp(value, "0") || !strcmp(value, "false") || !strcmp(value, "no") || !strcmp(value, "off"))
        *field = false;
    else
        return wick_err_set(err, WICK_E_USAGE, "option %s%s takes no value (or true/false), not '%.100s'",
                            dashes(where), d->name, value);
    return 0;
}

static int set_desc(struct wick_opts *o, const struct wick_opt_desc *d, const char *value, unsigned where,
                    struct wick_err *err)
{
    void *field = (char *)o + d->offset;
    if (d->kind == WICK_OPT_FLAG)
        return set_flag(d, field, value, where, err);
    if (d->kind == WICK_OPT_WALL && !value) {
        *(uint64_t *)field = WICK_OPT_WALL_DEFAULT_NS;
        return 0;
    }
    if (d->kind == WICK_OPT_LOCK && !value)
        value = "on";
    else if (d->kind == WICK_OPT_LOCK && *value == '-') /* the next option, taken for this one's value */
        return wick_err_set(err, WICK_E_USAGE, "option %s%s: '%.100s' is not %s", dashes(where), d->name, value,
                            d->metavar);
    if (!value || !*value)
        return wick_err_set(err, WICK_E_USAGE, "option %s%s needs a value: %s", dashes(where), d->name, d->metavar);
    if (is_text(d->kind))
        return set_text(d, field, value, where, err);
    if (d->kind == WICK_OPT_DEPTH)
        return set_depth(d, field, value, where, err);
    return set_number(d, field, value, where, err);
}

void wick_opt_defaults(struct wick_opts *o)
{
    memset(o, 0, sizeof *o);
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++)
        if (*wick_opt_table[i].def)
            set_desc(o, &wick_opt_table[i], wick_opt_table[i].def, WICK_CMD_AGENT, NULL);
}

/* A name of any bytes for a message. */
static void show_name(const char *name, size_t len, char shown[41])
{
    size_t n = len < 40 ? len : 40;
    for (size_t i = 0; i < n; i++)
        shown[i] = (unsigned char)name[i] < 0x20 || (unsigned char)name[i] > 0x7e ? '?' : name[i];
    shown[n] = 0;
}

/* dash: what stood before the name. */
static int unknown(const char *dash, const char *name, size_t len, unsigned where, struct wick_err *err)
{
    const char *near = NULL;
    size_t best = 3;
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        size_t d = (wick_opt_table[i].where & where) ? wick_distance(name, len, wick_opt_table[i].name) : 3;
        if (d < best && d < len) {
            best = d;
            near = wick_opt_table[i].name;
        }
    }
    char shown[41];
    show_name(name, len, shown);
    return near ? wick_err_set(err, WICK_E_USAGE, "unknown option '%s%s': did you mean '%s%s'?", dash, shown,
                               dashes(where), near)
                : wick_err_set(err, WICK_E_USAGE, "unknown option '%s%s'", dash, shown);
}

int wick_opt_set(struct wick_opts *o, const char *name, size_t name_len, const char *value, unsigned where,
                 struct wick_err *err)
{
    const struct wick_opt_desc *d = find(name, name_len, where);
    if (!d)
        return unknown("", name, name_len, where, err);
    int rc = set_desc(o, d, value, where, err);
    if (!rc)
        o->given |= (uint64_t)1 << (d - wick_opt_table);
    return rc;
}

/* Copies one comma-separated item without its backslashes into item[]; *eq = index of the first unescaped '=', or its
 * length. Returns the bytes consumed, or a negative error. */
static long next_item(const char *s, size_t len, char *item, size_t cap, size_t *item_len, size_t *eq)
{
    size_t i = 0, n = 0;
    *eq = (size_t)-1;
    for (; i < len && s[i] != ','; i++) {
        if (s[i] == '=' && *eq == (size_t)-1)
            *eq = n;
        else if (s[i] == '\\' && i + 1 < len)
            i++;
        if (!s[i] || n + 1 >= cap)
            return -WICK_E_USAGE;
        item[n++] = s[i];
    }
    item[n] = 0;
    *item_len = n;
    if (*eq == (size_t)-1)
        *eq = n;
    return (long)(i < len ? i + 1 : i);
}

static enum wick_opt_action find_action(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(name, actions[i].name))
            return actions[i].action;
    return WICK_ACTION_NONE;
}

/* One more sentence in a message that is no error. */
static void warn(struct wick_err *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct wick_err *notes, const char *fmt, ...)
{
    size_t n = strlen(notes->msg);
    va_list ap;
    if (n + 2 >= sizeof notes->msg)
        return;
    va_start(ap, fmt);
    vsnprintf(notes->msg + n + (n > 0), sizeof notes->msg - n - (n > 0), fmt, ap);
    va_end(ap);
    if (n)
        notes->msg[n] = '\n';
}

/* An item that is none of wick's options. */
static void ignore(const char *name, size_t len, const char *value, struct wick_opts *o, struct wick_err *notes)
{
    const char *why = NULL;
    char shown[41];
    show_name(name, len, shown);
    if (same_name(name, len, "quiet") ||
        (same_name(name, len, "loglevel") && value && (!strcasecmp(value, "none") || !strcasecmp(value, "error"))))
        o->quiet = true;
    if (wick_opt_peer(name, len, &why)) {
        struct wick_err what = {0};
        unknown("", name, len, WICK_CMD_AGENT, &what);
        warn(notes, "%s; it is ignored", what.msg);
    } else if (why) {
        warn(notes, "option '%s' is ignored: %s", shown, why);
    }
}

/* `event` may be given several times, as in async-profiler: it is a list here. */
static int add_event(struct wick_opts *o, const char *value, struct wick_err *err)
{
    char list[2 * WICK_OPT_STR_MAX + 2];
    if (!value || !*value || !wick_opt_given(o, event) || !*o->s.event)
        return wick_opt_set(o, "event", 5, value, WICK_CMD_AGENT, err);
    snprintf(list, sizeof list, "%s,%.*s", o->s.event, WICK_OPT_STR_MAX, value);
    return wick_opt_set(o, "event", 5, list, WICK_CMD_AGENT, err);
}

/* One NAME[=VALUE] that is no action; value may be NULL. */
static int parse_item(struct wick_opts *o, const char *name, size_t len, char *value, struct wick_err *notes,
                      struct wick_err *err)
{
    char tids[WICK_OPT_PATH_MAX + 72]; /* an item and a prefix */
    if (!find(name, len, WICK_CMD_AGENT) && (!same_name(name, len, "cpu") || value)) {
        ignore(name, len, value, o, notes);
        return 0;
    }
    if (same_name(name, len, "event"))
        return add_event(o, value, err);
    if (same_name(name, len, "cpu"))
        return add_event(o, "cpu", err);
    if (same_name(name, len, "filter")) {
        if (!value || !*value) {
            warn(notes, "option 'filter' is ignored: it names no threads");
            return 0;
        }
        if (*value >= '0' && *value <= '9') {
            snprintf(tids, sizeof tids, "tids:%s", value);
            for (char *p = tids + 5; *p; p++)
                if (*p == ':' || *p == ';') /* a comma separates options */
                    *p = ',';
            value = tids;
        }
    }
    return wick_opt_set(o, name, len, value, WICK_CMD_AGENT, err);
}

/* True if an option other than `event` asks for samples. */
static bool has_other_event(const struct wick_opts *o)
{
#define ASKS_FLAG(value)  (value)
#define ASKS_TIME(value)  true
#define ASKS_BYTES(value) true
#define ASKS_WAITS(value) true
#define CPU(...)
#define BESIDE(word, field, kind) || (wick_opt_given(o, field) && ASKS_##kind(o->s.field))
#define X(word, sort, ...)        sort(word, __VA_ARGS__)
    return false
#include "def/event_word.def"
        ;
#undef X
#undef BESIDE
#undef CPU
}

int wick_opt_parse_agent(const char *s, size_t len, struct wick_opts *o, enum wick_opt_action *action,
                         struct wick_err *err)
{
    char item[WICK_OPT_PATH_MAX + 64];
    struct wick_err notes = {0};
    enum wick_opt_action found = WICK_ACTION_NONE;
    while (len) {
        size_t n, eq;
        long used = next_item(s, len, item, sizeof item, &n, &eq);
        if (used < 0)
            return wick_err_set(err, WICK_E_USAGE, "an option is too long or holds a NUL byte");
        s += used;
        len -= (size_t)used;
        if (!n)
            continue;
        enum wick_opt_action a = eq == n ? find_action(item) : WICK_ACTION_NONE;
        if (a != WICK_ACTION_NONE) {
            if (found != WICK_ACTION_NONE && found != a)
                return wick_err_set(err, WICK_E_USAGE, "two actions in one request");
            found = a;
            continue;
        }
        int rc = parse_item(o, item, eq, eq < n ? item + eq + 1 : NULL, &notes, err);
        if (rc)
            return rc;
    }
    if (!wick_opt_given(o, event) && has_other_event(o))
        o->s.event[0] = 0;
    if (err)
        *err = notes;
    *action = found;
    return 0;
}

/* One word that begins with a dash. Returns the number of words consumed (1 or 2) or an error. */
static int parse_word(const char *word, const char *next, unsigned where, struct wick_opts *o, struct wick_err *err)
{
    const struct wick_opt_desc *d = NULL;
    const char *value = NULL, *name = word + 1;
    size_t len;
    if (word[1] == '-') {
        name++;
        len = strcspn(name, "=");
        d = find(name, len, where);
        if (name[len])
            value = name + len + 1;
    } else {
        len = 1;
        for (size_t i = 0; i < WICK_OPT_TABLE_COUNT && !d; i++)
            if (wick_opt_table[i].letter == word[1] && (wick_opt_table[i].where & where))
                d = &wick_opt_table[i];
        if (word[2])
            value = word + 2 + (word[2] == '=');
    }
    if (!d)
        return unknown(word[1] == '-' ? "--" : "-", name, len, where, err);
    int used = 1;
    if (d->kind != WICK_OPT_FLAG && !value) {
        value = next;
        used = 2;
    }
    int rc = set_desc(o, d, value, where, err);
    if (!rc)
        o->given |= (uint64_t)1 << (d - wick_opt_table);
    return rc ? rc : used;
}

int wick_opt_parse_args(int argc, char **argv, unsigned where, struct wick_opts *o, char **rest, int *nrest,
                        int *dashdash, struct wick_err *err)
{
    int n = 0, i = 1;
    while (i < argc) {
        if (!strcmp(argv[i], "--"))
            break;
        if (argv[i][0] != '-' || !argv[i][1]) {
            rest[n++] = argv[i++];
            continue;
        }
        int used = parse_word(argv[i], i + 1 < argc ? argv[i + 1] : NULL, where, o, err);
        if (used < 0)
            return used;
        i += used;
    }
    *dashdash = n;
    for (i++; i < argc; i++)
        rest[n++] = argv[i];
    *nrest = n;
    return 0;
}

/* True if the list has an event that the CPU engine counts by occurrences. */
static bool has_counted(const char *list)
{
    static const char *const timed[] = {
#define X(word, sort, ...) word,
#include "def/event_word.def"
#undef X
    };
    for (size_t n; *list; list += n + (list[n] == ',')) {
        bool known = false;
        n = strcspn(list, ",");
        for (size_t i = 0; !known && i < sizeof timed / sizeof *timed; i++)
            known = !strncmp(list, timed[i], strlen(timed[i])) && strcspn(list, ",=") == strlen(timed[i]);
        if (!known && n)
            return true;
    }
    return false;
}

void wick_opt_change(const struct wick_session_opts *now, const struct wick_opts *asked, struct wick_session_opts *out)
{
    uint64_t chosen = 0;
    *out = *now;
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++)
        if (wick_opt_table[i].where & WICK_OPT_CHOOSES)
            chosen |= (uint64_t)1 << i;
    uint64_t taken = asked->given & chosen ? asked->given | chosen : asked->given;
    if (taken & chosen && has_counted(now->event) != has_counted(asked->s.event))
        taken |= (uint64_t)1 << WICK_OPT_I_interval_ns; /* it is not in the same unit */
#define X(field, kind, name, letter, metavar, words, def, lo, hi, cmds, text) \
    if (((cmds)&WICK_CMD_CHANGE) && taken >> WICK_OPT_I_##field & 1)          \
        memcpy(&out->field, &asked->s.field, sizeof out->field);
#define C(...)
#include "def/option.def"
#undef X
#undef C
}

static void add_escaped(struct wick_strbuf *out, const char *s)
{
    for (; *s; s++) {
        if (*s == ',' || *s == '\\')
            wick_strbuf_addc(out, '\\');
        wick_strbuf_addc(out, *s);
    }
}

void wick_opt_format_agent(const struct wick_opts *o, const char *action, struct wick_strbuf *out)
{
    wick_strbuf_adds(out, action);
    if (!wick_opt_given(o, event) && *o->s.event && has_other_event(o)) {
        wick_strbuf_adds(out, ",event=");
        add_escaped(out, o->s.event);
    }
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        const struct wick_opt_desc *d = &wick_opt_table[i];
        if (!(d->where & WICK_CMD_AGENT) || !(o->given >> i & 1))
            continue;
        const void *field = (const char *)o + d->offset;
        wick_strbuf_addf(out, ",%s=", d->name);
        switch (d->kind) {
        case WICK_OPT_FLAG:
            wick_strbuf_adds(out, *(const bool *)field ? "true" : "false");
            break;
        case WICK_OPT_STR:
        case WICK_OPT_LOCK:
        case WICK_OPT_PATH:
            add_escaped(out, field);
            break;
        case WICK_OPT_DEPTH: {
            const struct wick_opt_depth *depth = field;
            wick_strbuf_addf(out, "%u/%u", depth->most, depth->kept);
            break;
        }
        case WICK_OPT_SEC:
        case WICK_OPT_UNTIL:
            wick_strbuf_addf(out, "%lluns", *(const unsigned long long *)field);
            break;
        default:
            wick_strbuf_addf(out, "%llu", *(const unsigned long long *)field);
        }
    }
}
