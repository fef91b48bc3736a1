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

/* What becomes of unsaved edits. */
typedef enum {
  SHARDWISE_ENDING_NONE,
  SHARDWISE_ENDING_ASKING,   /* the user, before the window closes */
  SHARDWISE_ENDING_GIVEN_UP, /* it closes without asking, until something is edited */
} ShardwiseEnding;

typedef enum {
  SHARDWISE_QUITTING_NOT,
  SHARDWISE_QUITTING_ASKED, /* about unsaved edits, in order to quit */
  SHARDWISE_QUITTING_NOW,   /* the document comes back with the program */
} ShardwiseQuitting;

struct _ShardwiseWindow {
  AdwApplicationWindow parent_instance;

  GSettings *settings;
  ShardwiseDocument *document;
  ShardwiseAdvisor *advisor; /* NULL: there is no scenario yet */
  GSignalGroup *scenario_signals, *advisor_signals;
  char *calibrated_gpu; /* (nullable): that the factors of the journal were asked for */
  GCancellable *cancellable;
  ShardwiseRecent *recent;
  guint opening; /* files that are being read for this window */
  ShardwiseEnding ending;
  ShardwiseQuitting quitting;
  gboolean copy_due; /* of the export, once there is advice on the inputs */

  GtkWidget *plan; /* weak, nullable */

  AdwFlap *flap, *ask_flap;
  ShardwiseAskPanel *ask_panel;
  GtkWidget *ask_bin;                   /* with the button of the panel */
  GtkWidget *ask_field_bin, *ask_field; /* its field in a wide header bar */
  GWeakRef ask_back;                    /* what had the focus before the panel */
  GtkStack *main_stack;
  AdwViewStack *view_stack;
  AdwViewSwitcherTitle *switcher_title;
  AdwToastOverlay *toasts;
  ShardwiseBanner *banner;
  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  GMenu *primary_menu, *recent_menu;
  GtkWidget *open_squeezer;
  GtkLabel *document_name, *document_edited; /* where the inputs do not show them */
  ShardwiseStartPage *start_page;
  ShardwiseInputs *inputs;
  ShardwiseKeyId input_due; /* to be shown as soon as the inputs are there */
};

G_END_DECLS
