/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers and texts for people. All functions return newly allocated strings. */
char *shardwise_format_bytes (double bytes); /* "61.2 GiB": three significant digits, unit once */
char *shardwise_format_seconds (double seconds);                      /* "8.42 s", "310 ms" */
char *shardwise_format_seconds_beside (double seconds, double other); /* in the unit of `other` */
double shardwise_seconds_unit (double whole);
char *shardwise_format_seconds_in (double seconds, double unit, double step); /* "0.042 s" */
char *shardwise_format_count (double count);       /* "13.1 k", "70.6 B" */
char *shardwise_format_whole (double count);       /* all digits: "16,384" */
char *shardwise_format_gpus (guint gpus);          /* "16,384 GPUs" */
char *shardwise_format_tick (double count);        /* for a round count: "50 k", "2.5 M" */
char *shardwise_format_percent (double share);     /* 0.412 -> "41.2 %" */
char *shardwise_signed_percent (double change);    /* "▲ +3.1 %" */
char *shardwise_signed_points (double change);     /* "▲ +3.1 points" */
char *shardwise_format_change (double share);      /* -0.031 -> "−3.1 %" */
char *shardwise_format_significant (double value); /* three significant digits, grouped */
char *shardwise_format_unbroken (const char *text);
char *shardwise_format_unhyphenated (const char *text);
char *shardwise_text_capitalise (const char *text);
char *shardwise_text_join (const char *text); /* joins lines into one */
void shardwise_text_append_cell (GString *out, int width, const char *text); /* pads a cell of a
                                                                                table */

/* Lists with the separators of the language: clauses "a; b", items "a, b". */
void shardwise_text_list (GString *list, const char *format, ...) G_GNUC_PRINTF (2, 3);
void shardwise_text_items (GString *list, const char *format, ...) G_GNUC_PRINTF (2, 3);
char *shardwise_text_enumerate (const char *const *items);
void shardwise_text_append (GString *text, char *sentence); /* takes ownership of sentence */

/* Amounts of money for people. All functions return newly allocated strings. */
char *shardwise_format_money (double amount, const char *currency); /* "$169,000" */
double shardwise_money_digit (double total);
char *shardwise_format_amount (double amount, double total); /* "2.58", "1,234,568" */
char *shardwise_format_item (double amount, double total, const char *currency);
char *shardwise_format_price (double amount, const char *currency); /* "$2.58" */
char *shardwise_format_months (const char *months);                 /* "2026-09 – 2026-11" */

/* Dates as in scenario files and on the command line. */
gboolean shardwise_date_parse (const char *text, GDate *out);
void shardwise_date_today (GDate *out);

/* The unit of memory in texts: GiB, or GB if the user prefers it. Set per process, like the locale.
 * Data (JSON, CSV, keys of scenarios and rules) has fixed units. */
void shardwise_memory_unit_set_decimal (gboolean decimal); /* applies to later texts; callable in
                                                              any thread */
gboolean shardwise_memory_unit_is_decimal (void);
double shardwise_memory_unit_bytes (void); /* of one GiB or GB */
/* Returns: (transfer full): a translated text that contains "GiB", converted to this unit */
char *shardwise_memory_unit_text (const char *text);

G_END_DECLS
