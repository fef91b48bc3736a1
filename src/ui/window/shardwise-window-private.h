/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-panel.h"
#include "shardwise-banner.h"
#include "shardwise-document.h"
#include "shardwise-inputs.h"
#include "shardwise-recent.h"
#include "shardwise-start-page.h"
#include "shardwise-window.h"

G_BEGIN_DECLS

/* What happens to unsaved edits. */
typedef enum {
  SHARDWISE_ENDING_NONE,
  SHARDWISE_ENDING_ASKING,   /* asking the user before the window closes */
  SHARDWISE_ENDING_GIVEN_UP, /* closes without asking, until something is edited */
} ShardwiseEnding;

typedef enum {
  SHARDWISE_QUITTING_NOT,
  SHARDWISE_QUITTING_ASKED, /* asked about unsaved edits in order to quit */
  SHARDWISE_QUITTING_NOW,   /* the document is restored at the next start */
} ShardwiseQuitting;

struct _ShardwiseWindow {
  AdwApplicationWindow parent_instance;

  GSettings *settings;
  ShardwiseDocument *document;
  ShardwiseAdvisor *advisor; /* NULL: no scenario yet */
  GSignalGroup *scenario_signals, *advisor_signals;
  char *calibrated_gpu; /* (nullable): the GPU for which the journal's factors were requested */
  GCancellable *cancellable;
  ShardwiseRecent *recent;
  guint opening; /* files being read for this window */
  ShardwiseEnding ending;
  ShardwiseQuitting quitting;
  gboolean copy_due; /* copy the export as soon as the current inputs have advice */

  GtkWidget *plan; /* weak, nullable */

  AdwFlap *flap, *ask_flap;
  ShardwiseAskPanel *ask_panel;
  GtkWidget *ask_bin;                   /* contains the button that opens the panel */
  GtkWidget *ask_field_bin, *ask_field; /* the text field in a wide header bar */
  GWeakRef ask_back;                    /* the focus before the panel opened */
  GtkStack *main_stack;
  AdwViewStack *view_stack;
  AdwViewSwitcherTitle *switcher_title;
  AdwToastOverlay *toasts;
  ShardwiseBanner *banner;
  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  GMenu *primary_menu, *recent_menu;
  GtkWidget *open_squeezer;
  GtkLabel *document_name, *document_edited; /* shown while the inputs are hidden */
  ShardwiseStartPage *start_page;
  ShardwiseInputs *inputs;
  ShardwiseKeyId input_due; /* to be shown as soon as the inputs exist */
};

G_END_DECLS
