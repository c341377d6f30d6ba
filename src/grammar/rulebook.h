#ifndef PILGRIM_POOL_RULES_H
#define PILGRIM_POOL_RULES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/bytes.h"
#include "pilgrim/status.h"
struct rulebook;
struct rulebook_symbol { uint64_t value; uint64_t exponent; bool is_rule; };
struct rulebook *rulebook_new(void);
void rulebook_free(struct rulebook *p);
enum pilgrim_status rulebook_rule(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count, uint32_t *rule) PILGRIM_CHECKED;
enum pilgrim_status rulebook_sequence(struct rulebook *p, const struct rulebook_symbol *symbols, size_t count, bool ramps, uint32_t *sequence) PILGRIM_CHECKED;
enum pilgrim_status rulebook_serialised(struct rulebook *p, const void *data, size_t length, bool ramps, uint32_t *sequence) PILGRIM_CHECKED;
enum pilgrim_status rulebook_finish(struct rulebook *p) PILGRIM_CHECKED;
void rulebook_write(const struct rulebook *p, struct bytes *out);
uint64_t rulebook_reference(const struct rulebook *p, uint32_t sequence);
#endif
