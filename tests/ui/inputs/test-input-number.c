/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as they are typed into an entry, and as it shows them. */
#include <math.h>

#include "shardwise-input-number.h"

static const struct {
  const char *text;
  gboolean binary;
  double value; /* NAN: refused */
} cases[] = {
  { "8192", FALSE, 8192 },
  { " 8 192 ", FALSE, 8192 },
  { "8,192", FALSE, 8192 },
  { "8_192", FALSE, 8192 },
  { "8\u202f192", FALSE, 8192 },
  { "8’192", FALSE, 8192 },
  { "1,048,576", FALSE, 1048576 },
  { "8k", TRUE, 8192 },
  { "128 K", TRUE, 131072 },
  { "1M", TRUE, 1048576 },
  { "8k", FALSE, 8000 },
  { "8Ki", FALSE, 8192 },
  { "1e6", FALSE, 1e6 },
  { "1.5E9", FALSE, 1.5e9 },
  { "1e-2", FALSE, 0.01 },
  { "15.6 T", FALSE, 15.6e12 },
  { "100B", FALSE, 1e11 },
  { "100 bn", FALSE, 1e11 },
  { "2,5", FALSE, 2.5 },
  { "0.9", FALSE, 0.9 },
  { "−3", FALSE, -3 },
  { "٣٢", FALSE, 32 },
  { "7G", FALSE, 7e9 },
  { "", FALSE, NAN },
  { "k", FALSE, NAN },
  { "8kk", FALSE, NAN },
  { "8x", FALSE, NAN },
  { "eight", FALSE, NAN },
  { "1e", FALSE, NAN },
  { "1e999", FALSE, NAN },
  { "nan", FALSE, NAN },
  { "inf", FALSE, NAN },
  { "1.2.3", FALSE, NAN },
  { "--1", FALSE, NAN },
  { "0x10", FALSE, NAN },
  { "1.234,5", FALSE, 1234.5 },
  { "1,234.5", FALSE, 1234.5 },
  { "1\u202f234,5", FALSE, 1234.5 },
  { "0,125", FALSE, 0.125 },
  { "1234,567", FALSE, 1234.567 },
  { "1,00,000", FALSE, 1e5 }, /* as in India */
  { "1 2", FALSE, NAN },
  { "8 19 2", FALSE, NAN },
  { "1,23,4", FALSE, NAN },
  { "1,234,56", FALSE, NAN },
  { "12,34.5", FALSE, NAN },
  { "1.234.5,6", FALSE, NAN },
  { "1,234.567,8", FALSE, NAN },
  { "1-2", FALSE, NAN },
};

static void
test_number_parse (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double value = 0;
      gboolean read = shardwise_input_number_parse (cases[i].text, cases[i].binary, &value);

      g_test_message ("“%s”", cases[i].text);
      g_assert_cmpint (read, ==, !isnan (cases[i].value));
      if (read)
        g_assert_cmpfloat_with_epsilon (value, cases[i].value, fabs (cases[i].value) * 1e-12);
    }
}

/* What an entry shows reads back to the same number, bit for bit. */
static void
test_number_format (void)
{
  static const double integers[] = { 0, 1, 8192, 131072, 1048576, 1e9 };
  static const double numbers[] = { 0.05, 0.9,       2.5,  70.6,           1e6,           1.56e13,
                                    1e11, 123456789, 1e18, 1234.567890123, 1000000.000001 };

  for (guint i = 0; i < G_N_ELEMENTS (integers); i++)
    {
      g_autofree char *text = shardwise_input_number_format (integers[i], TRUE);
      double value = -1;

      g_assert_true (shardwise_input_number_parse (text, TRUE, &value));
      g_assert_cmpfloat (value, ==, integers[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *text = shardwise_input_number_format (numbers[i], FALSE);
      double value = -1;

      g_assert_true (shardwise_input_number_parse (text, FALSE, &value));
      g_assert_cmpfloat (value, ==, numbers[i]);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/input-number/parse", test_number_parse);
  g_test_add_func ("/input-number/format", test_number_format);
  return g_test_run ();
}
