/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's data: the journal of runs, and the playbook with custom rules. */
#include "shardwise-cli-journal.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-advice-json.h"
#include "shardwise-changes.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-file.h"
#include "shardwise-format.h"
#include "shardwise-journal-fit.h"
#include "shardwise-json.h"
#include "shardwise-log.h"
#include "shardwise-notes.h"
#include "shardwise-resolve.h"
#include "shardwise-rule-finding.h"

/* ---- the journal ---- */

/* How the memory was measured, by the letter of a run. */
static const struct {
  char kind;
  const char *name;
} memory_kinds[] = { { 'p', "process" }, { 'r', "reserved" }, { 'a', "allocated" } };

/* The options of the command; all but the database belong to `add`. */
typedef struct {
  char *database, *log, *name, *day, *note, *memory_kind;
  double step_s, memory_gib;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->database);
  g_free (self->log);
  g_free (self->name);
  g_free (self->day);
  g_free (self->note);
  g_free (self->memory_kind);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static const char *
kind_name (char kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (memory_kinds); i++)
    if (memory_kinds[i].kind == kind)
      return memory_kinds[i].name;
  return memory_kinds[0].name;
}

/* 0: invalid. */
static char
kind_of (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (memory_kinds); i++)
    if (g_str_equal (memory_kinds[i].name, name))
      return memory_kinds[i].kind;
  return 0;
}

static const char *
check_options (gconstpointer data)
{
  const Options *self = data;
  GDate day;

  if (self->memory_kind != NULL && kind_of (self->memory_kind) == 0)
    return _ ("--memory-kind must be process, reserved or allocated");
  if (self->day != NULL && !shardwise_date_parse (self->day, &day))
    return _ ("--day must be a date in the form YYYY-MM-DD");
  if (self->step_s < 0 || self->step_s > 1e9 || self->memory_gib < 0 || self->memory_gib > 1e9)
    return _ ("--step-s and --memory-gib must be above 0");
  return NULL;
}

/* The runs of the database, which is not created for reading. */
static GPtrArray *
read_runs (const char *path, GError **error)
{
  g_autoptr (ShardwiseJournalDatabase) database = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_journal_run_free);
  database = shardwise_journal_database_open (path, error);
  return database != NULL ? shardwise_journal_database_get_runs (database, error) : NULL;
}

static JsonObject *
run_to_object (const ShardwiseJournalRun *run)
{
  JsonObject *object = json_object_new ();
  JsonNode *scenario = shardwise_json_parse (run->scenario, strlen (run->scenario), NULL);

  json_object_set_int_member (object, "id", run->id);
  json_object_set_string_member (object, "name", run->name);
  json_object_set_string_member (object, "day", run->day);
  shardwise_json_set_known (object, "step_s", run->step_s, run->step_s > 0);
  shardwise_json_set_known (object, "memory_gib", run->memory_gib, run->memory_gib > 0);
  json_object_set_string_member (object, "memory_kind", kind_name (run->memory_kind));
  json_object_set_string_member (object, "note", run->note);
  json_object_set_member (object, "scenario",
                          scenario != NULL ? scenario : json_node_new (JSON_NODE_NULL));
  return object;
}

/* `list`: the runs; `fit`: the runs with predictions, and the factors. */
static JsonNode *
runs_to_json (GPtrArray *runs, const ShardwiseJournalFit *fit)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < runs->len; i++)
    {
      JsonObject *row = run_to_object (runs->pdata[i]);

      if (fit != NULL)
        {
          const ShardwiseJournalPrediction *of = fit->predictions->pdata[i];
          const gboolean known = of->error == NULL;

          shardwise_json_set_known (row, "predicted_step_s", of->step_s, known);
          shardwise_json_set_known (row, "calibrated_step_s", of->calibrated_step_s, known);
          shardwise_json_set_known (row, "predicted_memory_gib", of->memory_gib, known);
          shardwise_json_set_known (row, "calibrated_memory_gib", of->calibrated_memory_gib, known);
          if (!known)
            json_object_set_string_member (row, "error", of->error);
        }
      json_array_add_object_element (array, row);
    }
  json_object_set_array_member (object, "runs", array);
  if (fit != NULL)
    {
      JsonObject *factors = json_object_new (), *errors = json_object_new ();
      const struct {
        const char *name;
        double value;
        gboolean known;
      } rows[] = {
        { "time_before", fit->time_before, fit->n_time > 0 },
        { "time_after", fit->time_after, fit->n_time > 0 },
        { "time_left_out", fit->time_left_out, fit->time_left_out > 0 },
        { "memory_before", fit->memory_before, fit->n_memory > 0 },
        { "memory_after", fit->memory_after, fit->n_memory > 0 },
      };

      json_object_set_double_member (factors, "kernel", fit->factors.kernel);
      json_object_set_double_member (factors, "network", fit->factors.network);
      json_object_set_double_member (factors, "memory", fit->factors.memory);
      json_object_set_object_member (object, "factors", factors);
      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        shardwise_json_set_known (errors, rows[i].name, rows[i].value, rows[i].known);
      json_object_set_object_member (object, "median_errors", errors);
    }
  return shardwise_json_take_object (object);
}

static void
append_factor (GString *out, const char *title, double factor)
{
  g_autofree char *text = g_strdup_printf ("%.3f", factor);

  shardwise_cli_append_row (out, title, text);
}

static char *
runs_to_text (GPtrArray *runs, const ShardwiseJournalFit *fit, gboolean factors)
{
  GString *out = g_string_new (NULL);

  if (runs->len == 0)
    g_string_append_printf (out, "%s\n", _ ("The journal has no runs."));
  if (factors && runs->len > 0)
    {
      g_autofree char *errors = shardwise_journal_fit_text (fit);

      shardwise_cli_append_wrapped (out, "", errors);
      append_factor (out, _ ("Kernel rates"), fit->factors.kernel);
      append_factor (out, _ ("Collective bandwidth"), fit->factors.network);
      append_factor (out, _ ("Reserved memory"), fit->factors.memory);
    }
  for (guint i = 0; i < runs->len; i++)
    {
      const ShardwiseJournalRun *run = runs->pdata[i];
      g_autofree char *text = shardwise_journal_run_text (run, fit->predictions->pdata[i]);
      g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

      g_string_append_printf (out, "%s%s\n", out->len > 0 ? "\n" : "",
                              *run->name != '\0' ? run->name : _ ("Unnamed run"));
      for (guint j = 0; lines[j] != NULL; j++)
        shardwise_cli_append_wrapped (out, "  ", lines[j]);
    }
  return g_string_free (out, FALSE);
}

/* Fills missing options from a log. FALSE with @error if the log lacks them or has another batch: a
 * run that was never made must not calibrate. */
static gboolean
take_log (const Options *options, const SwProblem *problem, ShardwiseJournalRun *run,
          GError **error)
{
  g_autoptr (GBytes) bytes = shardwise_cli_read (options->log, error);
  const char *text;
  gsize length;
  ShardwiseLog log;

  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &length);
  if (!shardwise_log_read (text != NULL ? text : "", (gssize) length, &log, error))
    return FALSE;
  if (log.global_batch > 0 && log.global_batch != problem->training.global_batch)
    {
      g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE,
                   /* Translators: two numbers of sequences */
                   _ ("The log has a global batch of %'u, but the scenario has %'u. Change the "
                      "scenario first."),
                   log.global_batch, problem->training.global_batch);
      return FALSE;
    }
  if (run->step_s <= 0)
    run->step_s = shardwise_log_get_step_s (&log, problem->cluster.gpus,
                                            problem->training.global_batch,
                                            problem->training.sequence_length);
  if (run->memory_gib <= 0)
    {
      run->memory_gib = log.memory_gib;
      if (log.memory_kind != 0)
        run->memory_kind = log.memory_kind;
    }
  return TRUE;
}

static void
take_text (char **field, const char *text)
{
  if (text == NULL)
    return;
  g_free (*field);
  *field = g_strdup (text);
}

/* The run has the strategy that the file pins, otherwise the best one. */
static int
add (ShardwiseCliInput *input, const Options *options, const char *path)
{
  g_autoptr (ShardwiseJournalRun) run = shardwise_journal_run_new ();
  g_autoptr (ShardwiseJournalDatabase) database = NULL;
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL;

  advice = shardwise_advice_compute (input->scenario, &(ShardwiseAdviceOptions){ .top = 1 }, NULL,
                                     &error);
  if (advice == NULL
      || !shardwise_scenario_apply (
          input->scenario,
          shardwise_strategy_changes (&shardwise_advice_get_recommended (advice)->strategy,
                                      SHARDWISE_ALL_DIMENSIONS),
          &error))
    return shardwise_cli_fail (input->file, error);
  g_free (run->scenario);
  run->scenario = shardwise_scenario_to_json (input->scenario);
  run->step_s = options->step_s;
  run->memory_gib = options->memory_gib;
  run->memory_kind = options->memory_kind != NULL ? kind_of (options->memory_kind) : 'p';
  name = shardwise_scenario_get_string (input->scenario, SHARDWISE_KEY_NAME);
  take_text (&run->name, options->name != NULL ? options->name : name);
  take_text (&run->day, options->day);
  take_text (&run->note, options->note);
  if (options->log != NULL
      && !take_log (options, shardwise_advice_get_problem (advice), run, &error))
    return shardwise_cli_fail (options->log, error);
  if (run->step_s <= 0 && run->memory_gib <= 0)
    return shardwise_cli_usage ("journal", _ ("a run requires --step-s, --memory-gib or --log"));
  database = shardwise_journal_database_open (path, &error);
  if (database == NULL || !shardwise_journal_database_save (database, run, &error))
    return shardwise_cli_fail (path, error);
  if (input->json)
    return shardwise_cli_print_json (shardwise_json_take_object (run_to_object (run)),
                                     SHARDWISE_CLI_DONE);
  return shardwise_cli_print (
      /* Translators: the path of a file */
      g_strdup_printf (_ ("Added to %s\n"), path), SHARDWISE_CLI_DONE);
}

int
shardwise_cli_journal (int argc, char **argv)
{
  g_auto (Options) options = { NULL };
  const GOptionEntry entries[] = {
    { "step-s", 0, 0, G_OPTION_ARG_DOUBLE, &options.step_s, N_ ("Measured step time"), "S" },
    { "memory-gib", 0, 0, G_OPTION_ARG_DOUBLE, &options.memory_gib,
      N_ ("Measured peak memory per GPU"), "GIB" },
    { "memory-kind", 0, 0, G_OPTION_ARG_STRING, &options.memory_kind,
      N_ ("How memory was measured: process (nvidia-smi, default), reserved or allocated "
          "(PyTorch)"),
      "KIND" },
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &options.log,
      N_ ("Training log to read missing values from"), "FILE" },
    { "name", 0, 0, G_OPTION_ARG_STRING, &options.name, N_ ("Name of the run"), "NAME" },
    { "day", 0, 0, G_OPTION_ARG_STRING, &options.day, N_ ("Date of the run (default: today)"),
      "YYYY-MM-DD" },
    { "note", 0, 0, G_OPTION_ARG_STRING, &options.note, N_ ("Notes on the run"), "TEXT" },
    { "database", 0, 0, G_OPTION_ARG_FILENAME, &options.database,
      N_ ("Journal file to use instead of the window’s"), "FILE" },
    { NULL },
  };
  const char *verb = argc > 1 ? argv[1] : "";
  const gboolean is_add = g_str_equal (verb, "add"), is_fit = g_str_equal (verb, "fit"),
                 has_verb = is_add || is_fit || g_str_equal (verb, "list");
  g_auto (ShardwiseCliInput) input = { .is_optional = !is_add,
                                       .check = check_options,
                                       .data = &options };
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (ShardwiseJournalFit) fit = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  if (!has_verb && !g_str_has_prefix (verb, "-h") && !g_str_has_prefix (verb, "--help"))
    return shardwise_cli_usage (argv[0], _ ("one of list, add and fit is required"));
  /* Without the verb, the usual handling of commands. */
  if (has_verb)
    {
      argv[1] = argv[0];
      argv++;
      argc--;
    }
  status = shardwise_cli_input_read (
      &input, argc, argv, entries,
      _ ("Manages your own runs: “journal list” lists them, “journal add FILE” adds a measured "
         "run, “journal fit [FILE]” calibrates the model with them, for the GPU in FILE."));
  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (!is_add && !is_fit && input.scenario != NULL)
    return shardwise_cli_usage (argv[0], _ ("too many arguments"));
  if (options.database == NULL)
    options.database = shardwise_user_file ("journal.db");
  if (is_add)
    return add (&input, &options, options.database);
  runs = read_runs (options.database, &error);
  if (runs == NULL)
    return shardwise_cli_fail (options.database, error);
  if (is_fit || !input.json)
    {
      g_autofree SwProblem *problem = g_new0 (SwProblem, 1);

      if (input.scenario != NULL
          && !shardwise_scenario_resolve (input.scenario, problem, NULL, &error))
        return shardwise_cli_fail (input.file, error);
      fit = shardwise_journal_fit (runs, input.scenario != NULL ? problem->cluster.gpu.id : NULL);
    }
  if (input.json)
    return shardwise_cli_print_json (runs_to_json (runs, is_fit ? fit : NULL), status);
  return shardwise_cli_print (runs_to_text (runs, fit, is_fit), status);
}

/* ---- the playbook ---- */

static JsonNode *
rules_to_json (ShardwiseAdvice *advice, GPtrArray *rules, GPtrArray *findings)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  json_object_set_object_member (
      object, "strategy",
      shardwise_strategy_to_object (shardwise_advice_get_problem (advice),
                                    shardwise_advice_get_recommended (advice)));
  for (guint i = 0; i < rules->len; i++)
    {
      const ShardwiseHeuristic *rule = rules->pdata[i];
      const ShardwiseRuleFinding *finding = findings->pdata[i];
      JsonObject *row = json_object_new ();
      const struct {
        const char *name, *value;
      } texts[] = {
        { "id", rule->id },
        { "state", shardwise_rule_state_names[finding->state] },
        { "topic", rule->topic },
        { "title", rule->title },
        { "text", rule->text },
        { "source", rule->source },
        { "when", rule->when },
        { "want", rule->want },
        { "number", finding->number },
      };

      for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
        json_object_set_string_member (row, texts[t].name, texts[t].value);
      if (finding->comparison != NULL)
        json_object_set_string_member (row, "comparison", finding->comparison);
      json_object_set_boolean_member (row, "disagrees", finding->disagrees);
      json_array_add_object_element (array, row);
    }
  json_object_set_array_member (object, "rules", array);
  return shardwise_json_take_object (object);
}

static char *
rules_to_text (ShardwiseAdvice *advice, GPtrArray *rules, GPtrArray *findings, gboolean all)
{
  GString *out = g_string_new (NULL);
  const char *topic = NULL;

  shardwise_cli_append_wrapped (out, "", shardwise_advice_get_verdict (advice));
  for (guint i = 0; i < rules->len; i++)
    {
      const ShardwiseHeuristic *rule = rules->pdata[i];
      const ShardwiseRuleFinding *finding = findings->pdata[i];
      g_autofree char *text = NULL;
      g_auto (GStrv) lines = NULL;

      if (!all && finding->state == SHARDWISE_RULE_NOT_RELEVANT)
        continue;
      if (topic == NULL || !g_str_equal (topic, rule->topic))
        shardwise_cli_append_heading (out,
                                      *rule->topic != '\0' ? rule->topic : _ ("Your own rules"));
      topic = rule->topic;
      text = shardwise_rule_finding_text (finding);
      lines = g_strsplit (text, "\n", -1);
      shardwise_cli_append_wrapped (out, "  ", rule->title);
      for (guint j = 0; lines[j] != NULL; j++)
        shardwise_cli_append_wrapped (out, "    ", lines[j]);
    }
  return g_string_free (out, FALSE);
}

int
shardwise_cli_playbook (int argc, char **argv)
{
  gboolean all = FALSE;
  const GOptionEntry entries[] = {
    { "all", 0, 0, G_OPTION_ARG_NONE, &all, N_ ("Include rules that do not apply to the job"),
      NULL },
    { NULL },
  };
  g_auto (ShardwiseCliInput) input = { 0 };
  int status = shardwise_cli_input_read (
      &input, argc, argv, entries,
      _ ("Checks a job and its best strategy against the rules of the playbook and your own."));
  g_autofree char *path = shardwise_user_file ("playbook.json");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (ShardwiseNotes) notes = NULL;
  g_autoptr (GPtrArray) rules = NULL, findings = NULL;
  g_autoptr (GError) error = NULL;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  notes = shardwise_notes_open (file, &error);
  if (notes == NULL)
    return shardwise_cli_fail (path, error);
  advice = shardwise_advice_compute (input.scenario, &(ShardwiseAdviceOptions){ .top = 1 }, NULL,
                                     &error);
  if (advice == NULL)
    return shardwise_cli_fail (input.file, error);
  rules = shardwise_heuristics_load ();
  for (guint i = 0; i < shardwise_notes_get_rules (notes)->len; i++)
    g_ptr_array_add (rules, shardwise_heuristic_copy (shardwise_notes_get_rules (notes)->pdata[i]));
  findings = g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_rule_finding_free);
  for (guint i = 0; i < rules->len; i++)
    {
      const SwProblem *problem = shardwise_advice_get_problem (advice);
      const SwEstimate *estimate = shardwise_advice_get_recommended (advice);
      ShardwiseRuleFinding *finding = shardwise_rule_finding_new (rules->pdata[i], problem,
                                                                  estimate);

      shardwise_rule_finding_compare (finding, problem, estimate);
      g_ptr_array_add (findings, finding);
    }
  status = shardwise_advice_get_fits (advice) ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  if (input.json)
    return shardwise_cli_print_json (rules_to_json (advice, rules, findings), status);
  return shardwise_cli_print (rules_to_text (advice, rules, findings, all), status);
}
