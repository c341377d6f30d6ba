/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates: structure groups that do nearly the same become one (docs/design/templates.md).
 *
 * Calls that only some of the members make, or not equally often, are in loops with a constant number of trips for each
 * member. So the file needs nothing new. */
#ifndef PILGRIM_TEMPLATE_H
#define PILGRIM_TEMPLATE_H

#include "merge/fragment.h"
#include "pilgrim/status.h"
#include "template/families.h"

/* Sets *JOINED to a copy of F in which each of FAMILIES is one group; NULL: it would take too much time, as joining
 * visits at most WORK values. F must live longer than *JOINED, which shares tables with it. Only trace_writer.c's
 * functions may use *JOINED. The caller passes it to templates_free. errors: PILGRIM_NOMEM, PILGRIM_LIMIT,
 * PILGRIM_DAMAGED; *JOINED is then NULL */
enum pilgrim_status templates_join(const struct fragment *f, const struct families *families, uint64_t work,
                                   struct fragment **joined) PILGRIM_CHECKED;
/* Does the same without a limit of work. */
enum pilgrim_status templates_make(const struct fragment *f, const struct families *families,
                                   struct fragment **joined) PILGRIM_CHECKED;
void templates_free(struct fragment *joined); /* NULL is legal */

#endif
