/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads .eh_frame; see frame_rule.h. The format is DWARF's call frame information as the Linux Standard Base has it.
 *
 * A frame description (FDE) has the code that it is for, and a program. The program makes rows, each for the addresses
 * from a location on: how CFA is computed, and where each register of the caller is. The program of the common part
 * (CIE) makes the first row. All reads are checked: damaged tables never lead outside of them. */
#define _GNU_SOURCE 1 /* dl_iterate_phdr */
#include "unwind/frame_rule.h"

#include <link.h>
#include <string.h>

/* DWARF's numbers of registers. x86-64; AArch64 has the same form, and is untested. */
#if defined __aarch64__
enum { REGISTER_FP = 29, REGISTER_SP = 31, REGISTER_RETURN = 30 };
#else
enum { REGISTER_FP = 6, REGISTER_SP = 7, REGISTER_RETURN = 16 };
#endif

enum { REMEMBERED_MAX = 8, OP_BREG0 = 0x70, OP_DEREF = 0x06 };

/* How pointers are encoded: the low half of the byte is the format, the high half what they are relative to. */
enum { ENCODED_WHOLE = 0, ENCODED_PC = 0x10, ENCODED_HEADER = 0x30, ENCODED_OMIT = 0xff };

/* ---- reading ---- */

struct frame_reader {
    const uint8_t *at, *end;
    bool bad; /* the end was passed; all that is read is 0 */
};

static bool has(struct frame_reader *r, uint64_t bytes)
{
    r->bad |= bytes > (uint64_t)(r->end - r->at);
    return !r->bad;
}

/* Returns a little-endian number of BYTES bytes. */
static uint64_t get(struct frame_reader *r, unsigned bytes)
{
    uint64_t v = 0;
    if (!has(r, bytes))
        return 0;
    memcpy(&v, r->at, bytes);
    r->at += bytes;
    return v;
}

static int64_t get_signed(struct frame_reader *r, unsigned bytes)
{
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((get(r, bytes) ^ sign) - sign);
}

static uint64_t get_leb(struct frame_reader *r, bool is_signed)
{
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)get(r, 1);
        if (shift < 64)
            v |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !r->bad);
    if (is_signed && byte & 0x40 && shift < 64)
        v |= UINT64_MAX << shift;
    return v;
}

static void skip(struct frame_reader *r, uint64_t bytes)
{
    if (has(r, bytes))
        r->at += bytes;
}

/* Returns a reader of the next BYTES bytes, and passes them. */
static struct frame_reader part(struct frame_reader *r, uint64_t bytes)
{
    struct frame_reader inner = {r->at, r->at, !has(r, bytes)};
    if (!r->bad)
        inner.end = r->at += bytes;
    return inner;
}

/* Returns a number in the format of ENCODING, without what it is relative to. */
static uint64_t get_format(struct frame_reader *r, uint8_t encoding)
{
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        return get(r, 8);
    case 0x01:
        return get_leb(r, false);
    case 0x02:
        return get(r, 2);
    case 0x03:
        return get(r, 4);
    case 0x09:
        return get_leb(r, true);
    case 0x0a:
        return (uint64_t)get_signed(r, 2);
    case 0x0b:
        return (uint64_t)get_signed(r, 4);
    default:
        r->bad = true;
        return 0;
    }
}

/* Returns a pointer. HEADER: what those relative to the header are relative to. */
static uint64_t get_pointer(struct frame_reader *r, uint8_t encoding, const uint8_t *header)
{
    uint64_t here = (uintptr_t)r->at, v = get_format(r, encoding);
    switch (encoding & 0xf0) {
    case ENCODED_WHOLE:
        return v;
    case ENCODED_PC:
        return v + here;
    case ENCODED_HEADER:
        return v + (uintptr_t)header;
    default:
        r->bad = true;
        return 0;
    }
}

/* ---- rows ---- */

enum place_kind {
    PLACE_UNCHANGED,
    PLACE_UNDEFINED,
    PLACE_AT_CFA,
    PLACE_EXPRESSION, /* at the address that an expression computes */
    PLACE_OTHER
};

struct place {
    enum place_kind kind;
    int64_t offset;
    struct frame_reader expression;
};

struct row {
    uint64_t cfa_register;
    int64_t cfa_offset;
    struct frame_reader cfa_expression; /* empty: CFA is register + offset */
    struct place fp, return_address;
};

struct frame_description {
    uint64_t code_unit;
    int64_t data_unit;
    uint8_t encoding;          /* of the addresses of code */
    bool sized;                /* descriptions have data for languages, with its length */
    bool is_signal;            /* made by the kernel: the address is that of an instruction that was interrupted */
    struct frame_reader first; /* program of the CIE */
    struct frame_reader program;
    uint64_t begin, length; /* code */
};

struct cfa_machine {
    const struct frame_description *of;
    struct row row, first, remembered[REMEMBERED_MAX];
    unsigned remembered_count;
    uint64_t location;
    uintptr_t pc;
};

static void set_place(struct row *row, uint64_t reg, struct place place)
{
    if (reg == REGISTER_FP)
        row->fp = place;
    else if (reg == REGISTER_RETURN)
        row->return_address = place;
}

static void restore_place(struct cfa_machine *m, uint64_t reg)
{
    set_place(&m->row, reg, reg == REGISTER_FP ? m->first.fp : m->first.return_address);
}

static void set_cfa(struct row *row, uint64_t reg, int64_t offset)
{
    row->cfa_register = reg;
    row->cfa_offset = offset;
    row->cfa_expression = (struct frame_reader){NULL, NULL, false};
}

static void set_at_cfa(struct cfa_machine *m, uint64_t reg, int64_t units)
{
    set_place(&m->row, reg, (struct place){.kind = PLACE_AT_CFA, .offset = units * m->of->data_unit});
}

static void set_expression(struct cfa_machine *m, struct frame_reader *r, enum place_kind kind)
{
    uint64_t reg = get_leb(r, false);
    struct frame_reader expression = part(r, get_leb(r, false));
    set_place(&m->row, reg, (struct place){.kind = kind, .expression = expression});
}

static void advance(struct cfa_machine *m, uint64_t units)
{
    m->location += units * m->of->code_unit;
}

/* Does what the instruction OP, which is not one of the three short forms, does. */
static void step_long(struct cfa_machine *m, struct frame_reader *r, uint8_t op)
{
    struct row *row = &m->row;
    uint64_t reg;
    switch (op) {
    case 0x00: /* nop */
        break;
    case 0x01: /* set_loc */
        m->location = get_pointer(r, m->of->encoding, NULL);
        break;
    case 0x02: /* advance_loc1 */
        advance(m, get(r, 1));
        break;
    case 0x03: /* advance_loc2 */
        advance(m, get(r, 2));
        break;
    case 0x04: /* advance_loc4 */
        advance(m, get(r, 4));
        break;
    case 0x05: /* offset_extended */
        reg = get_leb(r, false);
        set_at_cfa(m, reg, (int64_t)get_leb(r, false));
        break;
    case 0x06: /* restore_extended */
        restore_place(m, get_leb(r, false));
        break;
    case 0x07: /* undefined */
        set_place(row, get_leb(r, false), (struct place){.kind = PLACE_UNDEFINED});
        break;
    case 0x08: /* same_value */
        set_place(row, get_leb(r, false), (struct place){.kind = PLACE_UNCHANGED});
        break;
    case 0x09: /* register */
        set_place(row, get_leb(r, false), (struct place){.kind = PLACE_OTHER});
        (void)get_leb(r, false);
        break;
    case 0x0a: /* remember_state */
        r->bad |= m->remembered_count == REMEMBERED_MAX;
        if (!r->bad)
            m->remembered[m->remembered_count++] = *row;
        break;
    case 0x0b: /* restore_state */
        r->bad |= m->remembered_count == 0;
        if (!r->bad)
            *row = m->remembered[--m->remembered_count];
        break;
    case 0x0c: /* def_cfa */
        reg = get_leb(r, false);
        set_cfa(row, reg, (int64_t)get_leb(r, false));
        break;
    case 0x0d: /* def_cfa_register */
        row->cfa_register = get_leb(r, false);
        break;
    case 0x0e: /* def_cfa_offset */
        row->cfa_offset = (int64_t)get_leb(r, false);
        break;
    case 0x0f: /* def_cfa_expression */
        row->cfa_expression = part(r, get_leb(r, false));
        break;
    case 0x10: /* expression */
        set_expression(m, r, PLACE_EXPRESSION);
        break;
    case 0x11: /* offset_extended_sf */
        reg = get_leb(r, false);
        set_at_cfa(m, reg, (int64_t)get_leb(r, true));
        break;
    case 0x12: /* def_cfa_sf */
        reg = get_leb(r, false);
        set_cfa(row, reg, (int64_t)get_leb(r, true) * m->of->data_unit);
        break;
    case 0x13: /* def_cfa_offset_sf */
        row->cfa_offset = (int64_t)get_leb(r, true) * m->of->data_unit;
        break;
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf */
        set_place(row, get_leb(r, false), (struct place){.kind = PLACE_OTHER});
        (void)get_leb(r, false);
        break;
    case 0x16: /* val_expression */
        set_expression(m, r, PLACE_OTHER);
        break;
    case 0x2e: /* GNU_args_size */
        (void)get_leb(r, false);
        break;
    case 0x2f: /* GNU_negative_offset_extended */
        reg = get_leb(r, false);
        set_at_cfa(m, reg, -(int64_t)get_leb(r, false));
        break;
    default: /* among them AArch64's signed return addresses */
        r->bad = true;
    }
}

/* Runs PROGRAM until the row for the machine's pc is complete. */
static bool run(struct cfa_machine *m, struct frame_reader program)
{
    struct frame_reader *r = &program;
    while (r->at < r->end && !r->bad) {
        uint8_t op = (uint8_t)get(r, 1), low = op & 0x3f;
        switch (op >> 6) {
        case 1:
            advance(m, low);
            break;
        case 2:
            set_at_cfa(m, low, (int64_t)get_leb(r, false));
            break;
        case 3:
            restore_place(m, low);
            break;
        default:
            step_long(m, r, op);
        }
        if (m->location > m->pc)
            break;
    }
    return !r->bad;
}

/* ---- rules ---- */

/* True if EXPRESSION is FP + *OFFSET; or, with DEREF, the word there. */
static bool is_at_fp(struct frame_reader expression, bool deref, int64_t *offset)
{
    struct frame_reader *r = &expression;
    if (get(r, 1) != OP_BREG0 + REGISTER_FP)
        return false;
    *offset = (int64_t)get_leb(r, true);
    return (!deref || get(r, 1) == OP_DEREF) && !r->bad && r->at == r->end;
}

static bool fits(int64_t offset)
{
    return offset >= INT32_MIN / 2 && offset <= INT32_MAX / 2;
}

static struct frame_rule make_rule(const struct row *row)
{
    static const struct frame_rule unknown = {.cfa = FRAME_UNKNOWN};
    struct frame_rule rule = {0};
    int64_t cfa = row->cfa_offset, fp = row->fp.offset;
    if (row->return_address.kind == PLACE_UNDEFINED)
        return (struct frame_rule){.cfa = FRAME_OUTERMOST};
    if (row->return_address.kind != PLACE_AT_CFA || !fits(row->return_address.offset))
        return unknown;
    if (row->cfa_expression.at)
        rule.cfa = is_at_fp(row->cfa_expression, true, &cfa) ? FRAME_AT_FP : FRAME_UNKNOWN;
    else
        rule.cfa = row->cfa_register == REGISTER_SP   ? FRAME_SP
                   : row->cfa_register == REGISTER_FP ? FRAME_FP
                                                      : FRAME_UNKNOWN;
    rule.saved = row->fp.kind == PLACE_UNCHANGED                                                ? SAVED_NOT
                 : row->fp.kind == PLACE_AT_CFA                                                 ? SAVED_AT_CFA
                 : row->fp.kind == PLACE_EXPRESSION && is_at_fp(row->fp.expression, false, &fp) ? SAVED_AT_FP
                                                                                                : SAVED_NOWHERE;
    if (rule.cfa == FRAME_UNKNOWN || !fits(cfa) || !fits(fp))
        return unknown;
    rule.cfa_offset = (int32_t)cfa;
    rule.fp_offset = rule.saved == SAVED_AT_CFA || rule.saved == SAVED_AT_FP ? (int32_t)fp : 0;
    rule.return_offset = (int32_t)row->return_address.offset;
    return rule;
}

/* ---- descriptions ---- */

/* Returns a reader of the entry of .eh_frame at AT, from behind its length on. */
static struct frame_reader entry_at(const struct frame_tables *t, const uint8_t *at)
{
    struct frame_reader r = {at, t->high, at < t->low || at >= t->high};
    uint64_t length = get(&r, 4);
    if (length == UINT32_MAX)
        length = get(&r, 8);
    return part(&r, length);
}

/* Reads the CIE at AT into D. */
static bool read_common(const struct frame_tables *t, const uint8_t *at, struct frame_description *d)
{
    struct frame_reader r = entry_at(t, at), data = {0};
    uint64_t id = get(&r, 4), version = get(&r, 1);
    const char *augmentation = (const char *)r.at;
    while (get(&r, 1))
        ;
    if (r.bad || id != 0 || (version != 1 && version != 3))
        return false;
    d->code_unit = get_leb(&r, false);
    d->data_unit = (int64_t)get_leb(&r, true);
    if ((version == 1 ? get(&r, 1) : get_leb(&r, false)) != REGISTER_RETURN)
        return false;
    d->sized = augmentation[0] == 'z';
    if (d->sized)
        data = part(&r, get_leb(&r, false));
    else if (augmentation[0])
        return false;
    for (const char *a = augmentation; *a && !data.bad; a++) {
        if (*a == 'R')
            d->encoding = (uint8_t)get(&data, 1);
        else if (*a == 'P')
            (void)get_format(&data, (uint8_t)get(&data, 1));
        else if (*a == 'L')
            (void)get(&data, 1);
        else if (*a == 'S')
            d->is_signal = true;
        else if (*a != 'z')
            return false;
    }
    d->first = r;
    return !r.bad && !data.bad;
}

/* Reads the FDE at AT into D. */
static bool read_description(const struct frame_tables *t, const uint8_t *at, struct frame_description *d)
{
    struct frame_reader r = entry_at(t, at);
    const uint8_t *here = r.at;
    uint64_t distance = get(&r, 4);
    *d = (struct frame_description){0};
    if (r.bad || distance == 0 || distance > (uint64_t)(here - t->low) || !read_common(t, here - distance, d))
        return false;
    d->begin = get_pointer(&r, d->encoding, t->header);
    d->length = get_format(&r, d->encoding & 0x0f);
    if (d->sized)
        skip(&r, get_leb(&r, false));
    d->program = r;
    return !r.bad;
}

/* Returns where the FDE for PC is, by the table in the header, which is sorted; NULL: there is none, or the table has
 * another form than all linkers give it. */
static const uint8_t *find_description(const struct frame_tables *t, uintptr_t pc)
{
    enum { VERSION = 1, TABLE = ENCODED_HEADER | 0x0b, ROW = 8 };
    struct frame_reader r = {t->header, t->high, t->header < t->low || t->header >= t->high};
    uint64_t version = get(&r, 1);
    uint8_t frames = (uint8_t)get(&r, 1), counts = (uint8_t)get(&r, 1), table = (uint8_t)get(&r, 1);
    if (r.bad || version != VERSION || frames == ENCODED_OMIT || counts == ENCODED_OMIT || table != TABLE)
        return NULL;
    (void)get_pointer(&r, frames, t->header);
    uint64_t count = get_pointer(&r, counts, t->header), low = 0, high = count;
    if (r.bad || count > (uint64_t)(r.end - r.at) / ROW)
        return NULL;
    int64_t wanted = (int64_t)(pc - (uintptr_t)t->header);
    while (low < high) { /* finds the first row behind PC */
        uint64_t middle = (low + high) / 2;
        struct frame_reader row = {r.at + middle * ROW, r.end, false};
        if (get_signed(&row, 4) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    struct frame_reader row = {r.at + (low - 1) * ROW + 4, r.end, false};
    int64_t offset = get_signed(&row, 4);
    if (offset < t->low - t->header || offset >= t->high - t->header)
        return NULL;
    return t->header + offset;
}

struct frame_rule frame_rule_at(const struct frame_tables *tables, uintptr_t pc)
{
    static const struct frame_rule unknown = {.cfa = FRAME_UNKNOWN};
    struct frame_description d;
    const uint8_t *at = find_description(tables, pc);
    if (!at || !read_description(tables, at, &d) || d.is_signal || pc - d.begin >= d.length)
        return unknown;
    struct cfa_machine m = {.of = &d, .pc = UINTPTR_MAX};
    m.row.return_address.kind = PLACE_OTHER;
    if (!run(&m, d.first))
        return unknown;
    m.first = m.row;
    m.location = d.begin;
    m.pc = pc;
    return run(&m, d.program) ? make_rule(&m.row) : unknown;
}

/* ---- modules ---- */

struct wanted_rule {
    uintptr_t pc;
    struct frame_rule rule;
};

/* True if ADDRESS is in the first SIZE bytes of the segment LOAD of the module at BASE. */
static bool in_segment(ElfW(Addr) base, const ElfW(Phdr) * load, size_t size, uintptr_t address)
{
    return load->p_type == PT_LOAD && address - (base + load->p_vaddr) < size;
}

static int look_into(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct wanted_rule *w = data;
    const ElfW(Phdr) *header = NULL;
    bool found = false;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        found |= in_segment(info->dlpi_addr, p, p->p_memsz, w->pc);
        if (p->p_type == PT_GNU_EH_FRAME)
            header = p;
    }
    for (size_t i = 0; found && header && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + header->p_vaddr;
        if (!(p->p_flags & PF_R) || !in_segment(info->dlpi_addr, p, p->p_filesz, at))
            continue;
        const uint8_t *low = (const uint8_t *)info->dlpi_addr + p->p_vaddr;
        const struct frame_tables tables = {low, low + p->p_filesz, (const uint8_t *)at};
        w->rule = frame_rule_at(&tables, w->pc);
    }
    return found;
}

struct frame_rule frame_rule_of(const void *address)
{
    struct wanted_rule w = {.pc = (uintptr_t)address - 1};
    (void)dl_iterate_phdr(look_into, &w);
    return w.rule;
}

struct frame_rule frame_rule_in(const void *header, uintptr_t pc)
{
    const ElfW(Ehdr) *elf = header;
    struct dl_phdr_info info = {.dlpi_phdr = (const ElfW(Phdr) *)((const char *)header + elf->e_phoff),
                                .dlpi_phnum = elf->e_phnum};
    struct wanted_rule w = {.pc = pc};
    ElfW(Addr) low = UINTPTR_MAX;
    for (size_t i = 0; i < info.dlpi_phnum; i++)
        if (info.dlpi_phdr[i].p_type == PT_LOAD && info.dlpi_phdr[i].p_vaddr < low)
            low = info.dlpi_phdr[i].p_vaddr;
    info.dlpi_addr = (uintptr_t)header - (low & ~(ElfW(Addr))4095);
    (void)look_into(&info, sizeof info, &w);
    return w.rule;
}
