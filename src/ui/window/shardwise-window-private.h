/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-panel.h"
#include "shardwise-banner.h"
#include "shardwise-draft.h"
#include "shardwise-export-page.h"
#include "shardwise-file-watch.h"
#include "shardwise-import.h"
#include "shardwise-inputs.h"
#include "shardwise-page.h"
#include "shardwise-window.h"

G_BEGIN_DECLS

typedef struct _ShardwiseSaving ShardwiseSaving;

struct _ShardwiseWindow {
  AdwApplicationWindow parent_instance;

  GSettings *settings;
  ShardwiseScenario *scenario; /* NULL: the start page */
  ShardwiseAdvisor *advisor;
  GSignalGroup *scenario_signals, *advisor_signals;
  GFile *file;               /* NULL: never saved */
  ShardwiseFileWatch *watch; /* of the file */
  ShardwiseSaving *saving;   /* (nullable): to a file */
  ShardwiseDraft *draft;     /* NULL: nothing was kept yet */
  ShardwiseImport *import;   /* where the document came from, if that was no scenario: without its
                              scenario */
  char *saved;               /* the document as it was opened or saved last */
  GCancellable *cancellable;
  guint session_id;
  guint recent_id;
  gboolean recent_finding, recent_again; /* files of the menu, on a thread */
  guint appear_id;                       /* it waits for its answer */
  guint opening;                         /* files that are being read for this window */
  gboolean discard;                      /* close without asking */
  gboolean copy_due;                     /* of the export, once there is advice on the inputs */
  gboolean asking, quitting;             /* the user about unsaved edits; in order to quit */
  gboolean keep;                         /* the document comes back with the program */
  gboolean closed;
  gboolean restored; /* with edits, after a crash; not answered yet */
  gboolean detached; /* the user keeps a document that its file no longer holds */
  gboolean session_failed;

  GtkWidget *playbook; /* weak, nullable */

  AdwFlap *flap, *ask_flap;
  ShardwiseAskPanel *ask_panel;
  GtkWidget *ask_bin; /* with the button of the panel */
  GWeakRef ask_back;  /* what had the focus before the panel */
  GtkStack *main_stack;
  AdwViewStack *view_stack;
  AdwViewSwitcherTitle *switcher_title;
  AdwToastOverlay *toasts;
  ShardwiseBanner *banner;
  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  GMenu *primary_menu, *recent_menu;
  GtkWidget *start_button;
  ShardwiseInputs *inputs;
};

/* shardwise-window.c */
void shardwise_window_take_advisor (ShardwiseWindow *self, ShardwiseAdvisor *advisor);
void
shardwise_window_set_scenario (ShardwiseWindow *self, ShardwiseScenario *scenario, GFile *file);
/* (nullable); takes what is said, not the scenario */
void shardwise_window_set_import (ShardwiseWindow *self, ShardwiseImport *import);
void shardwise_window_toast (ShardwiseWindow *self, const char *text);
ShardwisePage *shardwise_window_get_page (ShardwiseWindow *self, const char *name);
gboolean shardwise_window_set_page (ShardwiseWindow *self, const char *name);

/* shardwise-window-actions.c */
void shardwise_window_add_actions (ShardwiseWindow *self);
void shardwise_window_update_actions (ShardwiseWindow *self);

/* shardwise-window-appear.c */
gboolean shardwise_window_is_closed (ShardwiseWindow *self);
void shardwise_window_appear (ShardwiseWindow *self);
void shardwise_window_appear_if_ready (ShardwiseWindow *self);
void shardwise_window_show_start (ShardwiseWindow *self);

/* shardwise-window-ask.c */
void shardwise_window_set_up_ask (ShardwiseWindow *self);
void shardwise_window_set_up_folds (ShardwiseWindow *self);
void shardwise_window_reveal (AdwFlap *flap, gboolean reveal);

/* shardwise-window-close.c */
void shardwise_window_ask_to_close (ShardwiseWindow *self);
void shardwise_window_go_on_closing (ShardwiseWindow *self);
void shardwise_window_stay (ShardwiseWindow *self);

/* shardwise-window-disk.c */
void shardwise_window_set_up_disk (ShardwiseWindow *self);
void shardwise_window_set_file (ShardwiseWindow *self, GFile *file);
void shardwise_window_update_banner (ShardwiseWindow *self);
void shardwise_window_file_is_known (ShardwiseWindow *self);
void shardwise_window_set_restored (ShardwiseWindow *self, gboolean restored);
gboolean shardwise_window_has_unsaved (ShardwiseWindow *self);

/* shardwise-window-editors.c */
void shardwise_window_restore_editors (ShardwiseWindow *self);

/* shardwise-window-files.c */
void shardwise_window_add_controllers (ShardwiseWindow *self);
gboolean shardwise_window_is_elsewhere (ShardwiseWindow *self, GFile *file);
void
shardwise_window_tell_open_error (ShardwiseWindow *self, const char *name, const char *message);
ShardwiseWindow *shardwise_window_new_beside (ShardwiseWindow *self);
void shardwise_window_paste (ShardwiseWindow *self);
void shardwise_window_revert (ShardwiseWindow *self);
void shardwise_window_open_example (ShardwiseWindow *self, const char *id);
void shardwise_window_show_beside (ShardwiseWindow *self, ShardwiseScenario *scenario);

/* shardwise-window-journal.c */
void shardwise_window_show_journal (ShardwiseWindow *self);
void shardwise_window_calibrate (ShardwiseWindow *self);
void shardwise_window_keep_calibration (ShardwiseWindow *self);

/* shardwise-window-playbook.c */
void shardwise_window_show_playbook (ShardwiseWindow *self);

/* shardwise-window-recent.c */
void shardwise_window_remember (ShardwiseWindow *self, GFile *file);
void shardwise_window_update_recent (ShardwiseWindow *self);

/* shardwise-window-report.c */
void shardwise_window_print_report (ShardwiseWindow *self);
void shardwise_window_save_report (ShardwiseWindow *self);
void shardwise_window_save_report_as (ShardwiseWindow *self, GFile *file);

/* shardwise-window-save.c */
char *shardwise_file_name (GFile *file);
void shardwise_window_set_saved (ShardwiseWindow *self, ShardwiseScenario *saved);
void shardwise_window_save (ShardwiseWindow *self);
void shardwise_window_save_as (ShardwiseWindow *self);
char *shardwise_window_suggest_file_name (ShardwiseWindow *self, const char *unnamed,
                                          const char *extension);
void shardwise_window_save_and_close (ShardwiseWindow *self);
gboolean shardwise_window_is_saving_to (ShardwiseWindow *self, GFile *file);
gboolean shardwise_window_say_saving (ShardwiseWindow *self);
gboolean shardwise_window_close_when_saved (ShardwiseWindow *self);
void shardwise_window_stay_open (ShardwiseWindow *self);

/* shardwise-window-session.c */
void shardwise_window_queue_session (ShardwiseWindow *self);
void shardwise_window_end_session (ShardwiseWindow *self);

G_END_DECLS
