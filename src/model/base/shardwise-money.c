/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Amounts of money as people read them. */
#include "shardwise-money.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-format.h"

/* With the symbol of the currencies that have one of their own. */
static char *
with_currency (const char *number, const char *currency)
{
  if (g_strcmp0 (currency, "USD") == 0)
    /* Translators: an amount of US dollars */
    return g_strdup_printf (_ ("$%s"), number);
  if (g_strcmp0 (currency, "EUR") == 0)
    /* Translators: an amount of euros */
    return g_strdup_printf (_ ("€%s"), number);
  if (g_strcmp0 (currency, "GBP") == 0)
    /* Translators: an amount of pounds sterling */
    return g_strdup_printf (_ ("£%s"), number);
  return g_strdup_printf (
      /* Translators: an amount of money and the code of its currency */
      _ ("%s %s"), number, currency != NULL ? currency : "");
}

/**
 * shardwise_format_money:
 * @amount: an estimate
 * @currency: (nullable): its code
 *
 * Returns: (transfer full): with three significant digits, as an estimate has: "$169,000"; one
 * digit of cents is filled up: "$81.20"
 */
char *
shardwise_format_money (double amount, const char *currency)
{
  g_autofree char *number = shardwise_format_significant (amount), *filled = NULL;
  const gsize length = strlen (number);

  if (length < 2 || g_ascii_isdigit (number[length - 2]))
    return with_currency (number, currency);
  filled = g_strconcat (number, "0", NULL);
  return with_currency (filled, currency);
}

/**
 * shardwise_money_digit:
 * @total: of a bill, or a price
 *
 * Returns: what the last digit counts that is shown of it: a hundredth, from 1,000 on a unit
 */
double
shardwise_money_digit (double total)
{
  return fabs (total) >= 999.995 ? 1 : 0.01;
}

/**
 * shardwise_format_amount:
 * @amount: a price, or an item of a bill
 * @total: of the bill, which says how precise its items are; the amount itself where it stands
 *   alone
 *
 * Returns: (transfer full): to the hundredth, from a total of 1,000 on to the unit, and what is
 * below the last digit to three significant digits; without a currency: "2.58", "1,234,568",
 * "0.00123"
 */
char *
shardwise_format_amount (double amount, double total)
{
  const double size = fabs (amount);

  if (size > 0 && size < 0.1)
    {
      /* Three significant digits without zeros at the end, but hundredths at least: "0.08", "0.00123". */
      char *number = shardwise_format_significant (amount);
      gsize length = strlen (number), point = length;

      while (point > 0 && g_ascii_isdigit (number[point - 1]))
        point--;
      while (point > 0 && length > point + 2 && number[length - 1] == '0')
        number[--length] = '\0';
      return number;
    }

  return shardwise_money_digit (total) >= 1 && (size >= 1 || size == 0)
             ? shardwise_format_whole (amount)
             : g_strdup_printf ("%'.2f", amount);
}

/**
 * shardwise_format_item:
 * @amount: an item of a bill
 * @total: of the bill
 * @currency: (nullable): its code
 *
 * Returns: (transfer full): as precise as the total is: "$412", "$1,234,568"
 */
char *
shardwise_format_item (double amount, double total, const char *currency)
{
  g_autofree char *number = shardwise_format_amount (amount, total);

  return with_currency (number, currency);
}

/**
 * shardwise_format_price:
 * @amount: a price, or a sum that is paid
 * @currency: (nullable): its code
 *
 * Returns: (transfer full): to the hundredth, from 1,000 on to the unit, smaller ones to three
 * significant digits: "$2.58", "$1,234,568", "$0.00123"
 */
char *
shardwise_format_price (double amount, const char *currency)
{
  return shardwise_format_item (amount, amount, currency);
}

/**
 * shardwise_format_months:
 * @months: of a price in the catalogue: a month, or the first and the last with ".." between
 *
 * Returns: (transfer full): with what a reader takes for "to" between them: "2026-09 – 2026-11"
 */
char *
shardwise_format_months (const char *months)
{
  g_auto (GStrv) ends = g_strsplit (months, "..", 2);

  return g_strjoinv (" – ", ends);
}
