/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The export targets: a framework or a launcher in one version. The first entry of an id is its
 * default version; the others are its other versions. Versions are those that the formats were
 * checked against. */
#include "shardwise-export-format.h"

#include "sw-framework.h"

#define PROFILE(name) (1u << SW_FRAMEWORK_##name)
/* What a launcher can start: every profile, each by its own framework's file. */
#define EVERY_PROFILE                                                                              \
  (PROFILE (MEGATRON_CORE) | PROFILE (MEGATRON_2021) | PROFILE (FSDP) | PROFILE (FSDP2)            \
   | PROFILE (DEEPSPEED) | PROFILE (NANOTRON))
/* What Hugging Face's trainer drives. */
#define TRAINER_PROFILES (PROFILE (FSDP2) | PROFILE (FSDP) | PROFILE (DEEPSPEED))

static const ShardwiseFormatInfo formats[SHARDWISE_N_FORMATS] = {
  [SHARDWISE_FORMAT_DEEPSPEED] = { SHARDWISE_FORMAT_DEEPSPEED, "deepspeed", "DeepSpeed",
                                   "DeepSpeed", "0.19.6", "ds_config.json", SW_FRAMEWORK_DEEPSPEED,
                                   PROFILE (DEEPSPEED), FALSE },
  [SHARDWISE_FORMAT_FSDP1] = { SHARDWISE_FORMAT_FSDP1, "fsdp1", "FSDP 1", "PyTorch", "2.6",
                               "train_fsdp1.py", SW_FRAMEWORK_FSDP, PROFILE (FSDP), FALSE },
  [SHARDWISE_FORMAT_FSDP2] = { SHARDWISE_FORMAT_FSDP2, "fsdp2", "FSDP 2", "PyTorch", "2.6",
                               "train_fsdp2.py", SW_FRAMEWORK_FSDP2, PROFILE (FSDP2), FALSE },
  [SHARDWISE_FORMAT_NANOTRON] = { SHARDWISE_FORMAT_NANOTRON, "nanotron", "Nanotron", "Nanotron",
                                  "0.4", "nanotron.yaml", SW_FRAMEWORK_NANOTRON, PROFILE (NANOTRON),
                                  FALSE },
  [SHARDWISE_FORMAT_MEGATRON] = { SHARDWISE_FORMAT_MEGATRON, "megatron", "Megatron-LM",
                                  "Megatron-Core", "0.20.0", "megatron.sh",
                                  SW_FRAMEWORK_MEGATRON_CORE, PROFILE (MEGATRON_CORE), FALSE },
  [SHARDWISE_FORMAT_TORCHTITAN] = { SHARDWISE_FORMAT_TORCHTITAN, "torchtitan", "TorchTitan",
                                    "TorchTitan", "0.2.2", "torchtitan.toml", SW_FRAMEWORK_FSDP2,
                                    PROFILE (FSDP2), FALSE },
  [SHARDWISE_FORMAT_ACCELERATE] = { SHARDWISE_FORMAT_ACCELERATE, "accelerate", "Accelerate",
                                    "Accelerate", "1.15.0.dev0", "accelerate.yaml",
                                    SW_FRAMEWORK_FSDP2,
                                    PROFILE (FSDP2) | PROFILE (DEEPSPEED) | PROFILE (MEGATRON_CORE)
                                        | PROFILE (FSDP),
                                    FALSE },
  [SHARDWISE_FORMAT_MEGATRON_BRIDGE] = { SHARDWISE_FORMAT_MEGATRON_BRIDGE, "megatron-bridge",
                                         "Megatron-Bridge", "Megatron-Bridge", "0.7.0",
                                         "megatron_bridge.py", SW_FRAMEWORK_MEGATRON_CORE,
                                         PROFILE (MEGATRON_CORE), FALSE },
  [SHARDWISE_FORMAT_TRL] = { SHARDWISE_FORMAT_TRL, "trl", "TRL", "TRL", "1.9.0", "train_trl.py",
                             SW_FRAMEWORK_FSDP2, TRAINER_PROFILES, FALSE },
  [SHARDWISE_FORMAT_AXOLOTL] = { SHARDWISE_FORMAT_AXOLOTL, "axolotl", "Axolotl", "Axolotl",
                                 "0.18.0", "axolotl.yaml", SW_FRAMEWORK_FSDP2, TRAINER_PROFILES,
                                 FALSE },
  [SHARDWISE_FORMAT_LLAMA_FACTORY] = { SHARDWISE_FORMAT_LLAMA_FACTORY, "llama-factory",
                                       "LLaMA-Factory", "LLaMA-Factory", "0.9.5",
                                       "llamafactory.yaml", SW_FRAMEWORK_FSDP2, TRAINER_PROFILES,
                                       FALSE },
  [SHARDWISE_FORMAT_TORCHTUNE] = { SHARDWISE_FORMAT_TORCHTUNE, "torchtune", "torchtune",
                                   "torchtune", "0.7.0", "torchtune.yaml", SW_FRAMEWORK_FSDP2,
                                   PROFILE (FSDP2), FALSE },
  [SHARDWISE_FORMAT_UNSLOTH] = { SHARDWISE_FORMAT_UNSLOTH, "unsloth", "Unsloth", "Unsloth",
                                 "2026.8.19", "train_unsloth.py", SW_FRAMEWORK_FSDP2,
                                 PROFILE (FSDP2) | PROFILE (FSDP), FALSE },
  [SHARDWISE_FORMAT_VERL] = { SHARDWISE_FORMAT_VERL, "verl", "verl", "verl", "0.7.0", "verl.sh",
                              SW_FRAMEWORK_FSDP2, PROFILE (FSDP2) | PROFILE (FSDP), FALSE },
  [SHARDWISE_FORMAT_OPENRLHF] = { SHARDWISE_FORMAT_OPENRLHF, "openrlhf", "OpenRLHF", "OpenRLHF",
                                  "0.11.0", "openrlhf.sh", SW_FRAMEWORK_DEEPSPEED,
                                  PROFILE (DEEPSPEED), FALSE },
  [SHARDWISE_FORMAT_TORCHRUN] = { SHARDWISE_FORMAT_TORCHRUN, "torchrun", "torchrun", "PyTorch",
                                  "2.6", "launch.sh", SW_FRAMEWORK_ANY, EVERY_PROFILE, TRUE },
  [SHARDWISE_FORMAT_SLURM] = { SHARDWISE_FORMAT_SLURM, "slurm", "Slurm", "Slurm", "26.11",
                               "job.sbatch", SW_FRAMEWORK_ANY, EVERY_PROFILE, TRUE },
  [SHARDWISE_FORMAT_KUBERNETES] = { SHARDWISE_FORMAT_KUBERNETES, "kubernetes", "Kubernetes",
                                    "Kubeflow TrainJob", "v1alpha1", "trainjob.yaml",
                                    SW_FRAMEWORK_ANY, EVERY_PROFILE, TRUE },
  [SHARDWISE_FORMAT_SKYPILOT] = { SHARDWISE_FORMAT_SKYPILOT, "skypilot", "SkyPilot", "SkyPilot",
                                  "main (00052df)", "sky.yaml", SW_FRAMEWORK_ANY, EVERY_PROFILE,
                                  TRUE },
  [SHARDWISE_FORMAT_TORCHTITAN_MAIN] = { SHARDWISE_FORMAT_TORCHTITAN_MAIN, "torchtitan",
                                         "TorchTitan", "TorchTitan", "main (2026-08)",
                                         "torchtitan_config.py", SW_FRAMEWORK_FSDP2,
                                         PROFILE (FSDP2), FALSE },
  [SHARDWISE_FORMAT_NEMO] = { SHARDWISE_FORMAT_NEMO, "megatron-bridge", "NeMo 2", "NeMo",
                              "2.6.0rc0", "nemo_recipe.py", SW_FRAMEWORK_MEGATRON_CORE,
                              PROFILE (MEGATRON_CORE), FALSE },
  [SHARDWISE_FORMAT_PYTORCHJOB] = { SHARDWISE_FORMAT_PYTORCHJOB, "kubernetes", "Kubernetes",
                                    "Kubeflow PyTorchJob", "v1", "pytorchjob.yaml",
                                    SW_FRAMEWORK_ANY, EVERY_PROFILE, TRUE },
};

/* What writes the configuration of a profile that a launcher starts. */
static const ShardwiseFormat profile_formats[SW_N_FRAMEWORKS] = {
  [SW_FRAMEWORK_ANY] = SHARDWISE_FORMAT_MEGATRON,
  [SW_FRAMEWORK_MEGATRON_2021] = SHARDWISE_FORMAT_MEGATRON,
  [SW_FRAMEWORK_MEGATRON_CORE] = SHARDWISE_FORMAT_MEGATRON,
  [SW_FRAMEWORK_FSDP] = SHARDWISE_FORMAT_FSDP1,
  [SW_FRAMEWORK_FSDP2] = SHARDWISE_FORMAT_FSDP2,
  [SW_FRAMEWORK_DEEPSPEED] = SHARDWISE_FORMAT_DEEPSPEED,
  [SW_FRAMEWORK_NANOTRON] = SHARDWISE_FORMAT_NANOTRON,
  [SW_FRAMEWORK_HF_TRAINER] = SHARDWISE_FORMAT_TRL,
  [SW_FRAMEWORK_UNSLOTH] = SHARDWISE_FORMAT_UNSLOTH,
  [SW_FRAMEWORK_TORCHTUNE] = SHARDWISE_FORMAT_TORCHTUNE,
  [SW_FRAMEWORK_VERL] = SHARDWISE_FORMAT_VERL,
  [SW_FRAMEWORK_OPENRLHF] = SHARDWISE_FORMAT_OPENRLHF,
};

/**
 * shardwise_format_info:
 * @format: an export target
 *
 * Returns: (transfer none): its description
 */
const ShardwiseFormatInfo *
shardwise_format_info (ShardwiseFormat format)
{
  g_return_val_if_fail (format < SHARDWISE_N_FORMATS, NULL);

  return &formats[format];
}

/**
 * shardwise_format_find:
 * @id: an id as `--to` takes it
 *
 * Returns: (transfer none) (nullable): the target of that id, in the version that it stands for
 */
const ShardwiseFormatInfo *
shardwise_format_find (const char *id)
{
  return shardwise_format_find_version (id, NULL);
}

/**
 * shardwise_format_find_version:
 * @id: an id as `--to` takes it
 * @version: (nullable): a version, as in #ShardwiseFormatInfo
 *
 * Returns: (transfer none) (nullable): the target of that id and version
 */
const ShardwiseFormatInfo *
shardwise_format_find_version (const char *id, const char *version)
{
  /* NeMo's recipes, which moved to Megatron-Bridge, go by their own name, too. */
  if (version == NULL && g_strcmp0 (id, "nemo") == 0)
    return &formats[SHARDWISE_FORMAT_NEMO];
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    if (g_strcmp0 (formats[i].id, id) == 0
        && (version == NULL || g_str_equal (formats[i].version, version)))
      return &formats[i];

  return NULL;
}

/**
 * shardwise_format_starts_itself:
 * @info: a target
 *
 * Returns: whether its file is a script that needs no launcher
 */
gboolean
shardwise_format_starts_itself (const ShardwiseFormatInfo *info)
{
  return !info->launcher && g_str_has_suffix (info->file_name, ".sh");
}

/**
 * shardwise_format_is_default:
 * @info: a target
 *
 * Returns: whether its id stands for it
 */
gboolean
shardwise_format_is_default (const ShardwiseFormatInfo *info)
{
  return info == shardwise_format_find (info->id);
}

/**
 * shardwise_format_of_profile:
 * @framework: a software profile
 *
 * Returns: (transfer none): the target that writes its configuration
 */
const ShardwiseFormatInfo *
shardwise_format_of_profile (SwFramework framework)
{
  g_return_val_if_fail (framework < SW_N_FRAMEWORKS, NULL);

  return &formats[profile_formats[framework]];
}

/**
 * shardwise_format_is_of:
 * @info: a target
 * @framework: a software profile
 *
 * Returns: whether it writes the configuration of that profile; the files of a tool are written as
 *   those of what it is built on
 */
gboolean
shardwise_format_is_of (const ShardwiseFormatInfo *info, SwFramework framework)
{
  if (framework < SW_N_ENGINES)
    return (info->profiles & 1u << framework) != 0;
  return info->format == profile_formats[framework]
         || (framework == SW_FRAMEWORK_HF_TRAINER
             && (info->format == SHARDWISE_FORMAT_AXOLOTL
                 || info->format == SHARDWISE_FORMAT_LLAMA_FACTORY));
}

/**
 * shardwise_format_tunes:
 * @info: a target
 *
 * Returns: whether it is a tool for fine-tuning
 */
gboolean
shardwise_format_tunes (const ShardwiseFormatInfo *info)
{
  return info->format >= SHARDWISE_FORMAT_TRL && info->format <= SHARDWISE_FORMAT_OPENRLHF;
}

/**
 * shardwise_export_file_add:
 * @files: of #ShardwiseExportFile
 * @name: the file's name
 * @content: (transfer full): its text
 */
void
shardwise_export_file_add (GPtrArray *files, const char *name, char *content)
{
  ShardwiseExportFile *file = g_new0 (ShardwiseExportFile, 1);

  file->name = g_strdup (name);
  file->content = content;
  g_ptr_array_add (files, file);
}

/**
 * shardwise_export_file_free:
 * @file: (transfer full): a #ShardwiseExportFile
 */
void
shardwise_export_file_free (gpointer file)
{
  ShardwiseExportFile *self = file;

  g_free (self->name);
  g_free (self->content);
  g_free (self);
}
