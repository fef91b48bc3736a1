/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Amounts as texts, whatever they are of. */
#include "shardwise-format.h"
#include "sw-types.h"

#include <locale.h>

typedef struct {
  double value;
  const char *text;
} FormatCase;

static void
check_formats (char *(*format) (double), const FormatCase *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = format (cases[i].value);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

static void
test_formats (void)
{
  static const FormatCase significant[] = { { 0, "0" },           { 61.234, "61.2" },
                                            { 0.50712, "0.507" }, { 169123, "169000" },
                                            { 999.6, "1000" },    { 9.996, "10.0" },
                                            { 8, "8.00" },        { -3.14159, "-3.14" } };
  static const FormatCase bytes[] = { { 61.2 * SW_GIB, "61.2 GiB" },
                                      { 0, "0 GiB" },
                                      { 285.0 / 1024 * SW_GIB, "285 MiB" },
                                      { 1050.4 * SW_GIB, "1050 GiB" },
                                      { 512 * 1024.0, "512 KiB" } };
  static const FormatCase seconds[] = { { 8.4236, "8.42 s" },
                                        { 0.31, "310 ms" },
                                        { 0, "0 s" },
                                        { 452e-6, "452 µs" },
                                        { 90, "90.0 s" },
                                        { 7200, "2.00 h" },
                                        { 126, "2.10 min" },
                                        { 88 * 86400.0, "88.0 days" },
                                        { 730 * 86400.0, "730 days" },
                                        { 2.5 * 365.25 * 86400.0, "2.50 years" },
                                        { 51e6 * 86400.0, "140000 years" } };
  static const FormatCase counts[] = {
    { 13123, "13.1 k" },   { 70.6e9, "70.6 B" },  { 8, "8" }, { 999, "999" },
    { 1048576, "1.05 M" }, { 15.6e12, "15.6 T" }, { 0, "0" }
  };
  static const FormatCase percents[] = {
    { 0.412, "41.2 %" }, { 0.0812, "8.1 %" },  { 1, "100 %" },
    { 0, "0.0 %" },      { -0.031, "−3.1 %" }, { 2.5, "250 %" }
  };
  static const FormatCase wholes[] = { { 0, "0" }, { 999.6, "1000" }, { 131072, "131072" } };
  static const FormatCase changes[] = {
    { 0.412, "+41.2 %" }, { -0.031, "−3.1 %" }, { -0.0004, "0.0 %" }, { 2.5, "+250 %" }
  };
  g_autofree char *sentence = shardwise_text_capitalise ("it runs"),
                  *program = shardwise_text_capitalise ("pretrain_gpt.py runs"),
                  *one = shardwise_format_gpus (1), *many = shardwise_format_gpus (16384);

  check_formats (shardwise_format_significant, significant, G_N_ELEMENTS (significant));
  check_formats (shardwise_format_bytes, bytes, G_N_ELEMENTS (bytes));
  check_formats (shardwise_format_seconds, seconds, G_N_ELEMENTS (seconds));
  check_formats (shardwise_format_count, counts, G_N_ELEMENTS (counts));
  check_formats (shardwise_format_whole, wholes, G_N_ELEMENTS (wholes));
  g_assert_cmpstr (sentence, ==, "It runs");
  g_assert_cmpstr (program, ==, "pretrain_gpt.py runs");
  g_assert_cmpstr (one, ==, "1 GPU");
  g_assert_cmpstr (many, ==, "16384 GPUs");
  check_formats (shardwise_format_percent, percents, G_N_ELEMENTS (percents));
  check_formats (shardwise_format_change, changes, G_N_ELEMENTS (changes));
}

/* Part of a time in the unit of the whole time or of its neighbor. */
static void
test_seconds (void)
{
  static const struct {
    double seconds, other;
    const char *text;
  } beside[] = { { 126, 56.3, "126 s" },        { 56.3, 126, "0.938 min" },
                 { 0.0324, 466e-6, "32.4 ms" }, { 1200, 58, "20.0 min" },
                 { 2, 126, "2.00 s" },          { 0.602, 0.0087, "602 ms" },
                 { 0.556, 0, "556 ms" },        { 0, 3, "0 s" },
                 { 90000, 80000, "25.0 h" } };
  static const struct {
    double seconds, whole, step;
    const char *text;
  } parts[] = { { 0.042, 8.42, 0, "0.042 s" },
                { 8.42, 8.42, 0, "8.42 s" },
                { 6, 126, 0, "0.100 min" },
                { 126, 126, 0, "2.10 min" },
                { 0.4, 126, 0, "0.007 min" },
                { 0.0001, 8, 0, "0.0001 s" },
                { 0, 8.42, 0, "0 s" },
                { 99.6, 99.6, 0, "99.6 s" },
                { 30, 126, 30, "0.5 min" },
                { 0, 126, 30, "0 min" },
                { 0.5, 8, 0.5, "0.5 s" },
                { 0.3, 0.35, 0.1, "300 ms" },
                { 2000, 9000, 600, "0.6 h" },
                { 86400, 9e5, 86400, "1 day" },
                { 864000, 9e5, 864000, "10 days" } };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      const double unit = shardwise_seconds_unit (parts[i].whole);
      g_autofree char *text = shardwise_format_seconds_in (parts[i].seconds, unit, parts[i].step);

      g_assert_cmpstr (text, ==, parts[i].text);
    }
  for (guint i = 0; i < G_N_ELEMENTS (beside); i++)
    {
      g_autofree char *text = shardwise_format_seconds_beside (beside[i].seconds, beside[i].other);

      g_assert_cmpstr (text, ==, beside[i].text);
    }
}

/* GB where people prefer them, GiB again afterwards. */
static void
test_memory_unit (void)
{
  static const FormatCase decimal[] = {
    { 85e9, "85.0 GB" }, { 0, "0 GB" },         { 64e6, "64.0 MB" },
    { 2048, "2.05 kB" }, { SW_GIB, "1.07 GB" },
  };
  g_autofree char *header = NULL;

  shardwise_memory_unit_set_decimal (TRUE);
  check_formats (shardwise_format_bytes, decimal, G_N_ELEMENTS (decimal));
  header = shardwise_memory_unit_text ("Memory (GiB)");
  g_assert_cmpstr (header, ==, "Memory (GB)");
  g_assert_cmpfloat (shardwise_memory_unit_bytes (), ==, 1e9);
  shardwise_memory_unit_set_decimal (FALSE);
  g_assert_cmpfloat (shardwise_memory_unit_bytes (), ==, SW_GIB);
}

/* A figure stays with its unit and a dimension with its value. */
static void
test_unbroken (void)
{
  static const struct {
    const char *text, *expected;
  } unbroken[] = {
    { "28.1 k tokens/s (22.1 k–35.6 k)",
      "28.1\302\240k tokens/\342\201\240s (22.1\302\240k–\342\201\24035.6\302\240k)" },
    { "70.8 GiB of 79 GB, 39.8 %", "70.8\302\240GiB of 79\302\240GB, 39.8\302\240%" },
    { "64 GPUs: TP 8 · VPP 2 · ZeRO 1",
      "64\302\240GPUs: TP\302\2408\302\240· VPP\302\2402\302\240· ZeRO\302\2401" },
    { "Shard group 32, not 64 · DP 4",
      "Shard group\302\24032, not\302\24064\302\240· DP\302\2404" },
    { "2 strategies, Llama 3 70B", "2 strategies, Llama 3 70B" },
    { "1,99 Tage, 15 jours, 3 días, 3 Tagebücher",
      "1,99\302\240Tage, 15\302\240jours, 3\302\240días, 3 Tagebücher" },
    { "nutzt 57,8 von 79,2 GiB", "nutzt 57,8\302\240von\302\24079,2\302\240GiB" },
    { "all-gather · Micro-batch 4 · µ-batch 8",
      "all-\342\201\240gather\302\240· Micro-\342\201\240batch\302\2404\302\240· "
      "µ-\342\201\240batch\302\2408" },
    { "877 Tokens (693–1.110), 9,91 Tage",
      "877\302\240Tokens (693–\342\201\2401.110), 9,91\302\240Tage" },
    { "--micro-batch-size, zero-bubble.json, a/b-c, tensor-parallel communication",
      "--micro-batch-size, zero-bubble.json, a/b-c, tensor-parallel communication" },
    { "Recomputation: full · Offload: none",
      "Recomputation:\302\240full\302\240· Offload:\302\240none" },
    { "It needs: more memory", "It needs: more memory" },
    { "PyTorch FSDP 2 with ZeRO 3", "PyTorch FSDP\302\2402 with ZeRO\302\2403" },
    { "", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (unbroken); i++)
    {
      g_autofree char *text = shardwise_format_unbroken (unbroken[i].text);

      g_assert_cmpstr (text, ==, unbroken[i].expected);
    }
}

/* A cell is as wide as a terminal draws it: of Japanese two columns a character, of an accent
 * none. */
static void
test_cells (void)
{
  static const struct {
    int width;
    const char *text, *expected;
  } cells[] = {
    { 6, "ab", "    ab" },
    { -6, "ab", "ab    " },
    { 6, "実行", "  実行" },
    { -6, "実行", "実行  " },
    { 4, "µs", "  µs" },
    { 2, "longer", "longer" },
    { 4, "1\342\200\257k", " 1\342\200\257k" },
    { -3, "e\314\201", "e\314\201  " },
    { 0, "", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      g_autoptr (GString) out = g_string_new ("|");

      shardwise_text_append_cell (out, cells[i].width, cells[i].text);
      g_assert_cmpstr (out->str + 1, ==, cells[i].expected);
    }
}

/* Lists of items and of clauses. */
static void
test_lists (void)
{
  static const char *const words[] = { "TP 8", "PP 4", "DP 2", NULL };
  g_autoptr (GString) list = g_string_new (NULL);
  g_autofree char *all = shardwise_text_enumerate (words),
                  *one = shardwise_text_enumerate (words + 2),
                  *none = shardwise_text_enumerate (words + 3);

  g_assert_cmpstr (all, ==, "TP 8, PP 4, DP 2");
  g_assert_cmpstr (one, ==, "DP 2");
  g_assert_cmpstr (none, ==, "");
  shardwise_text_list (list, "%s %u", "TP", 8);
  shardwise_text_items (list, "%s", "PP 4");
  shardwise_text_list (list, "%s", "100 %");
  g_assert_cmpstr (list->str, ==, "TP 8, PP 4; 100 %");
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/formats", test_formats);
  g_test_add_func ("/format/seconds", test_seconds);
  g_test_add_func ("/format/memory-unit", test_memory_unit);
  g_test_add_func ("/format/unbroken", test_unbroken);
  g_test_add_func ("/format/cells", test_cells);
  g_test_add_func ("/format/lists", test_lists);
  return g_test_run ();
}
