/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings. One table has each variable's name and the values that it accepts. settings_read and settings_check use
 * the same table, so there is a warning for exactly the variables that were ignored. Uses no MPI, and is tested
 * without it. */
#include "process/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/site.h"
#include "format/trace_path.h"
#include "timing/times.h"

enum setting_kind {
    SETTING_PATTERN,
    SETTING_SWITCH,
    SETTING_NUMBER,
    SETTING_BYTES,
    SETTING_CLOCK,
    SETTING_TIMING,
    SETTING_FILTER,
    SETTING_JOURNAL
};

enum {
    TRACE,
    OFF,
    QUIET,
    BUFFERS,
    TIMING,
    VALUES,
    FILTER,
    CLOCK,
    STACK,
    MERGE_TIMEOUT,
    MEMORY,
    SYSTEM,
    ARGV,
    JOURNAL,
    VARIABLE_COUNT
};

static const struct variable {
    const char *name;
    enum setting_kind kind;
    const char *yes, *no; /* the two values of a SETTING_SWITCH; a word for the most of a SETTING_NUMBER */
    const char *accepts;
} variables[VARIABLE_COUNT] = {
    [TRACE] = {"PILGRIM_TRACE", SETTING_PATTERN, NULL, NULL,
               "a path, with %p (program), %j (job), %A and %a (job array and task), %t (time) and %%"},
    [OFF] = {"PILGRIM_OFF", SETTING_SWITCH, "1", "0", "0 or 1"},
    [QUIET] = {"PILGRIM_QUIET", SETTING_SWITCH, "1", "0", "0 or 1"},
    [BUFFERS] = {"PILGRIM_BUFFERS", SETTING_SWITCH, "on", "off", "on or off"},
    [TIMING] = {"PILGRIM_TIMING", SETTING_TIMING, NULL, NULL,
                "off, aggregate, exact or bins[:BASE][,FUNCTION:BASE]..., with bases from 1.0001 to 1000, and * in "
                "functions' names"},
    [VALUES] = {"PILGRIM_VALUES", SETTING_SWITCH, "wtime", "default", "wtime or default"},
    [FILTER] = {"PILGRIM_FILTER", SETTING_FILTER, NULL, NULL,
                "a list of functions, as -MPI_Wtime,-MPI_Comm_*,+MPI_Comm_free, with * for any letters"},
    [CLOCK] = {"PILGRIM_CLOCK", SETTING_CLOCK, NULL, NULL, "auto, tsc or monotonic"},
    [STACK] = {"PILGRIM_STACK", SETTING_NUMBER, "full", NULL, "full or a number of frames from 1 to 64"},
    [MERGE_TIMEOUT] = {"PILGRIM_MERGE_TIMEOUT", SETTING_NUMBER, NULL, NULL, "a number of seconds from 0 to 1000000"},
    [MEMORY] = {"PILGRIM_MEMORY", SETTING_BYTES, NULL, NULL,
                "a number of bytes, at least 256K, with K, M or G behind it or not"},
    [SYSTEM] = {"PILGRIM_SYSTEM", SETTING_SWITCH, "on", "off", "on or off"},
    [ARGV] = {"PILGRIM_ARGV", SETTING_SWITCH, "on", "off", "on or off"},
    [JOURNAL] = {"PILGRIM_JOURNAL", SETTING_JOURNAL, "on", "off", "on, off or the path of a folder, which has a /"},
};

/* The range of a SETTING_NUMBER or SETTING_BYTES. */
static const struct {
    uint64_t least, most;
} ranges[VARIABLE_COUNT] = {
    [STACK] = {1, SITE_FRAMES_MAX},
    [MERGE_TIMEOUT] = {0, 1000000},
    [MEMORY] = {SETTINGS_MEMORY_MIN, SETTINGS_MEMORY_MAX},
};

static const char prefix[] = "PILGRIM_";

/* Returns the variable that ENTRY ("NAME=VALUE") sets, and its value in *VALUE. NULL: it is no setting. */
static const struct variable *variable_of(const char *entry, const char **value)
{
    const char *equals = strchr(entry, '=');
    if (!equals)
        return NULL;
    *value = equals + 1;
    size_t length = (size_t)(equals - entry);
    for (int i = 0; i < VARIABLE_COUNT; i++)
        if (strlen(variables[i].name) == length && !memcmp(entry, variables[i].name, length))
            return &variables[i];
    return NULL;
}

/* Returns by how many bits SUFFIX shifts the number before it: 10, 20 or 30; 0 if SUFFIX is none. */
static unsigned unit_of(const char *suffix)
{
    static const char units[] = "KMG";
    const char *unit = *suffix && !suffix[1] ? strchr(units, *suffix) : NULL;
    return unit ? 10 * (unsigned)(unit - units + 1) : 0;
}

static bool number_of(const struct variable *v, const char *value, uint64_t *number)
{
    uint64_t least = ranges[v - variables].least, most = ranges[v - variables].most;
    uint64_t n = 0;
    bool digits = *value >= '0' && *value <= '9';
    for (; *value >= '0' && *value <= '9' && n <= most; value++)
        n = n * 10 + (uint64_t)(*value - '0');
    unsigned unit = v->kind == SETTING_BYTES && n <= most ? unit_of(value) : 0;
    n = n <= most >> unit ? n << unit : UINT64_MAX;
    *number = n;
    return digits && !value[unit != 0] && n >= least && n <= most;
}

static bool clock_of(const char *value, enum clock_wish *wish)
{
    static const char *const names[] = {[CLOCK_AUTO] = "auto", [CLOCK_TSC] = "tsc", [CLOCK_MONOTONIC_NS] = "monotonic"};
    for (int i = CLOCK_AUTO; i <= CLOCK_MONOTONIC_NS; i++) {
        if (!strcmp(value, names[i])) {
            *wish = (enum clock_wish)i;
            return true;
        }
    }
    return false;
}

/* ---- PILGRIM_TIMING ---- */

enum { BASE_ONE = BINS_UNIT, BASE_MAX = 1000, BASE_DEFAULT = 200000, TIMING_BYTES_MAX = 2000 };

static const char bins[] = "bins";

/* Reads the base at the beginning of *TEXT and moves *TEXT behind it. Returns it as settings_base does; 0 if there is
 * none. */
static uint32_t take_base(const char **text)
{
    const char *at = *text;
    uint32_t value = 0, unit = BASE_ONE;
    if (*at < '0' || *at > '9')
        return 0;
    for (; *at >= '0' && *at <= '9' && value <= BASE_MAX; at++)
        value = value * 10 + (uint32_t)(*at - '0');
    if (value < 1 || value > BASE_MAX)
        return 0;
    value *= BASE_ONE;
    if (*at == '.' && (at[1] < '0' || at[1] > '9'))
        return 0;
    for (at += *at == '.'; *at >= '0' && *at <= '9' && unit > 1; at++)
        value += (uint32_t)(*at - '0') * (unit /= 10);
    *text = at;
    bool good = (!*at || *at == ',') && value >= BASE_ONE + BINS_BASE_MIN && value <= BASE_MAX * BASE_ONE;
    return good ? value - BASE_ONE : 0;
}

static const char function_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_*";

/* True if NAME fits PATTERN, which is LENGTH bytes long. A * stands for any bytes. */
static bool pattern_fits(const char *pattern, size_t length, const char *name)
{
    size_t star = SIZE_MAX, i = 0;
    const char *again = name;
    while (*name) {
        if (i < length && pattern[i] == '*') {
            star = i++;
            again = name;
        } else if (i < length && pattern[i] == *name) {
            i++;
            name++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            name = ++again;
        } else {
            return false;
        }
    }
    while (i < length && pattern[i] == '*')
        i++;
    return i == length;
}

/* Sets *BASE to the base that BASES, "[:BASE][,PATTERN:BASE]...", has for FUNCTION. False: BASES has another form. */
static bool find_base(const char *bases, const char *function, uint32_t *base)
{
    *base = BASE_DEFAULT;
    if (*bases == ':') {
        bases++;
        *base = take_base(&bases);
    }
    for (int count = 1; *base && *bases; count++) {
        const char *pattern = bases + 1;
        size_t length = strspn(pattern, function_letters);
        if (*bases != ',' || !length || pattern[length] != ':' || count == TIMES_BASES_MAX)
            return false;
        bases = pattern + length + 1;
        uint32_t found = take_base(&bases);
        if (!found || pattern_fits(pattern, length, function))
            *base = found;
    }
    return *base;
}

uint32_t settings_base(const struct settings *s, const char *function)
{
    uint32_t base;
    (void)find_base(s->timing_text + strlen(bins), function, &base);
    return base;
}

/* ---- PILGRIM_FILTER ---- */

enum { FILTER_BYTES_MAX = 1000 }; /* it is a property in the head of a fragment file */

bool settings_filter_next(const char **list, struct settings_pattern *p)
{
    const char *at = *list;
    p->leaves_out = *at == '-';
    p->text = at + (*at == '-' || *at == '+');
    p->length = strspn(p->text, function_letters);
    at = p->text + p->length;
    if (!p->length || (*at && *at != ','))
        return false;
    *list = at + (*at == ',');
    return true;
}

bool settings_pattern_fits(const struct settings_pattern *p, const char *function)
{
    return pattern_fits(p->text, p->length, function);
}

/* Sets *RECORDS to true if LIST lets calls of FUNCTION be recorded. False: LIST is no list of items. */
static bool filter_find(const char *list, const char *function, bool *records)
{
    struct settings_pattern p;
    *records = *list == '-';
    do {
        if (!settings_filter_next(&list, &p))
            return false;
        if (settings_pattern_fits(&p, function))
            *records = !p.leaves_out;
    } while (*list);
    return true;
}

bool settings_records(const struct settings *s, const char *function)
{
    bool records;
    return !s->filter || !filter_find(s->filter, function, &records) || records;
}

static bool timing_of(const char *value, enum timing_mode *mode)
{
    static const char *const names[] = {
        [TIMING_OFF] = "off", [TIMING_AGGREGATE] = "aggregate", [TIMING_EXACT] = "exact"};
    uint32_t base;
    for (int i = TIMING_OFF; i <= TIMING_EXACT; i++) {
        if (names[i] && !strcmp(value, names[i])) {
            *mode = (enum timing_mode)i;
            return true;
        }
    }
    *mode = TIMING_BINS;
    return !strncmp(value, bins, strlen(bins)) && strlen(value) <= TIMING_BYTES_MAX &&
           find_base(value + strlen(bins), "", &base);
}

static bool value_valid(const struct variable *v, const char *value)
{
    uint64_t number;
    enum clock_wish wish;
    enum timing_mode mode;
    bool records;
    switch (v->kind) {
    case SETTING_PATTERN:
        return *value && trace_path_pattern_valid(value);
    case SETTING_NUMBER:
    case SETTING_BYTES:
        return (v->yes && !strcmp(value, v->yes)) || number_of(v, value, &number);
    case SETTING_CLOCK:
        return clock_of(value, &wish);
    case SETTING_TIMING:
        return timing_of(value, &mode);
    case SETTING_FILTER:
        return strlen(value) <= FILTER_BYTES_MAX && filter_find(value, "", &records);
    case SETTING_JOURNAL:
        return !strcmp(value, v->yes) || !strcmp(value, v->no) || strchr(value, '/');
    default:
        return !strcmp(value, v->yes) || !strcmp(value, v->no);
    }
}

static void variable_set(struct settings *s, const struct variable *v, const char *value)
{
    bool yes = v->yes && !strcmp(value, v->yes);
    uint64_t number = 0;
    if (ranges[v - variables].most)
        (void)number_of(v, value, &number);
    switch (v - variables) {
    case TRACE:
        s->trace = value;
        break;
    case OFF:
        s->off = yes;
        break;
    case QUIET:
        s->quiet = yes;
        break;
    case BUFFERS:
        s->buffers = yes;
        break;
    case TIMING:
        (void)timing_of(value, &s->timing);
        s->timing_text = value;
        break;
    case VALUES:
        s->keeps_readings = yes;
        break;
    case FILTER:
        s->filter = value;
        break;
    case CLOCK:
        (void)clock_of(value, &s->clock);
        break;
    case STACK:
        s->stack = yes ? SITE_FRAMES_MAX : (uint32_t)number;
        s->stack_text = s->stack < SITE_FRAMES_MAX ? value : NULL;
        break;
    case MERGE_TIMEOUT:
        s->merge_limit_s = (uint32_t)number;
        break;
    case MEMORY:
        s->memory_bytes = number;
        break;
    case JOURNAL:
        s->journal = yes || strchr(value, '/');
        s->journal_folder = strchr(value, '/') ? value : NULL;
        break;
    case ARGV:
        s->arguments = yes;
        break;
    default:
        s->system = yes;
        break;
    }
}

void settings_read(struct settings *s, char *const *environment)
{
    *s = (struct settings){.buffers = true,
                           .timing = TIMING_AGGREGATE,
                           .timing_text = "aggregate",
                           .clock = CLOCK_AUTO,
                           .system = true,
                           .arguments = true,
                           .journal = true,
                           .stack = SITE_FRAMES_MAX,
                           .merge_limit_s = 300,
                           .memory_bytes = UINT64_C(256) << 20};
    for (; environment && *environment; environment++) {
        const char *value;
        const struct variable *v = variable_of(*environment, &value);
        if (v && value_valid(v, value))
            variable_set(s, v, value);
    }
}

static void warn_unknown(const char *entry, void (*warn)(const char *line))
{
    char line[512];
    size_t length = strcspn(entry, "=");
    int shown = length < 100 ? (int)length : 100;
    int used = snprintf(line, sizeof line, "%.*s is not a setting; the settings are", shown, entry);
    for (int i = 0; i < VARIABLE_COUNT; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s %s", i ? "," : "", variables[i].name);
    warn(line);
}

void settings_check(char *const *environment, void (*warn)(const char *line))
{
    for (; environment && *environment; environment++) {
        const char *value = "";
        const struct variable *v = variable_of(*environment, &value);
        if (!v && !strncmp(*environment, prefix, sizeof prefix - 1)) {
            warn_unknown(*environment, warn);
        } else if (v && !value_valid(v, value)) {
            char line[512];
            snprintf(line, sizeof line, "%s=%.200s is ignored; it accepts %s", v->name, value, v->accepts);
            warn(line);
        }
    }
}
