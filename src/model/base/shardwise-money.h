/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Amounts of money as people read them; all return newly allocated strings. */
char *shardwise_format_money (double amount, const char *currency); /* "$169,000" */
double shardwise_money_digit (double total);
char *shardwise_format_amount (double amount, double total); /* "2.58", "1,234,568" */
char *shardwise_format_item (double amount, double total, const char *currency);
char *shardwise_format_price (double amount, const char *currency); /* "$2.58" */
char *shardwise_format_months (const char *months);                 /* "2026-09 – 2026-11" */

G_END_DECLS
