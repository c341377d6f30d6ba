/* Buffered output that is quick for many short pieces. The first write error sticks. */
#ifndef DECODER_OUTPUT_H
#define DECODER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
    int descriptor;
    int error;     /* errno of the first failed write, 0 for none; nothing is written after it */
    size_t used;
    char buffer[1 << 16];
};

void out_bytes(struct output *o, const char *data, size_t length);
void out_text(struct output *o, const char *text);
void out_char(struct output *o, char c);
void out_int(struct output *o, int64_t v);
void out_uint(struct output *o, uint64_t v);
void out_hex(struct output *o, uint64_t v); /* lower case, no prefix */
void out_real(struct output *o, double v);  /* %.17g */
void out_decimal(struct output *o, double v); /* three digits or so, for people: 3.14, 31.4, 314 */

/* TEXT as a JSON string: quotes and backslashes escaped, control bytes and bytes that are not UTF-8 as \u00XX.
 * out_json_escaped: without the quotes around it. */
void out_json_escaped(struct output *o, const char *text, size_t length);
void out_json_string(struct output *o, const char *text, size_t length);
/* `,"NAME":VALUE` */
void out_json_field(struct output *o, const char *name, int64_t value);
void out_flush(struct output *o);

#endif
