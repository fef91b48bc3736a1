/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"

/* Options of torchrun (torch 2.6) and sbatch, and the fields of Kubeflow's resources. */
static const FixtureRule torchrun_options[] = {
  { "torchrun --nnodes", FIXTURE_INT, NULL, TRUE },
  { "torchrun --nproc-per-node", FIXTURE_INT, NULL, TRUE },
  { "torchrun --node-rank", FIXTURE_TEXT },
  { "torchrun --master-addr", FIXTURE_TEXT },
  { "torchrun --master-port", FIXTURE_TEXT },
  { "torchrun --rdzv-backend", FIXTURE_TEXT, "c10d|static" },
  { "torchrun --rdzv-id", FIXTURE_TEXT },
  { "torchrun --rdzv-endpoint", FIXTURE_TEXT },
  { "env *", FIXTURE_TEXT },
  { "script", FIXTURE_TEXT,
    "pretrain_gpt.py|run_train.py|train.py|torchtitan.train|megatron_bridge.py", TRUE },
  { "inline --config-file", FIXTURE_TEXT },
  { "inline --job.config_file", FIXTURE_TEXT },
  { "--*", FIXTURE_LIST }, /* Megatron-LM's: test-megatron.c */
  { "--*", FIXTURE_FLAG },
};
static const FixtureRule sbatch_options[] = {
  { "sbatch --job-name", FIXTURE_TEXT },
  { "sbatch --nodes", FIXTURE_INT, NULL, TRUE },
  { "sbatch --ntasks-per-node", FIXTURE_INT, "1", TRUE }, /* torchrun starts the rest */
  { "sbatch --gpus-per-node", FIXTURE_INT, NULL, TRUE },
  { "sbatch --cpus-per-task", FIXTURE_INT },
  { "sbatch --exclusive", FIXTURE_FLAG },
  { "sbatch --time", FIXTURE_TEXT },
  { "sbatch --output", FIXTURE_TEXT },
};
#define PATCHED                                                                                    \
  "spec.runtimePatches.0.trainingRuntimeSpec.template.spec.replicatedJobs.0.template.spec."        \
  "template.spec"
static const FixtureRule trainjob_fields[] = {
  { "apiVersion", FIXTURE_TEXT, "trainer.kubeflow.org/v1alpha1", TRUE },
  { "kind", FIXTURE_TEXT, "TrainJob", TRUE },
  { "metadata.name", FIXTURE_TEXT, NULL, TRUE },
  { "spec.runtimeRef.name", FIXTURE_TEXT, "torch-distributed", TRUE },
  { "spec.runtimeRef.kind", FIXTURE_TEXT, "ClusterTrainingRuntime" },
  { "spec.runtimeRef.apiGroup", FIXTURE_TEXT, "trainer.kubeflow.org" },
  { "spec.trainer.image", FIXTURE_TEXT },
  { "spec.trainer.numNodes", FIXTURE_INT, NULL, TRUE },
  { "spec.trainer.numProcPerNode", FIXTURE_INT, NULL, TRUE },
  { "spec.trainer.resourcesPerNode.limits.nvidia.com/gpu", FIXTURE_INT, NULL, TRUE },
  { "spec.trainer.resourcesPerNode.requests.nvidia.com/gpu", FIXTURE_INT },
  { "spec.trainer.env.*", FIXTURE_TEXT },
  { "spec.trainer.command.*", FIXTURE_TEXT },
  { "spec.runtimePatches.0.manager", FIXTURE_TEXT, NULL, TRUE },
  { "spec.runtimePatches.0.trainingRuntimeSpec.template.spec.replicatedJobs.0.name", FIXTURE_TEXT,
    "node", TRUE },
  { PATCHED ".volumes.0.name", FIXTURE_TEXT, "shared-memory", TRUE },
  { PATCHED ".volumes.0.emptyDir.medium", FIXTURE_TEXT, "Memory", TRUE },
  { PATCHED ".containers.0.name", FIXTURE_TEXT, "node", TRUE },
  { PATCHED ".containers.0.volumeMounts.0.name", FIXTURE_TEXT, "shared-memory", TRUE },
  { PATCHED ".containers.0.volumeMounts.0.mountPath", FIXTURE_TEXT, "/dev/shm", TRUE },
  { "spec.trainer.args.*", FIXTURE_TEXT },
};
#define REPLICA(kind, required)                                                                    \
  { "spec.pytorchReplicaSpecs." kind ".replicas", FIXTURE_INT, NULL, required },                   \
      { "spec.pytorchReplicaSpecs." kind ".restartPolicy", FIXTURE_TEXT,                           \
        "Always|OnFailure|Never|ExitCode" },                                                       \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.containers.0.name", FIXTURE_TEXT,         \
        "pytorch", required },                                                                     \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.containers.0.image", FIXTURE_TEXT },      \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.containers.0.volumeMounts.0.name",        \
        FIXTURE_TEXT, "shared-memory", required },                                                 \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.containers.0.volumeMounts.0.mountPath",   \
        FIXTURE_TEXT, "/dev/shm", required },                                                      \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.volumes.0.name", FIXTURE_TEXT,            \
        "shared-memory", required },                                                               \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.volumes.0.emptyDir.medium", FIXTURE_TEXT, \
        "Memory", required },                                                                      \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.containers.0.command.*", FIXTURE_TEXT },  \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.containers.0.args.*", FIXTURE_TEXT },     \
      { "spec.pytorchReplicaSpecs." kind ".template.spec.containers.0.env.*", FIXTURE_TEXT },      \
      { "spec.pytorchReplicaSpecs." kind                                                           \
        ".template.spec.containers.0.resources.limits.nvidia.com/gpu",                             \
        FIXTURE_INT, NULL, required },                                                             \
  {                                                                                                \
    "spec.pytorchReplicaSpecs." kind                                                               \
    ".template.spec.containers.0.resources.requests.nvidia.com/gpu",                               \
        FIXTURE_INT                                                                                \
  }
static const FixtureRule pytorchjob_fields[] = {
  { "apiVersion", FIXTURE_TEXT, "kubeflow.org/v1", TRUE },
  { "kind", FIXTURE_TEXT, "PyTorchJob", TRUE },
  { "metadata.name", FIXTURE_TEXT, NULL, TRUE },
  { "spec.nprocPerNode", FIXTURE_INT, NULL, TRUE },
  { "spec.runPolicy.cleanPodPolicy", FIXTURE_TEXT, "None|Running|All" },
  REPLICA ("Master", TRUE),
  REPLICA ("Worker", FALSE),
};

static const char *const models[] = { "llama-3-8b", "llama-3-70b", "mixtral-8x7b", "gpt3-6.7b",
                                      NULL };

static guint
world_of (const SwStrategy *s)
{
  return s->tp * s->pp * s->cp * s->dp;
}

static void
assert_script (GHashTable *v, const SwStrategy *s, gboolean slurm)
{
  g_autoptr (GArray) rules = g_array_new (FALSE, FALSE, sizeof (FixtureRule));
  guint nodes = fixture_number (v, "torchrun --nnodes", 0);

  g_array_append_vals (rules, torchrun_options, G_N_ELEMENTS (torchrun_options));
  if (slurm)
    g_array_append_vals (rules, sbatch_options, G_N_ELEMENTS (sbatch_options));
  fixture_check (v, (const FixtureRule *) rules->data, rules->len);
  g_assert_cmpuint (nodes * fixture_number (v, "torchrun --nproc-per-node", 0), ==, world_of (s));
  if (slurm)
    {
      g_assert_cmpuint (fixture_number (v, "sbatch --nodes", 0), ==, nodes);
      g_assert_cmpuint (fixture_number (v, "sbatch --gpus-per-node", 0), ==,
                        fixture_number (v, "torchrun --nproc-per-node", 0));
      return;
    }
  /* The static rendezvous needs a rank of its own on each of several nodes. */
  g_assert_true (g_hash_table_contains (v, "torchrun --node-rank") == (nodes > 1));
}

static void
test_scripts (void)
{
  static const struct {
    ShardwiseFormat format;
    const char *name;
  } formats[] = {
    { SHARDWISE_FORMAT_TORCHRUN, "launch.sh" },
    { SHARDWISE_FORMAT_SLURM, "job.sbatch" },
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats) && fixture_has_python (); f++)
    {
      g_autoptr (GPtrArray) cases = fixture_random_cases (formats[f].format, models, 1500);
      g_autoptr (GPtrArray) texts = g_ptr_array_new (), tables = NULL;

      g_assert_cmpuint (cases->len, >, 60);
      for (guint i = 0; i < cases->len; i++)
        g_ptr_array_add (texts, (char *) fixture_file (((FixtureCase *) cases->pdata[i])->files,
                                                       formats[f].name));
      tables = fixture_flatten ("shell", texts);
      for (guint i = 0; i < cases->len; i++)
        assert_script (tables->pdata[i], &((FixtureCase *) cases->pdata[i])->strategy,
                       formats[f].format == SHARDWISE_FORMAT_SLURM);
    }
}

/* The name of a resource is a DNS label that starts with a letter; variables that the operator sets
 * are refused. */
static void
assert_resource (GHashTable *v, const char *environment)
{
  GHashTableIter iter;
  gpointer path, value;

  g_assert_true (g_regex_match_simple ("^[a-z]([-a-z0-9]*[a-z0-9])?$",
                                       fixture_text (v, "metadata.name"), 0, 0));
  g_hash_table_iter_init (&iter, v);
  while (g_hash_table_iter_next (&iter, &path, &value))
    if (g_str_has_prefix (path, environment) && g_str_has_suffix (path, ".name"))
      g_assert_false (g_str_has_prefix (((FixtureValue *) value)->text, "PET_"));
}

static void
test_trainjob (void)
{
  g_autoptr (GPtrArray) cases = fixture_random_cases (SHARDWISE_FORMAT_KUBERNETES, models, 1500);

  g_assert_cmpuint (cases->len, >, 60);
  for (guint i = 0; i < cases->len; i++)
    {
      const FixtureCase *written = cases->pdata[i];
      const char *text = fixture_file (written->files, "trainjob.yaml");
      g_autoptr (GHashTable) v = fixture_flatten_yaml (text);

      fixture_check (v, trainjob_fields, G_N_ELEMENTS (trainjob_fields));
      assert_resource (v, "spec.trainer.env.");
      g_assert_cmpuint (fixture_number (v, "spec.trainer.numNodes", 0)
                            * fixture_number (v, "spec.trainer.numProcPerNode", 0),
                        ==, world_of (&written->strategy));
      /* An integer here, a string in PyTorchJob; values of variables and arguments are strings. */
      g_assert_true (g_regex_match_simple ("numProcPerNode: [0-9]+\n", text, 0, 0));
      g_assert_false (g_regex_match_simple ("value: [^\"]", text, 0, 0));
      g_assert_cmpstr (fixture_text (v, "spec.trainer.command.0"), ==, "torchrun");
    }
}

static void
test_pytorchjob (void)
{
  g_autoptr (GPtrArray) cases = fixture_random_cases (SHARDWISE_FORMAT_PYTORCHJOB, models, 1500);

  g_assert_cmpuint (cases->len, >, 60);
  for (guint i = 0; i < cases->len; i++)
    {
      const FixtureCase *written = cases->pdata[i];
      const char *text = fixture_file (written->files, "pytorchjob.yaml");
      g_autoptr (GHashTable) v = fixture_flatten_yaml (text);
      guint nodes = fixture_number (v, "spec.pytorchReplicaSpecs.Master.replicas", 0)
                    + fixture_number (v, "spec.pytorchReplicaSpecs.Worker.replicas", 0);

      fixture_check (v, pytorchjob_fields, G_N_ELEMENTS (pytorchjob_fields));
      assert_resource (v, "spec.pytorchReplicaSpecs.Master.template.spec.containers.0.env.");
      g_assert_cmpuint (nodes * fixture_number (v, "spec.nprocPerNode", 0), ==,
                        world_of (&written->strategy));
      g_assert_true (g_regex_match_simple ("nprocPerNode: \"[0-9]+\"\n", text, 0, 0));
    }
}

/* The device plug-ins of the vendors name their GPUs. */
static void
test_vendor (void)
{
  SwProblem problem;
  SwStrategy strategy;
  g_autoptr (ShardwiseExport) files = NULL;

  fixture_problem ("llama-3-8b", 8, &problem);
  fixture_strategy (1, 1, 8, &strategy);
  strategy.framework = SW_FRAMEWORK_DEEPSPEED;
  problem.cluster.gpu.generation = SW_GENERATION_CDNA;
  files = fixture_written (SHARDWISE_FORMAT_KUBERNETES, &problem, &strategy);
  g_assert_nonnull (strstr (fixture_file (files, "trainjob.yaml"), "amd.com/gpu: 8"));
  g_assert_null (strstr (fixture_file (files, "trainjob.yaml"), "nvidia.com/gpu"));
}

/* 12 GPUs on nodes of 8 are two nodes of 6; 9 GPUs are none that start alike. */
static void
test_uneven (void)
{
  SwProblem problem;
  SwStrategy strategy;
  g_autoptr (ShardwiseExport) files = NULL;
  g_autoptr (GHashTable) values = NULL;

  fixture_problem ("llama-3-8b", 12, &problem);
  problem.training.global_batch = 36;
  fixture_strategy (1, 1, 12, &strategy);
  strategy.micro_batch = 1;
  strategy.framework = SW_FRAMEWORK_DEEPSPEED;
  files = fixture_written (SHARDWISE_FORMAT_KUBERNETES, &problem, &strategy);
  values = fixture_flatten_yaml (fixture_file (files, "trainjob.yaml"));
  g_assert_cmpstr (fixture_text (values, "spec.trainer.numNodes"), ==, "2");
  g_assert_cmpstr (fixture_text (values, "spec.trainer.numProcPerNode"), ==, "6");

  strategy.dp = strategy.shard_group = 9;
  fixture_assert_refused (SHARDWISE_FORMAT_KUBERNETES, &problem, &strategy, "strategy.dp");
}

static void
test_bundle (void)
{
  static const struct {
    ShardwiseFormat format, launcher;
    const char *files, *start;
  } cases[] = {
    { SHARDWISE_FORMAT_NANOTRON, SHARDWISE_FORMAT_TORCHRUN, "nanotron.yaml launch.sh README.md",
      "bash launch.sh" },
    { SHARDWISE_FORMAT_DEEPSPEED, SHARDWISE_FORMAT_SLURM,
      "ds_config.json ds_setup.py train.py job.sbatch README.md", "sbatch job.sbatch" },
    { SHARDWISE_FORMAT_MEGATRON, SHARDWISE_FORMAT_TORCHRUN, "megatron.sh README.md",
      "bash megatron.sh" },
    { SHARDWISE_FORMAT_MEGATRON, SHARDWISE_FORMAT_KUBERNETES, "megatron.sh trainjob.yaml README.md",
      "kubectl apply -f trainjob.yaml" },
    { SHARDWISE_FORMAT_SLURM, SHARDWISE_FORMAT_TORCHRUN,
      "job.sbatch ds_config.json ds_setup.py train.py README.md", "sbatch job.sbatch" },
    { SHARDWISE_FORMAT_ACCELERATE, SHARDWISE_FORMAT_SLURM,
      "accelerate.yaml train.py job.sbatch README.md", "sbatch job.sbatch" },
    { SHARDWISE_FORMAT_TORCHTITAN, SHARDWISE_FORMAT_PYTORCHJOB,
      "torchtitan.toml pytorchjob.yaml README.md", "kubectl apply -f pytorchjob.yaml" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (GString) names = g_string_new (NULL);
      g_autoptr (ShardwiseExport) files = NULL;
      g_autofree char *start = NULL;
      gboolean sharded = cases[i].format == SHARDWISE_FORMAT_TORCHTITAN;
      guint own;

      fixture_problem ("llama-3-8b", 16, &problem);
      fixture_strategy (1, 1, 16, &strategy);
      strategy.zero_stage = sharded ? 3 : 1;
      strategy.framework = SW_FRAMEWORK_DEEPSPEED;
      files = fixture_written (cases[i].format, &problem, &strategy);
      own = files->files->len;
      shardwise_export_bundle (files, cases[i].launcher);
      shardwise_export_bundle (files, cases[i].launcher); /* replaces, does not add */
      for (guint f = 0; f < files->files->len; f++)
        g_string_append_printf (names, "%s%s", f > 0 ? " " : "",
                                ((ShardwiseExportFile *) files->files->pdata[f])->name);
      g_assert_cmpstr (names->str, ==, cases[i].files);
      start = shardwise_export_start (files);
      g_assert_cmpstr (start, ==, cases[i].start);
      for (guint f = 0; f + 1 < files->files->len; f++)
        g_assert_nonnull (strstr (fixture_file (files, "README.md"),
                                  ((ShardwiseExportFile *) files->files->pdata[f])->name));
      shardwise_export_unbundle (files);
      g_assert_cmpuint (files->files->len, ==, own);
    }
}

/* Without a launcher the framework's own command, whole and in one line. */
static void
test_start (void)
{
  static const struct {
    ShardwiseFormat format;
    guint gpus;
    const char *start;
  } cases[] = {
    { SHARDWISE_FORMAT_NANOTRON, 8,
      "torchrun --nnodes=1 --nproc-per-node=8 run_train.py --config-file nanotron.yaml" },
    { SHARDWISE_FORMAT_ACCELERATE, 16,
      "accelerate launch --config_file accelerate.yaml --machine_rank \"$NODE_RANK\" "
      "--main_process_ip \"$MASTER_ADDR\" --main_process_port \"$MASTER_PORT\" train.py" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (ShardwiseExport) files = NULL;
      g_autofree char *start = NULL;

      fixture_problem ("llama-3-8b", cases[i].gpus, &problem);
      fixture_strategy (1, 1, cases[i].gpus, &strategy);
      strategy.zero_stage = 1;
      strategy.framework = SW_FRAMEWORK_DEEPSPEED;
      files = fixture_written (cases[i].format, &problem, &strategy);
      start = shardwise_export_start (files);
      g_assert_true (g_str_has_suffix (start, cases[i].start)); /* its environment before it */
      g_assert_null (strchr (start, '\n'));
    }
}

/* The rank of a machine is known on the machine only, and the first of many nodes' names is taken
 * without breaking the pipe, at which pipefail would end the job. */
static void
test_slurm_accelerate (void)
{
  SwProblem problem;
  SwStrategy strategy;
  g_autoptr (ShardwiseExport) files = NULL;
  const char *text;

  fixture_problem ("llama-3-8b", 16, &problem);
  fixture_strategy (1, 1, 16, &strategy);
  strategy.zero_stage = 3;
  strategy.framework = SW_FRAMEWORK_FSDP2;
  files = fixture_written (SHARDWISE_FORMAT_ACCELERATE, &problem, &strategy);
  shardwise_export_bundle (files, SHARDWISE_FORMAT_SLURM);
  text = fixture_file (files, "job.sbatch");
  g_assert_nonnull (strstr (text, "bash -c '"));
  g_assert_nonnull (strstr (text, "--machine_rank \"$SLURM_NODEID\""));
  g_assert_nonnull (strstr (text, "--main_process_ip \"$MASTER_ADDR\""));
  g_assert_null (strstr (text, "| head"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/launchers/vendor", test_vendor);
  g_test_add_func ("/launchers/scripts", test_scripts);
  g_test_add_func ("/launchers/trainjob", test_trainjob);
  g_test_add_func ("/launchers/pytorchjob", test_pytorchjob);
  g_test_add_func ("/launchers/uneven", test_uneven);
  g_test_add_func ("/launchers/bundle", test_bundle);
  g_test_add_func ("/launchers/start", test_start);
  g_test_add_func ("/launchers/slurm-accelerate", test_slurm_accelerate);

  return g_test_run ();
}
