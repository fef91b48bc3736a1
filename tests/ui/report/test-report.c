/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report: what it says, how it breaks over pages, and the PDF that GTK writes of it. */
#define _GNU_SOURCE /* memmem */
#include <adwaita.h>
#include <glib/gstdio.h>
#include <string.h>

#include "shardwise-cost.h"
#include "shardwise-deadline.h"
#include "shardwise-report.h"
#include "shardwise-report-print.h"
#include "shardwise-strategy-words.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

#include "ui-fixture.h"

#define FULL                                                                                       \
  "{\"name\": \"The big run\", \"notes\": \"Ask Ada first\", \"model\": {\"preset\": "             \
  "\"llama-3-70b\"}, "                                                                             \
  "\"cluster\": {\"gpus\": 64}, "                                                                  \
  "\"training\": {\"tokens\": 1e11, \"deadline\": \"2099-01-01\"}, "                               \
  "\"cost\": {\"price\": 2.5, \"price_date\": \"2026-11\", \"capex_per_gpu\": 35000}}"
#define NOTHING "{\"model\": {\"preset\": \"llama-3.1-405b\"}, \"cluster\": {\"gpus\": 1}}"

static ShardwiseReport *
report_of (ShardwiseAdvisor *advisor, gboolean clusters)
{
  const guint sizes[] = { 8, 16, 32, 64, 128, 256, 512, 1024 };
  ShardwiseScenario *scenario = shardwise_advisor_get_scenario (advisor);
  g_autoptr (GPtrArray) points = NULL, none = g_ptr_array_new ();
  ShardwiseReportExtras extras = { .opinions = none };

  if (clusters)
    extras.clusters = points = shardwise_sizing_compute (scenario, sizes, G_N_ELEMENTS (sizes),
                                                         NULL, NULL, NULL, NULL);
  return shardwise_report_of_scenario (scenario, shardwise_advisor_get_advice (advisor),
                                       shardwise_advisor_get_selected (advisor), &extras);
}

static guint
count_text (ShardwiseReport *report, const char *text)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text);
  guint n = 0;

  for (guint i = 0; i < shardwise_report_n_items (report); i++)
    {
      const ShardwiseReportItem *item = shardwise_report_get_item (report, i);

      for (guint j = 0; j < item->n_cells; j++)
        n += strstr (item->cells[j], unbroken) != NULL;
    }
  return n;
}

static gboolean
has_text (ShardwiseReport *report, const char *text)
{
  return count_text (report, text) > 0;
}

static guint
count_kind (ShardwiseReport *report, ShardwiseReportKind kind)
{
  guint n = 0;

  for (guint i = 0; i < shardwise_report_n_items (report); i++)
    n += shardwise_report_get_item (report, i)->kind == kind;
  return n;
}

/* The report has the verdict, the strategy, every reason, the total of the bill and its sources,
 * word for word as the window does. */
static void
test_content (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (FULL);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  ShardwiseScenario *scenario = shardwise_advisor_get_scenario (advisor);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *best = shardwise_advice_get_recommended (advice);
  g_autoptr (ShardwiseReport) report = report_of (advisor, TRUE);
  g_autofree char *strategy = shardwise_text_strategy (&best->strategy), *total = NULL;
  GPtrArray *reasons = shardwise_advice_get_rationale (advice);
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;

  shardwise_cost_inputs_read (scenario, problem, &inputs);
  shardwise_cost_compute (&inputs, problem, best, &cost);
  total = shardwise_format_price (cost.cloud.total, "USD");
  g_assert_cmpstr (shardwise_report_get_title (report), ==, "The big run");
  g_assert_true (has_text (report, shardwise_advice_get_verdict (advice)));
  g_assert_cmpuint (count_text (report, "Ask Ada first"), ==, 1);
  g_assert_true (has_text (report, strategy));
  g_assert_cmpuint (reasons->len, >, 0);
  for (guint i = 0; i < reasons->len; i++)
    g_assert_true (
        has_text (report, ((ShardwiseRationale *) g_ptr_array_index (reasons, i))->text));
  g_assert_true (has_text (report, total));
  g_assert_true (has_text (report, shardwise_cost_source (SHARDWISE_KEY_COST_MTBF_GPU_HOURS)));
  g_assert_true (has_text (report, "2099-01-01"));
  g_assert_cmpuint (count_kind (report, SHARDWISE_REPORT_CHART), ==,
                    5 + (best->strategy.pp > 1)); /* and the pipeline */
  /* What was typed stands once. */
  g_assert_cmpuint (
      count_text (report, shardwise_key_get (SHARDWISE_KEY_COST_CAPEX_PER_GPU)->title), ==, 1);
  g_assert_true (has_text (report, "in the largest cluster, the throughput per GPU is"));
}

/* The pipeline has a picture of its own, and the rules of thumb say what they would. */
static void
test_opinions (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpus\": 32}, "
      "\"strategy\": {\"tp\": 8, \"pp\": 4}}");
  ShardwiseScenario *scenario = shardwise_advisor_get_scenario (advisor);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  g_autoptr (ShardwiseReportExtras) extras = shardwise_report_extras_new (scenario, advice, NULL,
                                                                          NULL);
  g_autoptr (ShardwiseReport) report = shardwise_report_of_scenario (
      scenario, advice, shardwise_advisor_get_selected (advisor), extras);

  g_assert_null (extras->clusters); /* without tokens there is no job to be paid for */
  g_assert_cmpuint (extras->opinions->len, ==, 2);
  g_assert_true (has_text (report, "Second opinions"));
  g_assert_true (has_text (report, "The playbook’s estimate"));
  g_assert_true (has_text (report, "The quick score’s estimate"));
  g_assert_true (has_text (report, "What the pipeline does"));
  g_assert_cmpuint (count_kind (report, SHARDWISE_REPORT_CHART), ==, 4);
}

/* Of a strategy that the user chose every figure is its own, and the reasons for another one are
 * left out. */
static void
test_selected (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (FULL);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *best = shardwise_advice_get_recommended (advice),
                   *other = shardwise_advice_get_alternative (advice, 0);
  g_autofree char *strategy = shardwise_text_strategy (&best->strategy);
  g_autofree char *text =
      g_strdup_printf ("This is an alternative. The recommended strategy is %s.", strategy);
  g_autofree char *verdict = NULL;
  g_autoptr (ShardwiseReport) report = NULL;

  shardwise_advisor_set_selected (advisor, other);
  verdict = shardwise_strategy_verdict (advice, shardwise_advisor_get_scenario (advisor), other);
  report = report_of (advisor, FALSE);
  g_assert_cmpstr (verdict, !=, shardwise_advice_get_verdict (advice));
  g_assert_true (has_text (report, verdict));
  g_assert_false (has_text (report, shardwise_advice_get_verdict (advice)));
  g_assert_true (has_text (report, text));
  g_assert_false (has_text (
      report, ((ShardwiseRationale *) shardwise_advice_get_rationale (advice)->pdata[0])->text));
}

/* Nothing fits: the report says what would, and makes no cost up. */
static void
test_nothing_fits (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NOTHING);
  g_autoptr (ShardwiseReport) report = report_of (advisor, FALSE);

  g_assert_true (
      has_text (report, shardwise_advice_get_verdict (shardwise_advisor_get_advice (advisor))));
  g_assert_true (has_text (report, "What would fit"));
  g_assert_false (has_text (report, "Failures and checkpoints"));
}

/* ---- pages ---- */

static ShardwiseReport *
long_report (guint n)
{
  ShardwiseReport *report = shardwise_report_new ("Long");

  for (guint i = 0; i < n; i++)
    {
      shardwise_report_add_text (report, SHARDWISE_REPORT_HEADING, "Heading");
      shardwise_report_add_text (report, SHARDWISE_REPORT_PARAGRAPH, "A paragraph.");
    }
  return report;
}

/* More content makes more pages, smaller pages make more, and an empty report has one. */
static void
test_pages (void)
{
  PangoFontMap *fonts = pango_cairo_font_map_get_default ();
  PangoContext *context = pango_font_map_create_context (fonts);
  guint last = 0;

  for (guint n = 0; n <= 120; n += 40)
    {
      g_autoptr (ShardwiseReport) report = long_report (n);
      g_autoptr (ShardwiseReportPages) large = shardwise_report_pages_new (report, context, 559,
                                                                           806),
                                       small = shardwise_report_pages_new (report, context, 300,
                                                                           300);

      g_assert_cmpuint (shardwise_report_pages_count (large), >, last);
      g_assert_cmpuint (shardwise_report_pages_count (small), >=,
                        shardwise_report_pages_count (large));
      if (n == 0)
        g_assert_cmpuint (shardwise_report_pages_count (large), ==, 1);
      last = n > 0 ? shardwise_report_pages_count (large) : 0;
    }
  g_object_unref (context);
}

/* A note that no page can hold goes on over as many as it needs, line by line. */
static void
test_long_note (void)
{
  PangoFontMap *fonts = pango_cairo_font_map_get_default ();
  PangoContext *context = pango_font_map_create_context (fonts);
  g_autoptr (GString) lines = g_string_new ("Lines"), words = g_string_new ("Words");

  for (guint i = 0; i < 300; i++)
    {
      g_string_append_printf (lines, "\nline %u", i);
      g_string_append (words, " that go on and on without any end of a line");
    }
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (ShardwiseReport) report = shardwise_report_new ("Noted");
      g_autoptr (ShardwiseReportPages) pages = NULL;

      shardwise_report_add_text (report, SHARDWISE_REPORT_PARAGRAPH, (i > 0 ? words : lines)->str);
      pages = shardwise_report_pages_new (report, context, 559, 806);
      g_assert_cmpuint (shardwise_report_pages_count (pages), >=, (i > 0 ? 2 : 4));
      g_assert_cmpuint (shardwise_report_pages_count (pages), <=, 8);
    }
  g_object_unref (context);
}

/* ---- the file ---- */

/* Pages of a PDF by its page tree; newer versions of cairo pack that into deflated streams. */
static guint
count_pages (const char *data, gsize length)
{
  g_autoptr (GRegex) count = g_regex_new ("/Type /Pages.*?/Count (\\d+)",
                                          G_REGEX_DOTALL | G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *found = NULL;

  if (length == 0 || !g_regex_match_full (count, data, length, 0, 0, &match, NULL))
    return 0;
  found = g_match_info_fetch (match, 1);
  return atoi (found);
}

/* The first stream after `from` (advanced past it), inflated; NULL when there is none. */
static GBytes *
inflate_stream (const char *data, gsize length, gsize *from)
{
  const char *start = memmem (data + *from, length - *from, "stream\n", 7);
  g_autoptr (GConverter) inflate =
      G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
  g_autoptr (GInputStream) packed = NULL, plain = NULL;
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();

  if (start == NULL)
    return NULL;
  start += strlen ("stream\n");
  *from = start - data;
  packed = g_memory_input_stream_new_from_data (start, length - *from, NULL);
  plain = g_converter_input_stream_new (packed, inflate);
  g_output_stream_splice (out, plain, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, NULL);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

static void
write_pdf (ShardwiseReport *report, const char *path)
{
  g_autoptr (ShardwiseReportPdf) pdf = shardwise_report_pdf_new (report);
  g_autoptr (GBytes) content = NULL;
  g_autoptr (GError) error = NULL;

  while (shardwise_report_pdf_draw_next (pdf))
    continue;
  content = shardwise_report_pdf_finish (pdf, &error);
  g_assert_no_error (error);
  g_file_set_contents (path, g_bytes_get_data (content, NULL), (gssize) g_bytes_get_size (content),
                       &error);
  g_assert_no_error (error);
}

/* No line ends between a number and its unit. */
static void
test_unbroken (void)
{
  g_autoptr (ShardwiseReport) report = shardwise_report_new ("Units");
  static const char *const cells[] = { "TP 8 · PP 2", "70.8 GiB", NULL };

  shardwise_report_add_text (report, SHARDWISE_REPORT_PARAGRAPH, "a step takes 37.4 s");
  shardwise_report_add_row (report, FALSE, cells);
  g_assert_true (has_text (report, "37.4\302\240s"));
  g_assert_true (has_text (report, "TP\302\2408\302\240· PP\302\2402"));
  g_assert_true (has_text (report, "70.8\302\240GiB"));
}

/* A PDF of several pages. */
static void
test_file (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (FULL);
  g_autoptr (ShardwiseReport) report = report_of (advisor, TRUE);
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "ui", "report.pdf", NULL),
                  *data = NULL;
  gsize length, at = 0;
  guint pages;

  write_pdf (report, path);
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  g_assert_true (g_str_has_prefix (data, "%PDF-"));
  pages = count_pages (data, length);
  while (pages == 0)
    {
      g_autoptr (GBytes) stream = inflate_stream (data, length, &at);

      g_assert_nonnull (stream);
      pages = count_pages (g_bytes_get_data (stream, NULL), g_bytes_get_size (stream));
    }
  g_assert_cmpuint (pages, >=, 3);
}

static const struct {
  const char *name, *json;
  gboolean fits;
} jobs[] = {
  { "report-moe",
    "{\"name\": \"Mixture of experts\", \"model\": {\"preset\": \"deepseek-v3\"}, \"cluster\": "
    "{\"gpus\": 512}, \"training\": {\"tokens\": 1e12, \"global_batch_size\": 4096, \"deadline\": "
    "\"2099-01-01\"}, \"cost\": {\"price\": 2}}",
    TRUE },
  { "report-rlhf",
    "{\"name\": \"From feedback\", \"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": "
    "{\"gpus\": 16}, "
    "\"training\": {\"type\": \"rlhf\", \"tokens\": 1e9}, \"cost\": {\"price\": 2}}",
    TRUE },
  { "report-nothing",
    "{\"name\": \"Nothing fits\", \"model\": {\"preset\": \"llama-3.1-405b\"}, \"cluster\": "
    "{\"gpus\": 8}, \"training\": {\"tokens\": 1e12}, \"cost\": {\"price\": 2}}",
    FALSE },
};

/* Every kind of job has a report with its verdict, and a bill where it has a strategy. */
static void
test_jobs (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (jobs[i].json);
      g_autoptr (ShardwiseReport) report = report_of (advisor, jobs[i].fits);
      g_autofree char *name = g_strconcat (jobs[i].name, ".pdf", NULL),
                      *path = g_test_build_filename (G_TEST_BUILT, "ui", name, NULL);

      g_test_message ("%s", name);
      g_assert_true (
          has_text (report, shardwise_advice_get_verdict (shardwise_advisor_get_advice (advisor))));
      g_assert_cmpint (has_text (report, "Included:"), ==, jobs[i].fits);
      g_assert_cmpint (has_text (report, "What would fit"), ==, !jobs[i].fits);
      write_pdf (report, path);
    }
}

static void
printed_cb (const GError *error, gpointer data)
{
  g_assert_no_error (error);
  *(gboolean *) data = TRUE;
}

static void
assert_prints (const char *json)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (json);
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "ui", "report-async.pdf", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gboolean done = FALSE;

  g_unlink (path);
  shardwise_report_print_async (advisor, NULL, file, printed_cb, &done);
  while (!done)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (g_file_query_exists (file, NULL));
}

/* What the menu does: other clusters are computed, then the file is there; also where no network is
 * known that would join more than the one node. */
static void
test_async (void)
{
  assert_prints (FULL);
  assert_prints ("{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"rubin-288\", "
                 "\"gpus\": 8}, \"training\": {\"tokens\": 1e12}, \"cost\": {\"price\": 2}}");
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/report/content", test_content);
  g_test_add_func ("/report/opinions", test_opinions);
  g_test_add_func ("/report/selected", test_selected);
  g_test_add_func ("/report/nothing-fits", test_nothing_fits);
  g_test_add_func ("/report/unbroken", test_unbroken);
  g_test_add_func ("/report/pages", test_pages);
  g_test_add_func ("/report/long-note", test_long_note);
  g_test_add_func ("/report/file", test_file);
  g_test_add_func ("/report/jobs", test_jobs);
  g_test_add_func ("/report/async", test_async);
  return g_test_run ();
}
