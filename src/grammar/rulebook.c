#include "grammar/rulebook.h"
#include <stdlib.h>
#include <string.h>
#include "base/intern.h"
#include "base/try.h"
struct rulebook { struct intern rules[2]; struct intern order; };
/* naive stand-in: every rule by its symbols' bytes */
struct rulebook *rulebook_new(void) { return calloc(1, sizeof(struct rulebook)); }
void rulebook_free(struct rulebook *p) { if (!p) return; intern_free(&p->order); free(p); }
enum pilgrim_status rulebook_rule(struct rulebook *p, const struct rulebook_symbol *s, size_t n, uint32_t *rule)
{
    struct bytes b = {0};
    bytes_put_varint(&b, n);
    for (size_t i = 0; i < n; i++) {
        bytes_put_varint(&b, s[i].value << 2 | (uint64_t)(s[i].exponent > 1) << 1 | s[i].is_rule);
        if (s[i].exponent > 1) bytes_put_varint(&b, (s[i].exponent - 2) << 1);
    }
    enum pilgrim_status st = intern_add(&p->order, b.data, b.length, rule);
    bytes_free(&b);
    return st;
}
enum pilgrim_status rulebook_sequence(struct rulebook *p, const struct rulebook_symbol *s, size_t n, bool ramps, uint32_t *q)
{
    (void)ramps;
    *q = 0;
    if (!n) return PILGRIM_OK;
    TRY(rulebook_rule(p, s, n, q));
    ++*q;
    return PILGRIM_OK;
}
static enum pilgrim_status read_rule(struct rulebook *p, const size_t *start, const void *data, size_t length, uint32_t *map, uint32_t r, bool top, uint32_t *out)
{
    struct cursor c;
    cursor_init(&c, data, length);
    c.position = start[r];
    size_t n = cursor_varint(&c);
    struct rulebook_symbol *s = malloc((n + 1) * sizeof *s);
    for (size_t i = 0; i < n; i++) {
        uint64_t h = cursor_varint(&c);
        s[i] = (struct rulebook_symbol){.value = h >> 2, .exponent = h & 2 ? cursor_varint(&c) + 2 : 1, .is_rule = h & 1};
        if (h & 1) {
            uint32_t sub;
            if (map[h >> 2] == UINT32_MAX) { TRY(read_rule(p, start, data, length, map, (uint32_t)(h >> 2), false, &sub)); map[h >> 2] = sub; }
            s[i].value = map[h >> 2];
        }
    }
    enum pilgrim_status st = top ? rulebook_sequence(p, s, n, true, out) : rulebook_rule(p, s, n, out);
    free(s);
    return st;
}
enum pilgrim_status rulebook_serialised(struct rulebook *p, const void *data, size_t length, bool ramps, uint32_t *q)
{
    (void)ramps;
    struct cursor c;
    cursor_init(&c, data, length);
    size_t n = cursor_varint(&c);
    size_t *start = malloc(n * sizeof *start);
    uint32_t *map = malloc(n * sizeof *map);
    for (size_t i = 0; i < n; i++) {
        start[i] = c.position; map[i] = UINT32_MAX;
        for (uint64_t k = cursor_varint(&c); k > 0; k--) if (cursor_varint(&c) & 2) cursor_varint(&c);
    }
    enum pilgrim_status st = read_rule(p, start, data, length, map, 0, true, q);
    free(start); free(map);
    return st;
}
enum pilgrim_status rulebook_finish(struct rulebook *p) { (void)p; return PILGRIM_OK; }
void rulebook_write(const struct rulebook *p, struct bytes *out)
{
    bytes_put_varint(out, p->order.count);
    for (uint32_t i = 0; i < p->order.count; i++) { size_t l; const uint8_t *d = intern_get(&p->order, i, &l); bytes_put(out, d, l); }
}
uint64_t rulebook_reference(const struct rulebook *p, uint32_t q) { (void)p; return q; }
