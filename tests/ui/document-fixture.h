/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "ui-fixture.h"
#include "window-fixture.h"

G_BEGIN_DECLS

/* A document of the window, and its file. */

#define DOCUMENT                                                                                   \
  HEAD "\"name\": \"Mine\", \"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": %u}}"

/* (transfer full): "mine.shardwise" on 16 GPUs, shown. */
static inline GFile *
open_document (Fixture *fixture)
{
  g_autofree char *text = g_strdup_printf (DOCUMENT, 16u);
  GFile *file = write_file (fixture, "mine.shardwise", text);

  gtk_window_present (GTK_WINDOW (fixture->window));
  shardwise_window_open_file (fixture->window, file);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL);
  return file;
}

static inline void
edit (Fixture *fixture, int gpus)
{
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (gpus)));
}

/* In the file. */
static inline double
gpus_of (GFile *file)
{
  g_autofree char *text = NULL;
  g_autoptr (ShardwiseScenario) scenario = NULL;

  g_assert_true (g_file_load_contents (file, NULL, &text, NULL, NULL, NULL));
  scenario = shardwise_scenario_from_json (text, -1, NULL);
  g_assert_nonnull (scenario);
  return shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0);
}

G_END_DECLS
