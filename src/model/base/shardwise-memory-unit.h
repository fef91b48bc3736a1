/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The unit in which amounts of memory are written for people: GiB, unless they prefer GB. Like the
 * locale it holds for the whole process; data (JSON, CSV, the keys of scenarios and rules) has
 * units of its own, always. */
void shardwise_memory_unit_set_decimal (gboolean decimal); /* from the next text on; any thread */
gboolean shardwise_memory_unit_is_decimal (void);
double shardwise_memory_unit_bytes (void); /* of one GiB or GB */
/* (transfer full): a translated text that says "GiB", for this unit */
char *shardwise_memory_unit_text (const char *text);

G_END_DECLS
