/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-date.h"

#include <string.h>

static gboolean
has_form (const char *text)
{
  gsize length = strlen (text);

  if (length != 7 && length != 10)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (i == 4 || i == 7 ? text[i] != '-' : !g_ascii_isdigit (text[i]))
      return FALSE;
  return TRUE;
}

static guint
number (const char *text)
{
  return (guint) g_ascii_strtoull (text, NULL, 10);
}

/**
 * shardwise_date_parse:
 * @text: YYYY-MM-DD, or YYYY-MM for the last day of that month
 * @out: (out): the day
 *
 * Returns: whether @text is a date from 1970 on
 */
gboolean
shardwise_date_parse (const char *text, GDate *out)
{
  guint year, month, day;

  g_date_clear (out, 1);
  if (!has_form (text))
    return FALSE;
  year = number (text);
  month = number (text + 5);
  if (year < 1970 || month < 1 || month > 12)
    return FALSE;
  day = text[7] == '-' ? number (text + 8)
                       : g_date_get_days_in_month ((GDateMonth) month, (GDateYear) year);
  if (!g_date_valid_dmy ((GDateDay) day, (GDateMonth) month, (GDateYear) year))
    return FALSE;
  g_date_set_dmy (out, (GDateDay) day, (GDateMonth) month, (GDateYear) year);
  return TRUE;
}

/**
 * shardwise_date_today:
 * @out: (out): the day it is here
 */
void
shardwise_date_today (GDate *out)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  g_date_clear (out, 1);
  g_date_set_dmy (out, (GDateDay) g_date_time_get_day_of_month (now),
                  (GDateMonth) g_date_time_get_month (now), (GDateYear) g_date_time_get_year (now));
}
