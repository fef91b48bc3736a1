/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured runs on GPUs that were measured by themselves, too: what that does to their errors. */
#include "fit-probe.h"

#include <gio/gio.h>
#include <math.h>

#include "shardwise-import.h"
#include "shardwise-machine.h"

/* The "measured" section of what a probe of that GPU says, as a scenario holds it. */
static gboolean
read_machine (const char *folder, const char *gpu, ShardwiseMachine *out)
{
  g_autofree char *name = g_strconcat (gpu, ".json", NULL), *text = NULL, *object = NULL;
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (ShardwiseImport) import = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, NULL))
    return FALSE;
  import = shardwise_import_read (text, length, name, NULL, &error);
  if (import == NULL)
    g_error ("%s: %s", path, error->message);
  object = shardwise_scenario_get_string (import->scenario, SHARDWISE_KEY_CLUSTER_GPU);
  node = json_from_string (object, &error);
  return shardwise_machine_read (
      json_object_get_object_member (json_node_get_object (node), "measured"), out, &error);
}

/* The constants of each run's machine, for as long as the program runs. */
static const SwCalibration *
constants_of (const Fit *fit, const SwProblem *problem, ShardwiseMachine machine)
{
  SwCalibration *made = g_new0 (SwCalibration, 1);
  SwProblem base = *problem;

  base.calibration = &fit->constants;
  /* A link that the run states otherwise is not the one that was measured. */
  if (fabs (base.cluster.intra.bytes_per_s / MAX (base.cluster.gpu.scale_up_bytes_per_s, 1) - 1)
      > 0.02)
    machine.figure[SHARDWISE_FIGURE_INTRA].value = 0;
  shardwise_machine_apply (&machine, &base, made);
  return made;
}

/**
 * fit_apply_probes:
 * @fit: its constants are fitted
 * @folder: of probes, each named by a GPU of the catalogue
 *
 * Predicts the runs on those GPUs again, as if their machines had been measured so. It is the last
 * that is done with @fit.
 */
void
fit_apply_probes (Fit *fit, const char *folder)
{
  for (guint i = 0; i < fit->n_samples; i++)
    {
      SwProblem *problem = &fit->sample[i].run.problem;
      ShardwiseMachine machine;

      if (read_machine (folder, problem->cluster.gpu.id, &machine))
        problem->calibration = constants_of (fit, problem, machine);
    }
  fit_refresh (fit, FIT_TIME);
}
