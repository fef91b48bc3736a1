/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the command line to a scenario: a file, standard input or one option for each key. */
#include "shardwise-cli-input.h"

#include <gio/gunixinputstream.h>
#include <glib/gi18n.h>
#include <unistd.h>

#include "shardwise-file.h"
#include "shardwise-format.h"

/* An option and the key that it sets. */
typedef struct {
  const char *option, *path;
} KeyOption;

static const KeyOption key_options[] = {
  { "model", "model.preset" },
  { "parameters-b", "model.parameters_b" },
  { "gpu", "cluster.gpu" },
  { "gpus", "cluster.gpus" },
  { "gpus-per-node", "cluster.gpus_per_node" },
  { "gpu-memory-gb", "cluster.gpu_memory_gb" },
  { "nvlink-domain", "cluster.nvlink_domain" },
  { "intra-node", "cluster.intra_node" },
  { "intra-node-gb-s", "cluster.intra_node_gb_s" },
  { "inter-node", "cluster.inter_node" },
  { "inter-node-gb-s", "cluster.inter_node_gb_s" },
  { "oversubscription", "cluster.oversubscription" },
  { "pod-gpus", "cluster.pod_gpus" },
  { "host-ram-gb", "cluster.host_ram_gb" },
  { "type", "training.type" },
  { "sequence-length", "training.sequence_length" },
  { "global-batch-size", "training.global_batch_size" },
  { "micro-batch-size", "training.micro_batch_size" },
  { "precision", "training.precision" },
  { "optimizer", "training.optimizer" },
  { "attention", "training.attention" },
  { "framework", "training.framework" },
  { "software-date", "training.software_date" },
  { "overlap", "training.overlap" },
  { "memory-target", "training.memory_target" },
  { "tokens", "training.tokens" },
  { "deadline", "training.deadline" },
  { "lora-rank", "training.lora.rank" },
  { "tp", "strategy.tp" },
  { "etp", "strategy.etp" },
  { "pp", "strategy.pp" },
  { "vpp", "strategy.vpp" },
  { "dp", "strategy.dp" },
  { "cp", "strategy.cp" },
  { "cp-method", "strategy.cp_method" },
  { "ep", "strategy.ep" },
  { "sequence-parallel", "strategy.sequence_parallel" },
  { "zero-stage", "strategy.zero_stage" },
  { "shard-group", "strategy.shard_group" },
  { "recompute", "strategy.recompute" },
  { "schedule", "strategy.schedule" },
  { "offload", "strategy.offload" },
  { "price", "cost.price" },
  { "currency", "cost.currency" },
  { "price-date", "cost.price_date" },
  { "capex-per-gpu", "cost.capex_per_gpu" },
  { "depreciation-years", "cost.depreciation_years" },
  { "power-w", "cost.power_w" },
  { "pue", "cost.pue" },
  { "kwh-price", "cost.kwh_price" },
  { "grid-kg-co2-per-kwh", "cost.grid_kg_co2_per_kwh" },
  { "overhead-share", "cost.overhead_share" },
  { "mtbf-gpu-hours", "cost.mtbf_gpu_hours" },
  { "storage-gb-s", "cost.storage_gb_s" },
  { "restart-s", "cost.restart_s" },
};

/* ---- messages ---- */

/**
 * shardwise_cli_fail:
 * @file: what was read
 * @error: what is wrong with it
 *
 * Returns: %SHARDWISE_CLI_WRONG_INPUT, after one line on standard error
 */
int
shardwise_cli_fail (const char *file, const GError *error)
{
  g_autofree char *line = g_strdup (error->message);

  g_strdelimit (line, "\n\r", ' ');
  g_printerr ("%s: %s\n", file, line);
  return SHARDWISE_CLI_WRONG_INPUT;
}

/**
 * shardwise_cli_usage:
 * @command: (nullable): the command
 * @message: what is wrong with the arguments
 *
 * Returns: %SHARDWISE_CLI_USAGE, after one line on standard error
 */
int
shardwise_cli_usage (const char *command, const char *message)
{
  if (command != NULL)
    /* Translators: name of a command, what is wrong, name of the command again */
    g_printerr (_ ("shardwise-cli %s: %s (see “shardwise-cli %s --help”)\n"), command, message,
                command);
  else
    /* Translators: what is wrong */
    g_printerr (_ ("shardwise-cli: %s (see “shardwise-cli --help”)\n"), message);
  return SHARDWISE_CLI_USAGE;
}

/* ---- reading ---- */

/**
 * shardwise_cli_read:
 * @file: a path; "-" is standard input
 *
 * Returns: (transfer full): its bytes, or %NULL with @error
 */
GBytes *
shardwise_cli_read (const char *file, GError **error)
{
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GFile) path = NULL;

  if (g_str_equal (file, "-"))
    {
      stream = g_unix_input_stream_new (STDIN_FILENO, FALSE);
      return shardwise_read_stream (stream, NULL, error);
    }
  path = g_file_new_for_commandline_arg (file);
  return shardwise_read_file (path, NULL, error);
}

/**
 * shardwise_cli_parse_start:
 * @text: (nullable): YYYY-MM-DD; %NULL: today
 * @out: (out): the day on which training begins
 *
 * Returns: whether @text is a date
 */
gboolean
shardwise_cli_parse_start (const char *text, GDate *out)
{
  if (text != NULL)
    return shardwise_date_parse (text, out);
  shardwise_date_today (out);
  return TRUE;
}

/* ---- options ---- */

/* The value of an option in the type of its key; what does not parse stays text, which the key
 * refuses. */
static GVariant *
parse_value (const ShardwiseKey *key, const char *text)
{
  char *end;
  double value = g_ascii_strtod (text, &end);

  if ((key->kind == SHARDWISE_KEY_INTEGER || key->kind == SHARDWISE_KEY_NUMBER) && end != text
      && *end == '\0')
    return g_variant_new_double (value);
  if (key->kind == SHARDWISE_KEY_BOOLEAN
      && (g_str_equal (text, "true") || g_str_equal (text, "false")))
    return g_variant_new_boolean (g_str_equal (text, "true"));
  return g_variant_new_string (text);
}

static int
parse (GOptionContext *context, int argc, char **argv, char ***rest)
{
  g_auto (GStrv) copy = g_new0 (char *, argc + 1);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < argc; i++)
    copy[i] = g_strdup (argv[i]);
  if (!g_option_context_parse_strv (context, &copy, &error))
    return shardwise_cli_usage (argv[0], error->message);
  *rest = g_strdupv (copy + 1);
  return SHARDWISE_CLI_DONE;
}

/**
 * shardwise_cli_options:
 * @entries: (nullable): the command's options
 * @parameters: what follows the options, for the usage
 * @summary: one line for the usage
 * @n_rest: how many parameters there must be
 * @rest: (out) (transfer full): them
 *
 * Returns: an exit status; not %SHARDWISE_CLI_DONE where the arguments are wrong, which was said
 */
int
shardwise_cli_options (int argc, char **argv, const GOptionEntry *entries, const char *parameters,
                       const char *summary, guint n_rest, char ***rest)
{
  g_autofree char *synopsis = g_strdup_printf ("%s %s", argv[0], parameters);
  g_autoptr (GOptionContext) context = g_option_context_new (synopsis);
  int status;

  g_option_context_set_summary (context, summary);
  g_option_context_set_translation_domain (context, NULL);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  status = parse (context, argc, argv, rest);
  if (status == SHARDWISE_CLI_DONE && g_strv_length (*rest) != n_rest)
    {
      g_clear_pointer (rest, g_strfreev);
      status = shardwise_cli_usage (argv[0], n_rest == 0 ? _ ("too many arguments")
                                                         : _ ("one file is needed"));
    }
  return status;
}

/* The scenario of FILE, changed by the options; without FILE that of the options alone. */
static int
load (ShardwiseCliInput *input, const char *command, char **rest, char **values)
{
  g_autoptr (GError) error = NULL;
  guint n = g_strv_length (rest), n_values = 0;

  for (guint i = 0; i < G_N_ELEMENTS (key_options); i++)
    n_values += values[i] != NULL;
  if (input->takes_question && n == 0)
    return shardwise_cli_usage (command, _ ("a question is missing"));
  if (input->takes_question)
    input->question = g_strdup (rest[--n]);
  if (n > 1)
    return shardwise_cli_usage (command, _ ("too many arguments"));
  if (n == 0 && n_values == 0)
    return shardwise_cli_usage (command, _ ("a file is missing, or --model ID --gpu ID --gpus N"));
  input->file = g_strdup (n == 1 ? rest[0] : _ ("command line"));
  if (n == 0)
    input->scenario = g_object_new (SHARDWISE_TYPE_SCENARIO, NULL);
  else
    {
      g_autoptr (GBytes) bytes = shardwise_cli_read (rest[0], &error);
      gsize length = 0;
      const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

      if (bytes != NULL)
        input->scenario = shardwise_scenario_from_json (text != NULL ? text : "", (gssize) length,
                                                        &error);
    }
  for (guint i = 0; input->scenario != NULL && i < G_N_ELEMENTS (key_options); i++)
    if (values[i] != NULL)
      {
        const ShardwiseKey *key = shardwise_key_find (key_options[i].path);
        g_autoptr (GVariant) value = g_variant_ref_sink (parse_value (key, values[i]));

        /* An empty text would reset the key where a user meant a value. */
        if (!shardwise_key_check (key, value, &error)
            || !shardwise_scenario_set (input->scenario, key->path, value, &error))
          g_clear_object (&input->scenario);
      }
  return input->scenario != NULL ? SHARDWISE_CLI_DONE : shardwise_cli_fail (input->file, error);
}

/**
 * shardwise_cli_input_read:
 * @input: (inout): zeroed but for its check
 * @entries: (nullable): options of the command itself
 * @summary: one line for the usage
 *
 * Returns: an exit status; only %SHARDWISE_CLI_DONE leaves a scenario
 */
int
shardwise_cli_input_read (ShardwiseCliInput *input, int argc, char **argv,
                          const GOptionEntry *entries, const char *summary)
{
  const GOptionEntry common[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &input->json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_autofree char *synopsis = g_strdup_printf (input->takes_question ? "%s [%s] %s" : "%s [%s]",
                                               argv[0], _ ("FILE"), _ ("QUESTION"));
  g_autoptr (GOptionContext) context = g_option_context_new (synopsis);
  GOptionGroup *group = g_option_group_new ("scenario", _ ("Keys of the scenario:"),
                                            _ ("Show the options for keys of the scenario"), NULL,
                                            NULL);
  char *values[G_N_ELEMENTS (key_options)] = { NULL };
  g_auto (GStrv) rest = NULL;
  const char *wrong = NULL;
  int status;

  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, common, NULL);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);

  /* One option for each key, except those that the command has for itself (the list of scale's
   * --gpus). */
  for (guint i = 0; i < G_N_ELEMENTS (key_options); i++)
    {
      const ShardwiseKey *key = shardwise_key_find (key_options[i].path);
      const GOptionEntry entry[] = {
        { key_options[i].option, 0, 0, G_OPTION_ARG_STRING, &values[i], _ (key->title), "…" },
        { NULL },
      };
      const GOptionEntry *own = entries;

      while (own != NULL && own->long_name != NULL
             && !g_str_equal (own->long_name, key_options[i].option))
        own++;
      if (own == NULL || own->long_name == NULL)
        g_option_group_add_entries (group, entry);
    }
  g_option_context_add_group (context, group);
  status = parse (context, argc, argv, &rest);
  if (status == SHARDWISE_CLI_DONE && input->check != NULL)
    wrong = input->check (input->data);
  if (wrong != NULL)
    status = shardwise_cli_usage (argv[0], wrong);
  if (status == SHARDWISE_CLI_DONE)
    status = load (input, argv[0], rest, values);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_free (values[i]);
  return status;
}

/* Frees what was read; safe where reading failed. */
void
shardwise_cli_input_clear (ShardwiseCliInput *input)
{
  g_clear_pointer (&input->file, g_free);
  g_clear_pointer (&input->question, g_free);
  g_clear_object (&input->scenario);
}
