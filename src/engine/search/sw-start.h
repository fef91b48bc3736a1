/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"
#include "sw-search.h"

G_BEGIN_DECLS

/* Frameworks whose best are this close are as fast: runs of one kind differ by 12 % between those who
 * measured them (calibration.json, "fit"), which two frameworks, as two sources, do not share. */
#define SW_FRAMEWORK_BAND 0.10

/* How sure it is that what was found runs; the greater the better. */
typedef enum {
  SW_START_NONE,          /* nothing fits */
  SW_START_ODD,           /* only what is untried in more than offload fits */
  SW_START_UNTRIED_TIGHT, /* only with offload, and not by the upper end of its memory */
  SW_START_UNTRIED,       /* only with offload */
  SW_START_TIGHT,         /* fits, but not by the upper end of its memory */
  SW_START_SAFE,
} SwStartClass;

/* What to start with in one framework. */
typedef struct {
  SwFramework framework;
  SwStartClass class;
  SwProblem asked;       /* for this framework, narrowed to what was searched last */
  SwSearchResult search; /* of it */
} SwStart;

guint sw_start_frameworks (const SwProblem *problem, const SwSearchOptions *options,
                           SwStart starts[SW_N_FRAMEWORKS]);
void sw_start_clear (SwStart *starts, guint n);
double sw_safe_target (const SwProblem *problem);
gboolean sw_search_fits_safely (const SwProblem *problem);
void sw_search_start (SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out);

/* How a framework's users split a model before they try anything else. */
typedef enum {
  SW_CONVENTION_DATA,  /* data parallelism that shards everything, and checkpointing */
  SW_CONVENTION_MODEL, /* tensor parallelism inside a node, then stages, as memory demands */
} SwConvention;

guint sw_replicas_within (const SwProblem *problem, guint ranks, guint micro_batch);
SwConvention sw_convention_of (SwFramework framework);
void sw_conventional_strategy (const SwProblem *problem, SwFramework framework, SwEstimate *out);

G_END_DECLS
