/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"
#include "sw-search.h"

G_BEGIN_DECLS

/* Frameworks within this share of the best count as equally fast: measurements of the same kind of
 * run by different sources differ by 12 % (calibration.json, "fit"), and so would those of two
 * frameworks. */
#define SW_FRAMEWORK_BAND 0.10

/* How likely the best strategy found is to run; higher is better. */
typedef enum {
  SW_START_NONE,          /* nothing fits */
  SW_START_ODD,           /* fits only with untried parts other than offload */
  SW_START_UNTRIED_TIGHT, /* fits only with offload, and only below the upper end of its memory */
  SW_START_TIGHT,         /* fits, but only below the upper end of its memory */
  SW_START_UNTRIED,       /* fits only with offload; ranks below TIGHT if that is much faster */
  SW_START_SAFE,
} SwStartClass;

/* Where to start in one framework. */
typedef struct {
  SwFramework framework;
  SwStartClass class;
  SwProblem asked;       /* for this framework, with the constraints of the last search */
  SwSearchResult search; /* result for `asked` */
} SwStart;

guint sw_start_frameworks (const SwProblem *problem, const SwSearchOptions *options,
                           SwStart starts[SW_N_FRAMEWORKS]);
void sw_start_clear (SwStart *starts, guint n);
double sw_safe_target (const SwProblem *problem);
gboolean sw_search_fits_safely (const SwProblem *problem);
void sw_search_start (SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out);

/* How a framework's users split a model first. */
typedef enum {
  SW_CONVENTION_DATA,  /* fully sharded data parallelism with activation checkpointing */
  SW_CONVENTION_MODEL, /* tensor parallelism inside a node, then pipeline stages, as memory
                          requires */
} SwConvention;

guint sw_replicas_within (const SwProblem *problem, guint ranks, guint micro_batch);
SwConvention sw_convention_of (SwFramework framework);
void sw_conventional_strategy (const SwProblem *problem, SwFramework framework, SwEstimate *out);

G_END_DECLS
