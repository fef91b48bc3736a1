/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers for people: three significant digits, the unit once, grouped as in the locale; amounts of
 * money; the unit of memory. */
#include "shardwise-format.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "sw-types.h"

enum { DIGITS = 3 };

/* The decimals of a value with this many significant digits. */
static int
decimals (double value, int digits)
{
  if (fabs (value) < 1e-12)
    return 0;
  return CLAMP (digits - 1 - (int) floor (log10 (fabs (value)) + 1e-9), 0, 9);
}

/* Rounds to three significant digits first, so that 999.6 becomes 1,000 and 9.996 becomes 10.0. */
static char *
significant (double value)
{
  const double size = fabs (value);
  double unit;

  if (!isfinite (value))
    return g_strdup ("–");
  if (size < 1e-12)
    return g_strdup ("0");
  unit = pow (10.0, floor (log10 (size)) - (DIGITS - 1));
  value = round (value / unit) * unit;
  return g_strdup_printf ("%'.*f", decimals (value, DIGITS), value);
}

/**
 * shardwise_format_significant:
 * @value: any number
 *
 * Returns: (transfer full): three significant digits, grouped: "61.2", "0.507", "169,000"
 */
char *
shardwise_format_significant (double value)
{
  return significant (value);
}

/**
 * shardwise_format_whole:
 * @count: a count whose every digit matters, such as of GPUs or strategies
 *
 * Returns: (transfer full): all of its digits, grouped: "16,384"
 */
char *
shardwise_format_whole (double count)
{
  return g_strdup_printf ("%'.0f", count);
}

/**
 * shardwise_format_gpus:
 * @gpus: a count of GPUs
 *
 * Returns: (transfer full): the count with what it counts: "1 GPU", "16,384 GPUs"
 */
char *
shardwise_format_gpus (guint gpus)
{
  return g_strdup_printf (ngettext ("%'u GPU", "%'u GPUs", gpus), gpus);
}

/* A round number as short as possible: 50, not 50.0. Ten digits hide rounding errors of a
 * division. */
static char *
shortest (double value)
{
  return g_strdup_printf ("%'.10g", value);
}

/* Units, largest first, ending with a size of 0. */
typedef struct {
  double size;
  const char *format; /* with one %s */
  double least;       /* smallest value in this unit; 0: its size */
  const char *one;    /* (nullable): the format of exactly one, if it differs */
} Unit;

/* The first unit whose smallest value is not larger. */
static const Unit *
unit_for (double value, const Unit *units)
{
  const Unit *unit = units;

  while (unit[1].size > 0.0 && fabs (value) < MAX (unit->size, unit->least) * 0.9995)
    unit++;
  return unit;
}

static char *
in_unit (double value, const Unit *unit, char *(*write) (double) )
{
  g_autofree char *number = write (value / unit->size);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return g_strdup_printf (_ (unit->format), number);
#pragma GCC diagnostic pop
}

static char *
with_unit (double value, const Unit *units, char *(*write) (double) )
{
  return in_unit (value, unit_for (value, units), write);
}

/**
 * shardwise_format_bytes:
 * @bytes: an amount of memory
 *
 * Returns: (transfer full): in GiB (2^30 bytes), below 1 in MiB or KiB: "61.2 GiB"; or in GB, MB
 *   and kB, see shardwise_memory_unit_set_decimal()
 */
char *
shardwise_format_bytes (double bytes)
{
  static const Unit units[] = {
    /* Translators: an amount of memory; %s is a number */
    { SW_GIB, N_ ("%s GiB") },
    /* Translators: a number with its unit; %s is the number */
    { SW_GIB / 1024.0, N_ ("%s MiB") },
    /* Translators: a number with its unit; %s is the number */
    { SW_GIB / 1024.0 / 1024.0, N_ ("%s KiB") },
    { 0.0, NULL },
  };
  static const Unit decimal_units[] = {
    { SW_GB, "%s GB" },
    { SW_GB / 1e3, "%s MB" },
    { SW_GB / 1e6, "%s kB" },
    { 0.0, NULL },
  };

  if (bytes == 0.0)
    return shardwise_memory_unit_text (_ ("0 GiB"));
  return with_unit (bytes, shardwise_memory_unit_is_decimal () ? decimal_units : units,
                    significant);
}

static const Unit second_units[] = {
  /* Translators: a duration; %s is a number */
  { 365.25 * 86400.0, N_ ("%s years"), 2 * 365.25 * 86400.0, N_ ("%s year") },
  /* Translators: a duration; %s is a number */
  { 86400.0, N_ ("%s days"), 0, N_ ("%s day") },
  /* Translators: a number with its unit; %s is the number */
  { 3600.0, N_ ("%s h") },
  /* Translators: a number with its unit; %s is the number */
  { 60.0, N_ ("%s min"), 120.0 },
  /* Translators: a number with its unit; %s is the number */
  { 1.0, N_ ("%s s") },
  /* Translators: a number with its unit; %s is the number */
  { 1e-3, N_ ("%s ms") },
  /* Translators: a number with its unit; %s is the number */
  { 1e-6, N_ ("%s µs") },
  { 0.0, NULL },
};

/**
 * shardwise_format_seconds:
 * @seconds: a duration
 *
 * Returns: (transfer full): in a suitable unit: "310 ms", "8.42 s", "3.5 h", "88.0 days", from two
 * minutes "2.10 min", from two years "2.40 years" of 365.25 days
 */
char *
shardwise_format_seconds (double seconds)
{
  if (seconds == 0.0)
    return g_strdup (_ ("0 s"));
  return with_unit (seconds, second_units, significant);
}

/**
 * shardwise_format_seconds_beside:
 * @seconds: a duration
 * @other: the duration shown before it
 *
 * Returns: (transfer full): in the unit of @other, so that both compare at a glance ("58.0 s", "126
 * s"); in its own if it would have four digits or begin with 0.0
 */
char *
shardwise_format_seconds_beside (double seconds, double other)
{
  const Unit *unit = unit_for (other, second_units);
  const double number = fabs (seconds) / unit->size;

  if (other == 0.0 || number < 0.1 || number >= 999.5)
    return shardwise_format_seconds (seconds);
  return in_unit (seconds, unit, significant);
}

/**
 * shardwise_seconds_unit:
 * @whole: a duration
 *
 * Returns: the unit in which shardwise_format_seconds() writes it, seconds
 */
double
shardwise_seconds_unit (double whole)
{
  return unit_for (whole, second_units)->size;
}

/**
 * shardwise_format_seconds_in:
 * @seconds: a part of a duration, or a tick of its axis
 * @unit: by shardwise_seconds_unit() of the whole
 * @step: the distance of two ticks in seconds, which determines the decimals; 0: three significant
 *   digits, down to a thousandth if that is not zero
 *
 * Returns: (transfer full): in that unit, so that a chart has one unit: "0.042 s" beside "8.42 s"
 */
char *
shardwise_format_seconds_in (double seconds, double unit, double step)
{
  const double value = seconds / unit;
  const Unit *of = second_units;
  int digits = decimals (step / unit, 1);
  g_autofree char *number = NULL;

  if (step != 0.0 && seconds == 0.0)
    digits = 0; /* the first tick: its label has the least space */
  else if (step == 0.0)
    digits = MAX (decimals (value, 1), MIN (decimals (value, DIGITS), DIGITS));
  while (of->size > unit)
    of++;
  number = g_strdup_printf ("%'.*f", digits, value);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return g_strdup_printf (_ (of->one != NULL && g_str_equal (number, "1") ? of->one : of->format),
                          number);
#pragma GCC diagnostic pop
}

static const Unit count_units[] = {
  /* Translators: a count in units of 10^12; %s is a number */
  { 1e12, N_ ("%s T") },
  /* Translators: a count in units of 10^9; %s is a number */
  { 1e9, N_ ("%s B") },
  /* Translators: a count in units of 10^6; %s is a number */
  { 1e6, N_ ("%s M") },
  /* Translators: a number with its unit; %s is the number */
  { 1e3, N_ ("%s k") },
  { 1.0, "%s" },
  { 0.0, NULL },
};

/**
 * shardwise_format_count:
 * @count: parameters, tokens, tokens per second, …
 *
 * Returns: (transfer full): whole numbers below a thousand as they are, others with k, M, B or T:
 * "70.6 B"
 */
char *
shardwise_format_count (double count)
{
  if (fabs (count) < 999.5 && count == round (count))
    return g_strdup_printf ("%.0f", count);
  return with_unit (count, count_units, significant);
}

/**
 * shardwise_format_tick:
 * @count: a round count on an axis
 *
 * Returns: (transfer full): the count without unnecessary digits: "50 k"
 */
char *
shardwise_format_tick (double count)
{
  return with_unit (count, count_units, shortest);
}

/**
 * shardwise_format_percent:
 * @share: 1 is the whole
 *
 * Returns: (transfer full): with one decimal: 0.412 is "41.2 %", -0.089 is "−8.9 %"
 */
char *
shardwise_format_percent (double share)
{
  const double percent = fabs (share) * 100.0;
  g_autofree char *amount = NULL;

  if (!isfinite (percent))
    return g_strdup ("–");
  amount = g_strdup_printf (
      /* Translators: a percentage */
      _ ("%.*f %%"), percent < 99.95 ? 1 : 0, percent < 0.05 ? 0.0 : percent);
  return g_strconcat (share < 0 && percent >= 0.05 ? "−" : "", amount, NULL);
}

/**
 * shardwise_format_change:
 * @share: relative growth; negative: decrease
 *
 * Returns: (transfer full): with its sign, typographically: -0.031 is "−3.1 %"
 */
char *
shardwise_format_change (double share)
{
  g_autofree char *amount = shardwise_format_percent (fabs (share));

  if (!isfinite (share) || fabs (share) < 0.0005)
    return g_steal_pointer (&amount);
  return g_strconcat (share < 0 ? "−" : "+", amount, NULL);
}

#define NO_CHANGE 0.0005 /* below what one digit shows */

/**
 * shardwise_signed_percent:
 * @change: relative, 0.08 for 8 % more
 *
 * Returns: (transfer full): signed, with an arrow besides the sign; "–" where there is none
 */
char *
shardwise_signed_percent (double change)
{
  if (!isfinite (change))
    return g_strdup ("–");
  if (fabs (change) < NO_CHANGE)
    return g_strdup (_ ("±0 %"));
  /* Translators: an arrow and a signed change in percent */
  return change > 0 ? g_strdup_printf (_ ("▲ +%.1f %%"), change * 100)
                    : g_strdup_printf (_ ("▼ −%.1f %%"), -change * 100);
}

/**
 * shardwise_signed_points:
 * @change: the difference of two shares, 0.08 for 8 points more
 *
 * Returns: (transfer full): signed, in percentage points, with an arrow besides the sign
 */
char *
shardwise_signed_points (double change)
{
  if (fabs (change) < NO_CHANGE)
    return g_strdup (_ ("±0 points"));
  /* Translators: an arrow and a signed difference of two percentages, in percentage points */
  return change > 0 ? g_strdup_printf (_ ("▲ +%.1f points"), change * 100)
                    : g_strdup_printf (_ ("▼ −%.1f points"), -change * 100);
}

/* Compiled once: a page asks for hundreds of texts. @compiled: atomic */
static const GRegex *
compile_once (gsize *compiled, const char *pattern)
{
  if (g_once_init_enter (compiled))
    g_once_init_leave (compiled, (gsize) g_regex_new (pattern, (GRegexCompileFlags) 0,
                                                      (GRegexMatchFlags) 0, NULL));
  return (const GRegex *) *compiled;
}

/**
 * shardwise_format_unbroken:
 * @text: sentences with figures
 *
 * Returns: (transfer full): the same with spaces at which no line is broken between a number and
 *   its unit, between a dimension or a framework and its number, and before a dot between them:
 *   "28.1 k", "70.8 GiB", "39.8 %", "TP 8", "FSDP 2", "Offload: none", "64.5 of 79.2"; and without a
 *   break within "tokens/s" and ranges: "13.6 days–17.2 days"
 */
char *
shardwise_format_unbroken (const char *text)
{
  static gsize spaces, joints;
  const GRegex *space = compile_once (
      &spaces,
      "(?<=[0-9]) (?=(?:[kMBGT]|[KMGTP]iB|[kMGTP]B|%|‰|s|ms|µs|W|h|min|d|days?|years?|weeks?|GPUs?|"
      "Tag(?:en?)?|Wochen?|Stunden?|Jahr(?:en?)?|jours?|semaines?|heures?|ans?|días?|semanas?|"
      "horas?|años?|[Tt]okens|TFLOP|kWh|USD|EUR)(?![A-Za-z]))"
      "|(?<=\\b(?:TP|PP|DP|CP|EP|SP)) (?=[0-9])"
      "|(?<=\\b(?:VPP|ETP)) (?=[0-9])"
      "|(?<=\\b(?:ZeRO|FSDP)) (?=[0-9])"
      "|(?<=\\p{L}) (?=[0-9]+(?:[,;:](?![0-9])| ·|$))"
      "|(?<=\\p{L}:) (?=\\p{L}+(?: ·|$))"
      "|(?<=[0-9]) (?=\\p{Ll}{1,3} [0-9])"
      "|(?<=[0-9] )\\p{Ll}{1,3}\\K (?=[0-9])"
      "| (?=·)");
  /* Places without a space where lines must not break. */
  const GRegex *joint =
      compile_once (&joints, "(?<=\\p{L}/)(?=s\\b)"
                             "|(?<=[0-9\\p{L}]–)(?=[0-9])"
                             "|(?<![\\w/-])\\p{L}{1,8}-\\K(?=\\p{L}{1,7}(?![\\w/-]|\\.\\w))");
  g_autofree char *spaced = g_regex_replace_literal (space, text, -1, 0, "\302\240",
                                                     (GRegexMatchFlags) 0, NULL);

  /* A word joiner (zero width). */
  return g_regex_replace_literal (joint, spaced, -1, 0, "\342\201\240", (GRegexMatchFlags) 0, NULL);
}

/**
 * shardwise_format_unhyphenated:
 * @text: with commands or file names
 *
 * Returns: (transfer full): @text with word joiners (zero width), so that lines do not break after
 * a hyphen
 */
char *
shardwise_format_unhyphenated (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "-", -1);

  return g_strjoinv ("-\342\201\240", parts);
}

/**
 * shardwise_text_append_cell:
 * @out: a line of a table for a terminal
 * @width: columns; negative: left-aligned
 *
 * Appends a text, padded with spaces to the width. A wide character, such as a Japanese one, takes
 * two columns; printf() counts bytes instead.
 */
void
shardwise_text_append_cell (GString *out, int width, const char *text)
{
  int padding = abs (width);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    padding -= g_unichar_iszerowidth (g_utf8_get_char (p)) ? 0
               : g_unichar_iswide (g_utf8_get_char (p))    ? 2
                                                           : 1;
  padding = MAX (0, padding);
  g_string_append_printf (out, "%*s%s%*s", width > 0 ? padding : 0, "", text,
                          width > 0 ? 0 : padding, "");
}

/**
 * shardwise_text_join:
 * @text: of an element of XML
 *
 * Returns: (transfer full): the text in one line, with runs of white space replaced by a space, as
 * in xgettext's messages
 */
char *
shardwise_text_join (const char *text)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t\n", -1);
  GString *line = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_string_append_printf (line, "%s%s", line->len > 0 ? " " : "", words[i]);
  return g_string_free (line, FALSE);
}

static void
append_listed (GString *list, const char *separator, const char *format, va_list arguments)
{
  if (list->len > 0)
    g_string_append (list, separator);
  g_string_append_vprintf (list, format, arguments);
}

/**
 * shardwise_text_list:
 * @list: the list so far
 * @format: a clause, or an item that may contain commas, as for printf()
 *
 * Appends to a list with the separator of the language: "a; b".
 */
void
shardwise_text_list (GString *list, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  /* Translators: between two clauses, or two items that may contain commas */
  append_listed (list, _ ("; "), format, arguments);
  va_end (arguments);
}

/**
 * shardwise_text_items:
 * @list: the list so far
 * @format: an item, as for printf()
 *
 * Appends to a list with the separator of the language: "a, b".
 */
void
shardwise_text_items (GString *list, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  /* Translators: between two items of a list */
  append_listed (list, _ (", "), format, arguments);
  va_end (arguments);
}

/**
 * shardwise_text_enumerate:
 * @items: NULL-terminated
 *
 * Returns: (transfer full): the items as a list: "a, b"
 */
char *
shardwise_text_enumerate (const char *const *items)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; items[i] != NULL; i++)
    shardwise_text_items (list, "%s", items[i]);
  return g_string_free (list, FALSE);
}

/**
 * shardwise_text_capitalise:
 * @text: a clause, such as the message of an error
 *
 * Returns: (transfer full): @text as the beginning of a sentence; names in code are unchanged
 */
char *
shardwise_text_capitalise (const char *text)
{
  g_autofree char *first = g_utf8_substring (text, 0, MIN (1, g_utf8_strlen (text, -1))),
                  *upper = g_utf8_strup (first, -1);
  const gsize word = strcspn (text, " ");

  if (memchr (text, '_', word) != NULL) /* a name in code, such as pretrain_gpt.py */
    return g_strdup (text);
  return g_strconcat (upper, text + strlen (first), NULL);
}

/**
 * shardwise_text_append:
 * @text: sentences
 * @sentence: (nullable) (transfer full): another
 *
 * Appends a sentence, with a space between two.
 */
void
shardwise_text_append (GString *text, char *sentence)
{
  if (text->len > 0 && sentence != NULL && *sentence != '\0')
    g_string_append_c (text, ' ');
  if (sentence != NULL)
    g_string_append (text, sentence);
  g_free (sentence);
}

/* Amounts of money as people read them. */

/* With the symbol of currencies that have one. */
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
 * Returns: (transfer full): with three significant digits: "$169,000"; cents have two digits:
 * "$81.20"
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
 * Returns: the value of its last shown digit: 0.01, or 1 for amounts from 1,000
 */
double
shardwise_money_digit (double total)
{
  return fabs (total) >= 999.995 ? 1 : 0.01;
}

/**
 * shardwise_format_amount:
 * @amount: a price, or an item of a bill
 * @total: the bill's total, which determines the precision of its items; for a single amount the
 *   amount itself
 *
 * Returns: (transfer full): to 0.01, or to 1 for totals from 1,000; smaller amounts with three
 * significant digits; without a currency: "2.58", "1,234,568", "0.00123"
 */
char *
shardwise_format_amount (double amount, double total)
{
  const double size = fabs (amount);

  if (size > 0 && size < 0.1)
    {
      /* Three significant digits without trailing zeros, but at least hundredths: "0.08",
       * "0.00123". */
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
 * Returns: (transfer full): with the precision of the total: "$412", "$1,234,568"
 */
char *
shardwise_format_item (double amount, double total, const char *currency)
{
  g_autofree char *number = shardwise_format_amount (amount, total);

  return with_currency (number, currency);
}

/**
 * shardwise_format_price:
 * @amount: a price, or an amount to pay
 * @currency: (nullable): its code
 *
 * Returns: (transfer full): to 0.01, or to 1 from 1,000; smaller amounts with three significant
 * digits: "$2.58", "$1,234,568", "$0.00123"
 */
char *
shardwise_format_price (double amount, const char *currency)
{
  return shardwise_format_item (amount, amount, currency);
}

/**
 * shardwise_format_months:
 * @months: of a price in the catalog: a month, or the first and the last with ".." between
 *
 * Returns: (transfer full): as a range: "2026-09 – 2026-11"
 */
char *
shardwise_format_months (const char *months)
{
  g_auto (GStrv) ends = g_strsplit (months, "..", 2);

  return g_strjoinv (" – ", ends);
}

/* With the locale, everything that determines how numbers are written; threads create texts. */
static int is_decimal;

/**
 * shardwise_memory_unit_set_decimal:
 * @decimal: whether to show memory in GB (1e9 bytes) rather than in GiB (2^30 bytes)
 *
 * Existing texts do not change: their users must create them again.
 */
void
shardwise_memory_unit_set_decimal (gboolean decimal)
{
  g_atomic_int_set (&is_decimal, decimal);
}

/**
 * shardwise_memory_unit_is_decimal:
 *
 * Returns: whether memory is shown in GB
 */
gboolean
shardwise_memory_unit_is_decimal (void)
{
  return g_atomic_int_get (&is_decimal);
}

/**
 * shardwise_memory_unit_bytes:
 *
 * Returns: bytes of one GiB or GB
 */
double
shardwise_memory_unit_bytes (void)
{
  return shardwise_memory_unit_is_decimal () ? SW_GB : SW_GIB;
}

/**
 * shardwise_memory_unit_text:
 * @text: the title of an axis or a column, or a format, translated; all languages use "GiB"
 *
 * Returns: (transfer full): the text with the preferred unit
 */
char *
shardwise_memory_unit_text (const char *text)
{
  g_autoptr (GString) out = g_string_new (text);

  if (shardwise_memory_unit_is_decimal ())
    g_string_replace (out, "GiB", "GB", 0);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* ---- days ---- */

static guint
whole_number (const char *text)
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
  const gsize length = strlen (text);
  guint year, month, day;

  g_date_clear (out, 1);
  if (length != 7 && length != 10)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (i == 4 || i == 7 ? text[i] != '-' : !g_ascii_isdigit (text[i]))
      return FALSE;
  year = whole_number (text);
  month = whole_number (text + 5);
  if (year < 1970 || month < 1 || month > 12)
    return FALSE;
  day = text[7] == '-' ? whole_number (text + 8)
                       : g_date_get_days_in_month ((GDateMonth) month, (GDateYear) year);
  if (!g_date_valid_dmy ((GDateDay) day, (GDateMonth) month, (GDateYear) year))
    return FALSE;
  g_date_set_dmy (out, (GDateDay) day, (GDateMonth) month, (GDateYear) year);
  return TRUE;
}

/**
 * shardwise_date_today:
 * @out: (out): the local date
 */
void
shardwise_date_today (GDate *out)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  g_date_clear (out, 1);
  g_date_set_dmy (out, (GDateDay) g_date_time_get_day_of_month (now),
                  (GDateMonth) g_date_time_get_month (now), (GDateYear) g_date_time_get_year (now));
}
