/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the command line to a scenario: a file, standard input, or one option for each key. */
#include "shardwise-cli-input.h"

#include <gio/gunixinputstream.h>
#include <glib/gi18n.h>
#include <unistd.h>

#include "shardwise-file.h"
#include "shardwise-format.h"
#include "shardwise-import.h"

/* An option and its key. */
typedef struct {
  const char *option;
  ShardwiseKeyId key;
} KeyOption;

static const KeyOption key_options[] = {
  { "model", SHARDWISE_KEY_MODEL_PRESET },
  { "parameters-b", SHARDWISE_KEY_MODEL_PARAMETERS_B },
  { "gpu", SHARDWISE_KEY_CLUSTER_GPU },
  { "gpus", SHARDWISE_KEY_CLUSTER_GPUS },
  { "gpus-per-node", SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE },
  { "gpu-memory-gb", SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB },
  { "nvlink-domain", SHARDWISE_KEY_CLUSTER_NVLINK_DOMAIN },
  { "intra-node", SHARDWISE_KEY_CLUSTER_INTRA_NODE },
  { "intra-node-gb-s", SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S },
  { "inter-node", SHARDWISE_KEY_CLUSTER_INTER_NODE },
  { "inter-node-gb-s", SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S },
  { "oversubscription", SHARDWISE_KEY_CLUSTER_OVERSUBSCRIPTION },
  { "pod-gpus", SHARDWISE_KEY_CLUSTER_POD_GPUS },
  { "host-ram-gb", SHARDWISE_KEY_CLUSTER_HOST_RAM_GB },
  { "nvme-gb-s", SHARDWISE_KEY_CLUSTER_NVME_GB_S },
  { "type", SHARDWISE_KEY_TRAINING_TYPE },
  { "sequence-length", SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH },
  { "global-batch-size", SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE },
  { "micro-batch-size", SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE },
  { "precision", SHARDWISE_KEY_TRAINING_PRECISION },
  { "optimizer", SHARDWISE_KEY_TRAINING_OPTIMIZER },
  { "states-parameters", SHARDWISE_KEY_TRAINING_STATES_PARAMETERS },
  { "states-gradients", SHARDWISE_KEY_TRAINING_STATES_GRADIENTS },
  { "states-master", SHARDWISE_KEY_TRAINING_STATES_MASTER },
  { "states-moments", SHARDWISE_KEY_TRAINING_STATES_MOMENTS },
  { "optimizer-in-backward", SHARDWISE_KEY_TRAINING_OPTIMIZER_IN_BACKWARD },
  { "attention", SHARDWISE_KEY_TRAINING_ATTENTION },
  { "framework", SHARDWISE_KEY_TRAINING_FRAMEWORK },
  { "software-date", SHARDWISE_KEY_TRAINING_SOFTWARE_DATE },
  { "compile", SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE },
  { "fused-kernels", SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_KERNELS },
  { "flash-attention", SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION },
  { "async-tp", SHARDWISE_KEY_TRAINING_SOFTWARE_ASYNC_TP },
  { "dp-overlap", SHARDWISE_KEY_TRAINING_SOFTWARE_DP_OVERLAP },
  { "flat-buffers", SHARDWISE_KEY_TRAINING_SOFTWARE_FLAT_BUFFERS },
  { "cuda-graphs", SHARDWISE_KEY_TRAINING_SOFTWARE_CUDA_GRAPHS },
  { "moe-overlap", SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_OVERLAP },
  { "fused-cross-entropy", SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_CROSS_ENTROPY },
  { "chunked-cross-entropy", SHARDWISE_KEY_TRAINING_SOFTWARE_CHUNKED_CROSS_ENTROPY },
  { "fused-casts", SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_CASTS },
  { "blocking-launches", SHARDWISE_KEY_TRAINING_SOFTWARE_BLOCKING_LAUNCHES },
  { "reentrant-checkpointing", SHARDWISE_KEY_TRAINING_SOFTWARE_REENTRANT_CHECKPOINTING },
  { "unsharded-accumulation", SHARDWISE_KEY_TRAINING_SOFTWARE_UNSHARDED_ACCUMULATION },
  { "loss-upcast", SHARDWISE_KEY_TRAINING_SOFTWARE_LOSS_UPCAST },
  { "fused-adapters", SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_ADAPTERS },
  { "moe-dispatcher", SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER },
  { "overlap", SHARDWISE_KEY_TRAINING_OVERLAP },
  { "offload-device", SHARDWISE_KEY_TRAINING_OFFLOAD_DEVICE },
  { "memory-target", SHARDWISE_KEY_TRAINING_MEMORY_TARGET },
  { "allow-untried", SHARDWISE_KEY_TRAINING_ALLOW_UNTRIED },
  { "tokens", SHARDWISE_KEY_TRAINING_TOKENS },
  { "examples", SHARDWISE_KEY_TRAINING_EXAMPLES },
  { "epochs", SHARDWISE_KEY_TRAINING_EPOCHS },
  { "deadline", SHARDWISE_KEY_TRAINING_DEADLINE },
  { "adapters", SHARDWISE_KEY_TRAINING_ADAPTERS },
  { "lora-rank", SHARDWISE_KEY_TRAINING_LORA_RANK },
  { "lora-dora", SHARDWISE_KEY_TRAINING_LORA_DORA },
  { "base-precision", SHARDWISE_KEY_TRAINING_BASE_PRECISION },
  { "double-quantization", SHARDWISE_KEY_TRAINING_DOUBLE_QUANTIZATION },
  { "algorithm", SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM },
  { "reference", SHARDWISE_KEY_TRAINING_RLHF_REFERENCE },
  { "group-size", SHARDWISE_KEY_TRAINING_RLHF_GROUP_SIZE },
  { "tp", SHARDWISE_KEY_STRATEGY_TP },
  { "etp", SHARDWISE_KEY_STRATEGY_ETP },
  { "pp", SHARDWISE_KEY_STRATEGY_PP },
  { "vpp", SHARDWISE_KEY_STRATEGY_VPP },
  { "dp", SHARDWISE_KEY_STRATEGY_DP },
  { "cp", SHARDWISE_KEY_STRATEGY_CP },
  { "cp-method", SHARDWISE_KEY_STRATEGY_CP_METHOD },
  { "ep", SHARDWISE_KEY_STRATEGY_EP },
  { "sequence-parallel", SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL },
  { "zero-stage", SHARDWISE_KEY_STRATEGY_ZERO_STAGE },
  { "shard-group", SHARDWISE_KEY_STRATEGY_SHARD_GROUP },
  { "recompute", SHARDWISE_KEY_STRATEGY_RECOMPUTE },
  { "schedule", SHARDWISE_KEY_STRATEGY_SCHEDULE },
  { "offload", SHARDWISE_KEY_STRATEGY_OFFLOAD },
  { "price", SHARDWISE_KEY_COST_PRICE },
  { "currency", SHARDWISE_KEY_COST_CURRENCY },
  { "price-date", SHARDWISE_KEY_COST_PRICE_DATE },
  { "capex-per-gpu", SHARDWISE_KEY_COST_CAPEX_PER_GPU },
  { "depreciation-years", SHARDWISE_KEY_COST_DEPRECIATION_YEARS },
  { "power-w", SHARDWISE_KEY_COST_POWER_W },
  { "pue", SHARDWISE_KEY_COST_PUE },
  { "kwh-price", SHARDWISE_KEY_COST_KWH_PRICE },
  { "grid-kg-co2-per-kwh", SHARDWISE_KEY_COST_GRID_KG_CO2_PER_KWH },
  { "overhead-share", SHARDWISE_KEY_COST_OVERHEAD_SHARE },
  { "mtbf-gpu-hours", SHARDWISE_KEY_COST_MTBF_GPU_HOURS },
  { "storage-gb-s", SHARDWISE_KEY_COST_STORAGE_GB_S },
  { "restart-s", SHARDWISE_KEY_COST_RESTART_S },
};

/* ---- messages ---- */

/**
 * shardwise_cli_fail:
 * @file: the input
 * @error: the error
 *
 * Returns: %SHARDWISE_CLI_WRONG_INPUT; prints one line on standard error
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
 * @message: the mistake in the arguments
 *
 * Returns: %SHARDWISE_CLI_USAGE; prints one line on standard error
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
 * @out: (out): the first day of training
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

/* The value of an option in the type of its key. A value that does not parse stays text, so that
 * the key refuses it. */
static GVariant *
parse_value (const ShardwiseKey *key, const char *text)
{
  char *end;
  double value = g_ascii_strtod (text, &end);

  if ((key->kind == SHARDWISE_KIND_INTEGER || key->kind == SHARDWISE_KIND_NUMBER) && end != text
      && *end == '\0')
    return g_variant_new_double (value);
  if (key->kind == SHARDWISE_KIND_VERSION && end != text && *end == '\0')
    return g_variant_new_double (value);
  if ((key->kind == SHARDWISE_KIND_BOOLEAN || key->kind == SHARDWISE_KIND_VERSION)
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
 * @parameters: the parameters after the options, for the usage
 * @summary: one line for the usage
 * @n_rest: the required number of parameters; %SHARDWISE_CLI_SOME: one or more, %SHARDWISE_CLI_ANY:
 *   or none
 * @rest: (out) (transfer full): the parameters
 *
 * Returns: an exit status; not %SHARDWISE_CLI_DONE if the arguments are wrong, which was printed
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
  if (status == SHARDWISE_CLI_DONE && n_rest != SHARDWISE_CLI_ANY
      && (n_rest == SHARDWISE_CLI_SOME ? **rest == NULL : g_strv_length (*rest) != n_rest))
    {
      g_clear_pointer (rest, g_strfreev);
      status = shardwise_cli_usage (argv[0], n_rest == 0 ? _ ("too many arguments")
                                                         : _ ("exactly one file is required"));
    }
  return status;
}

/* The scenario on the machine measured by the probe in @file. Prints problems to standard error. */
static void
take_measured (ShardwiseCliInput *input, const char *file, GError **error)
{
  g_autoptr (GBytes) bytes = shardwise_cli_read (file, error);
  g_autoptr (ShardwiseImport) import = NULL;
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (bytes != NULL)
    import = shardwise_import_read (text != NULL ? text : "", length, file, input->scenario, error);
  if (import != NULL && import->kind != SHARDWISE_IMPORT_PROBE)
    g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX, "%s",
                 _ ("not the output of a probe; allowed: shardwise-probe.json"));
  for (guint i = 0; import != NULL && i < import->findings->len; i++)
    g_printerr ("%s: %s\n", file, ((ShardwiseFinding *) import->findings->pdata[i])->text);
  g_clear_object (&input->scenario);
  if (import != NULL && import->kind == SHARDWISE_IMPORT_PROBE)
    input->scenario = g_object_ref (import->scenario);
}

/* The scenario of FILE with the options applied; without FILE, the options alone. */
static int
load (ShardwiseCliInput *input, const char *command, char **rest, char **values,
      const char *measured)
{
  g_autoptr (GError) error = NULL;
  guint n = g_strv_length (rest), n_values = 0;

  for (guint i = 0; i < G_N_ELEMENTS (key_options); i++)
    n_values += values[i] != NULL;
  if (input->takes_question && n == 0)
    return shardwise_cli_usage (command, _ ("a question is required"));
  if (input->takes_question)
    input->question = g_strdup (rest[--n]);
  if (n > 1)
    return shardwise_cli_usage (command, _ ("too many arguments"));
  if (n == 0 && n_values == 0 && input->is_optional)
    return SHARDWISE_CLI_DONE;
  if (n == 0 && n_values == 0)
    return shardwise_cli_usage (command, _ ("a file is required, or --model ID --gpu ID --gpus N"));
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
        const ShardwiseKey *key = shardwise_key_get (key_options[i].key);
        g_autoptr (GVariant) value = g_variant_ref_sink (parse_value (key, values[i]));

        /* An empty text would reset the key although the user probably meant a value. */
        if (!shardwise_key_check (key, value, &error)
            || !shardwise_scenario_set (input->scenario, key->id, value, &error))
          g_clear_object (&input->scenario);
      }
  if (input->scenario != NULL && measured != NULL)
    {
      take_measured (input, measured, &error);
      if (input->scenario == NULL)
        return shardwise_cli_fail (measured, error);
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
  g_autofree char *measured = NULL;
  const GOptionEntry common[] = {
    { "measured", 0, 0, G_OPTION_ARG_FILENAME, &measured,
      N_ ("Use the machine that a probe measured"), N_ ("JSON") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &input->json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_autofree char *synopsis = g_strdup_printf (input->takes_question ? "%s [%s] %s" : "%s [%s]",
                                               argv[0], _ ("FILE"), _ ("QUESTION"));
  g_autoptr (GOptionContext) context = g_option_context_new (synopsis);
  GOptionGroup *group = g_option_group_new ("scenario", _ ("Keys of the scenario:"),
                                            _ ("Show the options for scenario keys"), NULL, NULL);
  char *values[G_N_ELEMENTS (key_options)] = { NULL };
  g_auto (GStrv) rest = NULL;
  const char *wrong = NULL;
  int status;

  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, common, NULL);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);

  /* One option for each key, except for keys that the command handles itself (the list of scale's
   * --gpus). */
  for (guint i = 0; i < G_N_ELEMENTS (key_options); i++)
    {
      const ShardwiseKey *key = shardwise_key_get (key_options[i].key);
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
    status = load (input, argv[0], rest, values, measured);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_free (values[i]);
  return status;
}

/* Frees the input; safe if reading failed. */
void
shardwise_cli_input_clear (ShardwiseCliInput *input)
{
  g_clear_pointer (&input->file, g_free);
  g_clear_pointer (&input->question, g_free);
  g_clear_object (&input->scenario);
}
