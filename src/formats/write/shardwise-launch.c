/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-launch.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-export-names.h"
#include "shardwise-yaml.h"

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
 * shardwise_launch_limit_connections:
 * @self: a command that runs Megatron-LM
 * @job: the job
 *
 * Sets CUDA_DEVICE_MAX_CONNECTIONS=1 where Megatron-LM refuses to start without: with TP or CP on
 * GPUs whose architecture is numbered below 10 (Blackwell), AMD's among them: gfx942 is 9.4.
 */
void
shardwise_launch_limit_connections (ShardwiseLaunch *self, const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  if ((strategy->tp > 1 || strategy->cp > 1)
      && job->problem.cluster.gpu.generation != SW_GENERATION_BLACKWELL
      && job->problem.cluster.gpu.generation != SW_GENERATION_RUBIN)
    shardwise_launch_set (self, "CUDA_DEVICE_MAX_CONNECTIONS", "1");
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

/* "--tp", or "trainer.nnodes=2" of Hydra. */
static gboolean
is_option (const char *word)
{
  const char *equals = strchr (word, '=');

  return g_str_has_prefix (word, "--")
         || (equals != NULL && memchr (word, '.', (gsize) (equals - word)) != NULL);
}

static void
append_args (GPtrArray *args, const char *before, const char *after, GString *text)
{
  for (guint i = 0; i < args->len; i++)
    {
      const char *word = g_ptr_array_index (args, i);
      gboolean option = is_option (word);

      g_string_append (text, i == 0 || option ? before : " ");
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
      if (i + 1 == args->len || is_option (g_ptr_array_index (args, i + 1)))
        g_string_append (text, after);
    }
}

/* Appends the named groups of arguments as arrays of bash, an option a line. */
static void
append_arrays (const ShardwiseLaunch *self, GString *text)
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

static void
append_environment (const ShardwiseLaunch *self, GString *text)
{
  for (guint i = 0; i < self->environment->len; i++)
    g_string_append_printf (text, "export %s\n", (char *) g_ptr_array_index (self->environment, i));
}

/* How a node learns its place among several, by what runs the command on each. Of torchrun's own
 * rendezvous ("static") node i gets the ranks from i * GPUs on, in order, as the strategy assumes:
 * tensor parallelism stays inside a node. */
typedef struct {
  const char *rank, *address, *port;
} Place;

static const Place by_hand = { "$NODE_RANK", "$MASTER_ADDR", "$MASTER_PORT" };
static const Place by_slurm = { "$SLURM_NODEID", "$MASTER_ADDR", "29500" };
static const Place by_kubernetes = { "$PET_NODE_RANK", "$PET_MASTER_ADDR", "$PET_MASTER_PORT" };
static const Place by_skypilot = { "$SKYPILOT_NODE_RANK", "$MASTER_ADDR", "29500" };

/* The command, with the place of the node where there are several. */
static void
append_command (const ShardwiseLaunch *self, const ShardwiseExportJob *job, const Place *place,
                GString *text)
{
  const guint nodes = shardwise_export_nodes (job), gpus = shardwise_export_gpus_per_node (job);

  switch (self->starter)
    {
    case SHARDWISE_STARTER_ACCELERATE:
      g_string_append_printf (text, "accelerate launch \\\n    --config_file %s", self->config);
      if (nodes > 1)
        g_string_append_printf (text,
                                " \\\n    --machine_rank \"%s\" \\\n    --main_process_ip \"%s\""
                                " \\\n    --main_process_port \"%s\"",
                                place->rank, place->address, place->port);
      break;
    case SHARDWISE_STARTER_PYTHON:
    case SHARDWISE_STARTER_RAY: g_string_append (text, "python3"); break;
    case SHARDWISE_STARTER_TUNE:
    case SHARDWISE_STARTER_TORCHRUN:
    default:
      g_string_append_printf (text, "%s \\\n    --nnodes=%u \\\n    --nproc-per-node=%u",
                              self->starter == SHARDWISE_STARTER_TUNE ? "tune run" : "torchrun",
                              nodes, gpus);
      if (place == &by_slurm)
        g_string_append (text, " \\\n    --rdzv-backend=c10d \\\n    --rdzv-id=\"$SLURM_JOB_ID\""
                               " \\\n    --rdzv-endpoint=\"$MASTER_ADDR:29500\"");
      else if (nodes > 1)
        g_string_append_printf (text,
                                " \\\n    --node-rank=\"%s\" \\\n    --master-addr=\"%s\""
                                " \\\n    --master-port=\"%s\"",
                                place->rank, place->address, place->port);
      break;
    }
  g_string_append_printf (text, " \\\n    %s%s", self->is_module ? "-m " : "", self->script);
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

/* Ray's cluster: the first node is its head, and alone goes on; the others serve until it ends. */
static void
append_cluster (const ShardwiseLaunch *self, const ShardwiseExportJob *job, const Place *place,
                GString *text)
{
  if (self->starter != SHARDWISE_STARTER_RAY || shardwise_export_nodes (job) <= 1)
    return;
  g_string_append_printf (text,
                          "if [ \"%s\" != 0 ]; then\n"
                          "    exec ray start --address=\"%s:6379\" --block\n"
                          "fi\n"
                          "ray start --head --port=6379\n",
                          place->rank, place->address);
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
  append_command (&launch, job, &by_hand, text);
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
      shardwise_export_append_text (text, "# ",
                                    _ ("Run this on every node. Set NODE_RANK (starting at 0) and "
                                       "set MASTER_ADDR to the address of the first node."));
      g_string_append (text, "NODE_RANK=\"${NODE_RANK:-0}\"\n"
                             "MASTER_ADDR=\"${MASTER_ADDR:?the address of the first node}\"\n"
                             "MASTER_PORT=\"${MASTER_PORT:-29500}\"\n");
    }
  append_environment (self, text);
  if (many || self->environment->len > 0)
    g_string_append_c (text, '\n');
  append_arrays (self, text);
  if (self->groups->len > 0 && ((ShardwiseArguments *) self->groups->pdata[0])->name != NULL)
    g_string_append_c (text, '\n');
  append_cluster (self, job, &by_hand, text);
  append_command (self, job, &by_hand, text);
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

/* What starts the files of a framework on every node: a script for torchrun, a job for Slurm, and
 * jobs for Kubernetes (Kubeflow's TrainJob and the older PyTorchJob). */

static void
begin_script (ShardwiseExportJob *job, GString *text, const char *directives)
{
  g_string_append_printf (text, "#!/bin/bash\n%s", directives);
  shardwise_export_append_header (job, text);
}

/* "llama-3-70b-tp8-pp4": letters, digits and hyphens, starting with a letter, as Kubernetes
 * requires. */
static char *
job_name (const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  g_autofree char *model = g_strdup (job->problem.model.id[0] != '\0' ? job->problem.model.id
                                                                      : "training");

  for (char *c = model; *c != '\0'; c++)
    *c = g_ascii_isalnum (*c) ? g_ascii_tolower (*c) : '-';

  return g_strdup_printf ("%s%s-tp%u-pp%u-dp%u", g_ascii_isalpha (model[0]) ? "" : "m-", model,
                          s->tp, s->pp, s->dp);
}

static char *
slurm_script (ShardwiseExportJob *job, const ShardwiseLaunch *launch)
{
  /* Directives count before the first command only, and variables in them are not expanded. */
  guint per_node = shardwise_export_gpus_per_node (job);
  g_autofree char *name = job_name (job);
  g_autofree char *directives = g_strdup_printf ("#SBATCH --job-name=%s\n"
                                                 "#SBATCH --nodes=%u\n"
                                                 "#SBATCH --ntasks-per-node=1\n"
                                                 "#SBATCH --gpus-per-node=%u\n"
                                                 "#SBATCH --cpus-per-task=%u\n"
                                                 "#SBATCH --exclusive\n"
                                                 "#SBATCH --time=24:00:00\n"
                                                 "#SBATCH --output=%%x-%%j.out\n",
                                                 name, shardwise_export_nodes (job), per_node,
                                                 8 * per_node);
  GString *text = g_string_new (NULL);

  begin_script (job, text, directives);
  g_string_append (text, "set -euo pipefail\n\n");
  append_environment (launch, text);
  /* sed reads to the end: head would break the pipe of a long list, which pipefail stops at. */
  g_string_append (
      text, "MASTER_ADDR=\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | sed -n 1p)\"\n\n");
  append_arrays (launch, text);
  if (launch->starter == SHARDWISE_STARTER_TORCHRUN || launch->starter == SHARDWISE_STARTER_TUNE)
    {
      g_string_append (text, "srun --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" ");
      append_command (launch, job, &by_slurm, text);
    }
  else
    {
      g_autoptr (GString) command = g_string_new (NULL);

      /* The rank of the machine is known on the node only: within quotes of its own. */
      append_cluster (launch, job, &by_slurm, command);
      append_command (launch, job, &by_slurm, command);
      g_string_truncate (command, command->len - 1);
      g_string_replace (command, "'", "'\\''", 0);
      g_string_append_printf (text,
                              "export MASTER_ADDR\nsrun --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" "
                              "bash -c '%s'\n",
                              command->str);
    }

  return g_string_free (text, FALSE);
}

static void
yaml_strings (ShardwiseYaml *yaml, const char *key, GPtrArray *words)
{
  shardwise_yaml_begin_list (yaml, key);
  for (guint i = 0; i < words->len; i++)
    shardwise_yaml_string (yaml, NULL, g_ptr_array_index (words, i));
  shardwise_yaml_end_list (yaml);
}

/* The operator sets PET_NNODES, PET_NPROC_PER_NODE and PET_NODE_RANK, which torchrun reads: it
 * needs no arguments on size; Accelerate is given them. */
static void
yaml_command (ShardwiseYaml *yaml, const ShardwiseExportJob *job, const ShardwiseLaunch *launch)
{
  g_autoptr (GPtrArray) command = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);

  if (launch->starter != SHARDWISE_STARTER_TORCHRUN)
    {
      GString *text = g_string_new (NULL);

      shardwise_args_word (command, "sh", "-c");
      append_cluster (launch, job, &by_kubernetes, text);
      append_command (launch, job, &by_kubernetes, text);
      g_string_replace (text, " \\\n    ", " ", 0);
      g_ptr_array_add (args, g_strchomp (g_string_free (text, FALSE)));
    }
  else
    {
      shardwise_args_flag (command, "torchrun");
      if (launch->is_module)
        shardwise_args_flag (command, "-m");
      shardwise_args_flag (command, launch->script);
      for (guint i = 0; i < launch->groups->len; i++)
        {
          const ShardwiseArguments *group = g_ptr_array_index (launch->groups, i);

          for (guint j = 0; j < group->args->len; j++)
            g_ptr_array_add (args, g_strdup (g_ptr_array_index (group->args, j)));
        }
    }
  yaml_strings (yaml, "command", command);
  if (args->len > 0)
    yaml_strings (yaml, "args", args);
}

static void
yaml_environment (ShardwiseYaml *yaml, const ShardwiseLaunch *launch)
{
  if (launch->environment->len == 0)
    return;

  shardwise_yaml_begin_list (yaml, "env");
  for (guint i = 0; i < launch->environment->len; i++)
    {
      g_auto (GStrv) parts = g_strsplit (g_ptr_array_index (launch->environment, i), "=", 2);

      shardwise_yaml_begin_map (yaml, NULL);
      shardwise_yaml_word (yaml, "name", parts[0]);
      shardwise_yaml_string (yaml, "value", parts[1]);
      shardwise_yaml_end_map (yaml);
    }
  shardwise_yaml_end_list (yaml);
}

/* What the vendor's device plug-in calls its GPUs. */
static const char *
gpu_resource (const ShardwiseExportJob *job)
{
  return job->problem.cluster.gpu.generation == SW_GENERATION_CDNA ? "amd.com/gpu"
                                                                   : "nvidia.com/gpu";
}

static void
yaml_gpus (ShardwiseYaml *yaml, const char *key, const ShardwiseExportJob *job)
{
  const guint gpus = shardwise_export_gpus_per_node (job);

  shardwise_yaml_begin_map (yaml, key);
  shardwise_yaml_begin_map (yaml, "limits");
  shardwise_yaml_int (yaml, gpu_resource (job), gpus);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_begin_map (yaml, "requests");
  shardwise_yaml_int (yaml, gpu_resource (job), gpus);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
}

#define IMAGE "registry.example/train:1"

static void
yaml_metadata (ShardwiseYaml *yaml, const ShardwiseExportJob *job, const char *api,
               const char *kind)
{
  g_autofree char *name = job_name (job);

  shardwise_yaml_word (yaml, "apiVersion", api);
  shardwise_yaml_word (yaml, "kind", kind);
  shardwise_yaml_begin_map (yaml, "metadata");
  shardwise_yaml_string (yaml, "name", name);
  shardwise_yaml_end_map (yaml);
}

/* NCCL and loaders of data share memory, of which a container has 64 MiB. */
static void
yaml_mount (ShardwiseYaml *yaml)
{
  shardwise_yaml_begin_list (yaml, "volumeMounts");
  shardwise_yaml_begin_map (yaml, NULL);
  shardwise_yaml_word (yaml, "name", "shared-memory");
  shardwise_yaml_word (yaml, "mountPath", "/dev/shm");
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_list (yaml);
}

/* The volume behind /dev/shm. */
static void
yaml_memory (ShardwiseYaml *yaml)
{
  shardwise_yaml_begin_list (yaml, "volumes");
  shardwise_yaml_begin_map (yaml, NULL);
  shardwise_yaml_word (yaml, "name", "shared-memory");
  shardwise_yaml_begin_map (yaml, "emptyDir");
  shardwise_yaml_word (yaml, "medium", "Memory");
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_list (yaml);
}

/* What a TrainJob changes of the pods of its runtime, whose job and container are named "node". */
static void
yaml_runtime_patches (ShardwiseYaml *yaml)
{
  static const char *const outer[] = { "trainingRuntimeSpec", "template", "spec" },
                           *const inner[] = { "template", "spec", "template", "spec" };

  shardwise_yaml_begin_list (yaml, "runtimePatches");
  shardwise_yaml_begin_map (yaml, NULL);
  shardwise_yaml_word (yaml, "manager", "shardwise.io/export");
  for (guint i = 0; i < G_N_ELEMENTS (outer); i++)
    shardwise_yaml_begin_map (yaml, outer[i]);
  shardwise_yaml_begin_list (yaml, "replicatedJobs");
  shardwise_yaml_begin_map (yaml, NULL);
  shardwise_yaml_word (yaml, "name", "node");
  for (guint i = 0; i < G_N_ELEMENTS (inner); i++)
    shardwise_yaml_begin_map (yaml, inner[i]);
  yaml_memory (yaml);
  shardwise_yaml_begin_list (yaml, "containers");
  shardwise_yaml_begin_map (yaml, NULL);
  shardwise_yaml_word (yaml, "name", "node");
  yaml_mount (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_list (yaml);
  for (guint i = 0; i < G_N_ELEMENTS (inner); i++)
    shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_list (yaml);
  for (guint i = 0; i < G_N_ELEMENTS (outer); i++)
    shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_list (yaml);
}

static void
write_replicas (ShardwiseYaml *yaml, const char *key, guint replicas, const ShardwiseExportJob *job,
                const ShardwiseLaunch *launch)
{
  if (replicas == 0)
    return;

  shardwise_yaml_begin_map (yaml, key);
  shardwise_yaml_int (yaml, "replicas", replicas);
  shardwise_yaml_word (yaml, "restartPolicy", "OnFailure");
  shardwise_yaml_begin_map (yaml, "template");
  shardwise_yaml_begin_map (yaml, "spec");
  shardwise_yaml_begin_list (yaml, "containers");
  shardwise_yaml_begin_map (yaml, NULL);
  shardwise_yaml_word (yaml, "name", "pytorch"); /* the name that the operator looks for */
  shardwise_yaml_word (yaml, "image", IMAGE);
  yaml_command (yaml, job, launch);
  yaml_environment (yaml, launch);
  yaml_gpus (yaml, "resources", job);
  yaml_mount (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_list (yaml);
  yaml_memory (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
  shardwise_yaml_end_map (yaml);
}

static char *
kubernetes_job (ShardwiseExportJob *job, const ShardwiseFormatInfo *launcher,
                const ShardwiseLaunch *launch)
{
  ShardwiseYaml *yaml = shardwise_yaml_new ();
  GString *text = g_string_new (NULL);
  g_autofree char *body = NULL;

  shardwise_export_append_header (job, text);
  if (launcher->format == SHARDWISE_FORMAT_PYTORCHJOB)
    {
      g_autofree char *per_node = g_strdup_printf ("%u", shardwise_export_gpus_per_node (job));

      yaml_metadata (yaml, job, "kubeflow.org/v1", "PyTorchJob");
      shardwise_yaml_begin_map (yaml, "spec");
      shardwise_yaml_string (yaml, "nprocPerNode", per_node); /* an integer is refused */
      shardwise_yaml_begin_map (yaml, "runPolicy");
      shardwise_yaml_word (yaml, "cleanPodPolicy", "None");
      shardwise_yaml_end_map (yaml);
      shardwise_yaml_begin_map (yaml, "pytorchReplicaSpecs");
      write_replicas (yaml, "Master", 1, job, launch);
      write_replicas (yaml, "Worker", shardwise_export_nodes (job) - 1, job, launch);
      shardwise_yaml_end_map (yaml);
      shardwise_yaml_end_map (yaml);
    }
  else
    {
      guint per_node = shardwise_export_gpus_per_node (job);

      yaml_metadata (yaml, job, "trainer.kubeflow.org/v1alpha1", "TrainJob");
      shardwise_yaml_begin_map (yaml, "spec");
      shardwise_yaml_begin_map (yaml, "runtimeRef");
      shardwise_yaml_word (yaml, "name", "torch-distributed");
      shardwise_yaml_word (yaml, "kind", "ClusterTrainingRuntime");
      shardwise_yaml_word (yaml, "apiGroup", "trainer.kubeflow.org");
      shardwise_yaml_end_map (yaml);
      shardwise_yaml_begin_map (yaml, "trainer");
      shardwise_yaml_word (yaml, "image", IMAGE);
      shardwise_yaml_int (yaml, "numNodes", shardwise_export_nodes (job));
      shardwise_yaml_int (yaml, "numProcPerNode", per_node);
      yaml_gpus (yaml, "resourcesPerNode", job);
      yaml_environment (yaml, launch);
      yaml_command (yaml, job, launch);
      shardwise_yaml_end_map (yaml);
      yaml_runtime_patches (yaml);
      shardwise_yaml_end_map (yaml);
    }
  body = shardwise_yaml_finish (yaml);
  g_string_append_printf (text, "\n%s", body);

  return g_string_free (text, FALSE);
}

/* The packages that bring what a job starts, as pip names them; the others are installed from source
 * or are containers. */
static const char *const packages[SHARDWISE_N_FORMATS] = {
  [SHARDWISE_FORMAT_DEEPSPEED] = "torch transformers deepspeed",
  [SHARDWISE_FORMAT_FSDP1] = "torch transformers",
  [SHARDWISE_FORMAT_FSDP2] = "torch transformers",
  [SHARDWISE_FORMAT_ACCELERATE] = "torch transformers accelerate deepspeed",
  [SHARDWISE_FORMAT_TRL] = "trl peft bitsandbytes accelerate deepspeed",
  [SHARDWISE_FORMAT_AXOLOTL] = "axolotl[flash-attn,deepspeed]",
  [SHARDWISE_FORMAT_LLAMA_FACTORY] = "llamafactory bitsandbytes deepspeed",
  [SHARDWISE_FORMAT_TORCHTUNE] = "torchtune torchao",
  [SHARDWISE_FORMAT_UNSLOTH] = "unsloth",
  [SHARDWISE_FORMAT_VERL] = "verl[vllm]",
  [SHARDWISE_FORMAT_OPENRLHF] = "openrlhf[vllm]",
};

/* A task of SkyPilot, which runs the same on each node of the job. */
static char *
skypilot_task (ShardwiseExportJob *job, const ShardwiseLaunch *launch)
{
  const char *accelerator = shardwise_names_accelerator (job->problem.cluster.gpu.id);
  g_autofree char *name = job_name (job);
  g_autoptr (GString) run = g_string_new (NULL);
  GString *text = g_string_new (NULL);

  shardwise_export_append_header (job, text);
  g_string_append_printf (text,
                          "\nname: %s\n"
                          "resources:\n"
                          "  accelerators: %s:%u\n"
                          "num_nodes: %u\n"
                          "workdir: .\n",
                          name, accelerator != NULL ? accelerator : "GPU",
                          shardwise_export_gpus_per_node (job), shardwise_export_nodes (job));
  if (packages[job->info->format] != NULL)
    g_string_append_printf (text, "setup: |\n  pip install %s\n", packages[job->info->format]);
  append_environment (launch, run);
  if (shardwise_export_nodes (job) > 1)
    g_string_append (run, "MASTER_ADDR=\"$(echo \"$SKYPILOT_NODE_IPS\" | sed -n 1p)\"\n");
  append_arrays (launch, run);
  append_cluster (launch, job, &by_skypilot, run);
  append_command (launch, job, &by_skypilot, run);
  g_string_truncate (run, run->len - 1);
  g_string_replace (run, "\n", "\n  ", 0);
  g_string_append_printf (text, "run: |\n  %s\n", run->str);
  return g_string_free (text, FALSE);
}

/**
 * shardwise_launcher_text:
 * @launcher: a launcher
 * @job: the job of the framework that it starts; its notes must be complete
 *
 * Returns: (transfer full): the launcher's file
 */
char *
shardwise_launcher_text (const ShardwiseFormatInfo *launcher, ShardwiseExportJob *job)
{
  g_auto (ShardwiseLaunch) launch = { 0 };

  shardwise_launch_of (job, &launch);
  if (launcher->format == SHARDWISE_FORMAT_TORCHRUN)
    {
      GString *text = g_string_new (NULL);

      begin_script (job, text, "");
      shardwise_launch_append_script (&launch, job, text);

      return g_string_free (text, FALSE);
    }

  if (launcher->format == SHARDWISE_FORMAT_SKYPILOT)
    return skypilot_task (job, &launch);
  return launcher->format == SHARDWISE_FORMAT_SLURM ? slurm_script (job, &launch)
                                                    : kubernetes_job (job, launcher, &launch);
}

/**
 * shardwise_launcher_add_notes:
 * @launcher: a launcher
 * @job: the job
 */
void
shardwise_launcher_add_notes (const ShardwiseFormatInfo *launcher, ShardwiseExportJob *job)
{
  if (launcher->format == SHARDWISE_FORMAT_SLURM)
    shardwise_export_note (job, SHARDWISE_NOTE_PLACE,
                           _ ("Slurm’s partition, account and time limit, and the CPU cores per "
                              "node: the job asks for 24 hours and 8 cores per GPU."));
  else if (launcher->format == SHARDWISE_FORMAT_SKYPILOT)
    shardwise_export_note (
        job,
        shardwise_names_accelerator (job->problem.cluster.gpu.id) != NULL ? SHARDWISE_NOTE_PLACE
                                                                          : SHARDWISE_NOTE_ADDRESS,
        shardwise_names_accelerator (job->problem.cluster.gpu.id) != NULL
            ? _ ("Cloud, region and disk: SkyPilot uses the cheapest cloud that has the GPUs.")
            : _ ("Accelerator: use the name that `sky gpus list` shows for it."));
  else if (launcher->format != SHARDWISE_FORMAT_TORCHRUN)
    shardwise_export_note (job, SHARDWISE_NOTE_PLACE,
                           _ ("Container image, and the volume that contains these files."));
}

/* The framework's own files, with the launcher's before them. */
static void
write_launcher (ShardwiseExportJob *job)
{
  const ShardwiseFormatInfo *launcher = job->info;
  ShardwiseExportJob inner = *job;
  ShardwiseExportFile *file;

  inner.info = shardwise_format_of_profile ((SwFramework) job->estimate.strategy.framework);
  shardwise_launcher_add_notes (launcher, &inner);
  shardwise_format_writer (inner.info)->write (&inner);
  shardwise_export_add_program (&inner);
  /* A launch script's arguments the launcher holds itself. */
  if (shardwise_format_starts_itself (inner.info))
    g_ptr_array_set_size (job->files, 0);
  shardwise_export_add_file (&inner, launcher->file_name,
                             shardwise_launcher_text (launcher, &inner));
  file = g_ptr_array_steal_index (job->files, job->files->len - 1);
  g_ptr_array_insert (job->files, 0, file);
}

/* Every node starts the same number of processes. */
static gboolean
uneven_nodes (const SwProblem *problem, const SwStrategy *s)
{
  guint per_node = MAX (problem->cluster.gpus_per_node, 1);
  guint gpus = sw_strategy_gpus (s), nodes = (gpus + per_node - 1) / per_node;

  return nodes > 1 && gpus % nodes != 0;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  { SHARDWISE_KEY_STRATEGY_DP, D (TP) | D (PP) | D (CP) | D (DP), uneven_nodes,
    N_ ("Launchers start the same number of processes on each node; the number of GPUs used must "
        "be a multiple of the number of nodes") },
};

static const ShardwiseFormatPin narrow[] = { { SHARDWISE_KEY_NONE, NULL, FALSE } };

#define LAUNCHER                                                                                   \
  {                                                                                                \
    .rules = rules, .n_rules = G_N_ELEMENTS (rules), .narrow = narrow, .write = write_launcher     \
  }

const ShardwiseFormatWriter shardwise_torchrun_writer = LAUNCHER;
const ShardwiseFormatWriter shardwise_slurm_writer = LAUNCHER;
const ShardwiseFormatWriter shardwise_kubernetes_writer = LAUNCHER;
const ShardwiseFormatWriter shardwise_skypilot_writer = LAUNCHER;
