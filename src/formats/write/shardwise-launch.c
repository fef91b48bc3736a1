/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-launch.h"

#include <glib/gi18n.h>

static void
arguments_free (gpointer data)
{
  ShardwiseArguments *arguments = data;

  g_ptr_array_unref (arguments->args);
  g_free (arguments);
}

/**
 * shardwise_launch_init:
 * @self: (out caller-allocates): a command
 * @script: the program that every process runs
 */
void
shardwise_launch_init (ShardwiseLaunch *self, const char *script)
{
  *self = (ShardwiseLaunch){ .script = g_strdup (script),
                             .groups = g_ptr_array_new_with_free_func (arguments_free),
                             .environment = g_ptr_array_new_with_free_func (g_free) };
}

/**
 * shardwise_launch_clear:
 * @self: a command
 */
void
shardwise_launch_clear (ShardwiseLaunch *self)
{
  g_clear_pointer (&self->script, g_free);
  g_clear_pointer (&self->groups, g_ptr_array_unref);
  g_clear_pointer (&self->environment, g_ptr_array_unref);
}

/**
 * shardwise_launch_add_group:
 * @self: a command
 * @name: (nullable): the name of the shell array that holds the arguments
 *
 * Returns: (transfer none): where to add arguments
 */
GPtrArray *
shardwise_launch_add_group (ShardwiseLaunch *self, const char *name)
{
  ShardwiseArguments *group = g_new0 (ShardwiseArguments, 1);

  group->name = name;
  group->args = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->groups, group);

  return group->args;
}

/**
 * shardwise_launch_set:
 * @self: a command
 * @variable: an environment variable
 * @value: its value
 */
void
shardwise_launch_set (ShardwiseLaunch *self, const char *variable, const char *value)
{
  g_ptr_array_add (self->environment, g_strdup_printf ("%s=%s", variable, value));
}

/**
 * shardwise_args_flag:
 * @args: arguments
 * @option: an option without a value
 */
void
shardwise_args_flag (GPtrArray *args, const char *option)
{
  g_ptr_array_add (args, g_strdup (option));
}

/**
 * shardwise_args_word:
 * @args: arguments
 * @option: an option
 * @value: its value
 */
void
shardwise_args_word (GPtrArray *args, const char *option, const char *value)
{
  shardwise_args_flag (args, option);
  g_ptr_array_add (args, g_strdup (value));
}

/**
 * shardwise_args_int:
 * @args: arguments
 * @option: an option
 * @value: its value
 */
void
shardwise_args_int (GPtrArray *args, const char *option, guint value)
{
  shardwise_args_flag (args, option);
  g_ptr_array_add (args, g_strdup_printf ("%u", value));
}

static void
append_word (GString *text, const char *word)
{
  /* What the shell would expand is quoted: patterns such as ([0]*3+[1]*58). */
  if (strpbrk (word, " \t*?[](){}|&;<>$`\"'\\~#!") == NULL && word[0] != '\0')
    {
      g_string_append (text, word);
    }
  else
    {
      g_autofree char *quoted = g_shell_quote (word);

      g_string_append (text, quoted);
    }
}

static void
append_args (GPtrArray *args, const char *before, const char *after, GString *text)
{
  for (guint i = 0; i < args->len; i++)
    {
      const char *word = g_ptr_array_index (args, i);
      gboolean option = g_str_has_prefix (word, "--");

      g_string_append (text, i == 0 || option ? before : " ");
      append_word (text, word);
      if (i + 1 == args->len || g_str_has_prefix (g_ptr_array_index (args, i + 1), "--"))
        g_string_append (text, after);
    }
}

/**
 * shardwise_launch_append_arrays:
 * @self: a command
 * @text: where to append to
 *
 * Appends the named groups of arguments as arrays of bash, an option a line.
 */
void
shardwise_launch_append_arrays (const ShardwiseLaunch *self, GString *text)
{
  for (guint i = 0; i < self->groups->len; i++)
    {
      const ShardwiseArguments *group = g_ptr_array_index (self->groups, i);

      if (group->name == NULL)
        continue;
      g_string_append_printf (text, "%s=(\n", group->name);
      append_args (group->args, "    ", "\n", text);
      g_string_append (text, ")\n");
    }
}

/**
 * shardwise_launch_append_environment:
 * @self: a command
 * @text: where to append to
 */
void
shardwise_launch_append_environment (const ShardwiseLaunch *self, GString *text)
{
  for (guint i = 0; i < self->environment->len; i++)
    g_string_append_printf (text, "export %s\n", (char *) g_ptr_array_index (self->environment, i));
}

static void
append_program (const ShardwiseLaunch *self, const ShardwiseExportJob *job,
                const char *const *options, GString *text)
{
  if (self->accelerate)
    g_string_append_printf (text, "accelerate launch \\\n    --config_file %s",
                            job->info->file_name);
  else
    g_string_append_printf (text, "torchrun \\\n    --nnodes=%u \\\n    --nproc-per-node=%u",
                            shardwise_export_nodes (job), shardwise_export_gpus_per_node (job));
  for (guint i = 0; options[i] != NULL; i++)
    g_string_append_printf (text, " \\\n    %s", options[i]);
  g_string_append_printf (text, " \\\n    %s%s", self->is_module ? "-m " : "", self->script);
}

/**
 * shardwise_launch_append_command:
 * @self: a command
 * @job: the job
 * @prefix: what comes before it: "srun "
 * @options: options of torchrun or accelerate that say where the nodes meet; ended by %NULL
 * @text: where to append to
 */
void
shardwise_launch_append_command (const ShardwiseLaunch *self, const ShardwiseExportJob *job,
                                 const char *prefix, const char *const *options, GString *text)
{
  g_string_append (text, prefix);
  append_program (self, job, options, text);
  for (guint i = 0; i < self->groups->len; i++)
    {
      const ShardwiseArguments *group = g_ptr_array_index (self->groups, i);

      if (group->name != NULL)
        g_string_append_printf (text, " \\\n    \"${%s[@]}\"", group->name);
      else
        append_args (group->args, " \\\n    ", "", text);
    }
  g_string_append_c (text, '\n');
}

/* torchrun's own rendezvous ("static") gives node i the ranks from i * GPUs on, in order, as the
 * strategy assumes: tensor parallelism stays inside a node. */
static const char *const torchrun_nodes[] = { "--node-rank=\"$NODE_RANK\"",
                                              "--master-addr=\"$MASTER_ADDR\"",
                                              "--master-port=\"$MASTER_PORT\"", NULL };
static const char *const accelerate_nodes[] = { "--machine_rank \"$NODE_RANK\"",
                                                "--main_process_ip \"$MASTER_ADDR\"",
                                                "--main_process_port \"$MASTER_PORT\"", NULL };
static const char *const one_node[] = { NULL };

static const char *const *
node_options (const ShardwiseLaunch *self, const ShardwiseExportJob *job)
{
  if (shardwise_export_nodes (job) <= 1)
    return one_node;
  return self->accelerate ? accelerate_nodes : torchrun_nodes;
}

/**
 * shardwise_launch_line:
 * @job: a job of a framework, not of a launcher
 *
 * Returns: (transfer full): the command and its environment in one line
 */
char *
shardwise_launch_line (const ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL);
  g_auto (ShardwiseLaunch) launch = { 0 };

  shardwise_launch_of (job, &launch);
  for (guint i = 0; i < launch.environment->len; i++)
    g_string_append_printf (text, "%s ", (char *) g_ptr_array_index (launch.environment, i));
  for (guint i = 0; i < launch.groups->len; i++)
    /* no array to name */
    ((ShardwiseArguments *) g_ptr_array_index (launch.groups, i))->name = NULL;
  shardwise_launch_append_command (&launch, job, "", node_options (&launch, job), text);
  g_string_replace (text, " \\\n    ", " ", 0);
  return g_strchomp (g_string_free (text, FALSE));
}

/**
 * shardwise_launch_append_script:
 * @self: a command
 * @job: the job
 * @text: where to append to
 *
 * Appends what a script does that runs on every node by itself.
 */
void
shardwise_launch_append_script (const ShardwiseLaunch *self, const ShardwiseExportJob *job,
                                GString *text)
{
  gboolean many = shardwise_export_nodes (job) > 1;

  g_string_append (text, "set -euo pipefail\n\n");
  if (many)
    {
      shardwise_export_append_text (
          text, "# ",
          _ ("Run this on every node, with NODE_RANK counted from 0 and MASTER_ADDR the "
             "first node’s address."));
      g_string_append (text, "NODE_RANK=\"${NODE_RANK:-0}\"\n"
                             "MASTER_ADDR=\"${MASTER_ADDR:?the address of the first node}\"\n"
                             "MASTER_PORT=\"${MASTER_PORT:-29500}\"\n");
    }
  shardwise_launch_append_environment (self, text);
  if (many || self->environment->len > 0)
    g_string_append_c (text, '\n');
  shardwise_launch_append_arrays (self, text);
  if (self->groups->len > 0 && ((ShardwiseArguments *) self->groups->pdata[0])->name != NULL)
    g_string_append_c (text, '\n');
  shardwise_launch_append_command (self, job, "", node_options (self, job), text);
}

/**
 * shardwise_launch_of:
 * @job: a job of a framework, not of a launcher
 * @launch: (out caller-allocates): how its files are started; shardwise_launch_clear() it
 */
void
shardwise_launch_of (const ShardwiseExportJob *job, ShardwiseLaunch *launch)
{
  shardwise_format_writer (job->info)->launch (job, launch);
}
