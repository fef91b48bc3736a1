/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which program a launch script starts: what of it is computed otherwise, and the forks whose
 * options Megatron-LM does not have. */
#include "shardwise-import-megatron.h"

#include <glib/gi18n.h>
#include <string.h>

/* The first word that is a script of Python, in whatever folder; (nullable). */
static char *
program_of (const ShardwiseShellCommand *command)
{
  for (guint i = 0; i < command->words->len; i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[i];
      g_autofree char *name = g_path_get_basename (word->text);

      if (g_str_has_suffix (name, ".py") && strchr (name, SHARDWISE_NODE_UNKNOWN) == NULL)
        return g_steal_pointer (&name);
    }
  return NULL;
}

static gboolean
has_part (const char *program, const char *const *parts)
{
  g_autofree char *lower = program != NULL ? g_ascii_strdown (program, -1) : NULL;

  for (guint i = 0; lower != NULL && parts[i] != NULL; i++)
    if (strstr (lower, parts[i]) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
has_option (ShardwiseImportJob *job, const char *const *options)
{
  for (guint i = 0; options[i] != NULL; i++)
    if (shardwise_megatron_has (job, options[i]))
      return TRUE;
  return FALSE;
}

/* What is no decoder of attention layers, or no training. */
static void
warn_program (ShardwiseImportJob *job, const char *program)
{
  static const struct {
    const char *parts[8], *options[5], *text;
  } kinds[] = {
    { { "bert", "_ict", "biencoder", "vision_classify", NULL },
      { NULL },
      N_ ("“%s” trains an encoder: its attention is counted as a decoder’s, which looks at half of "
          "the sequence only.") },
    { { "t5", NULL },
      { "--encoder-num-layers", "--decoder-num-layers", NULL },
      N_ ("“%s” trains an encoder and a decoder: only the stack of --num-layers is counted, as "
          "decoder layers; the other stack and its cross-attention are left out.") },
    { { "mamba", "hybrid", NULL },
      { "--hybrid-override-pattern", "--hybrid-layer-pattern", "--hybrid-attention-ratio",
        "--is-hybrid-model", NULL },
      N_ ("“%s” mixes attention with recurrent layers: all layers are counted as attention layers, "
          "so that memory and time of the recurrent ones are approximated.") },
    { { "vlm", "multimodal", "mimo", "llava", "qwen2_vl", "vision", NULL },
      { "--vision-model-type", "--freeze-ViT", "--allow-missing-vision-projection-checkpoint",
        NULL },
      N_ ("“%s” trains a language model with an encoder of pictures or sound, which is left "
          "out.") },
    { { "retro", NULL },
      { "--retro-add-retriever", NULL },
      N_ ("“%s” trains with retrieval: its encoder and its cross-attention are left out.") },
    { { "generat", "inference", "server", "convert", "eval", "hf2m", "prompt", NULL },
      { NULL },
      N_ ("“%s” does not look like training: its memory and time are those of training with these "
          "arguments.") },
  };
  const char *name = program != NULL ? program : "Megatron-LM";

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (has_part (program, kinds[i].parts) || has_option (job, kinds[i].options))
      shardwise_import_warn (job, shardwise_import_fill (_ (kinds[i].text), name));
}

/* Options of forks and of Megatron-LM as it was. */
static void
find_forks (ShardwiseImportJob *job)
{
  static const char *const options[] = { "--deepspeed",  "--deepspeed_config",
                                         "--zero-stage", "--checkpoint-activations",
                                         "--DDP-impl",   "--no-pipeline-parallel" };

  if (shardwise_megatron_has (job, "--deepspeed"))
    {
      shardwise_import_warn (
          job, g_strdup (_ ("The script starts Megatron-DeepSpeed, a fork: what its DeepSpeed JSON "
                            "says is not known, since no other file is opened.")));
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      const ShardwiseNode *node = shardwise_node_member (job->root, options[i]);

      if (node != NULL)
        shardwise_import_find (
            job, SHARDWISE_SEVERITY_WARNING, "unknown-key",
            /* Translators: an option and the line it stands in */
            g_strdup_printf (_ ("%s (line %u) is an option of older versions or of a fork: "
                                "Megatron-LM core 0.20.0 refuses it."),
                             options[i], node->line));
    }
}

/**
 * shardwise_megatron_find_program:
 * @job: with the options as its root
 * @command: where they stand
 *
 * Says what of the program is approximated, and which options are not Megatron-LM's own.
 */
void
shardwise_megatron_find_program (ShardwiseImportJob *job, const ShardwiseShellCommand *command)
{
  g_autofree char *program = program_of (command);

  warn_program (job, program);
  find_forks (job);
}
