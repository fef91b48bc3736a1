/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-measured.h"

#include "sw-layer-memory.h"

#include "fit-constants.h"

/* What the fit minimises. Time and memory have constants of their own and are fitted one after the
 * other: memory first, since it says which recomputation a run used that does not state it. */
typedef enum { FIT_MEMORY, FIT_TIME, FIT_N_SECTIONS } FitKind;

/* A free constant, in units of its prior's width: value = prior × exp (tolerance × x). */
typedef struct {
  const FitConstant *spec;
  double *value; /* in the fit's calibration */
  guint *rows;   /* samples whose prediction can read it */
  guint n_rows;
  FitConstant effect; /* what `spec` points to where it is a source's effect */
} FitParameter;

#define FIT_MAX_FAMILIES 64
#define FIT_MAX_PARAMETERS (FIT_MAX_CONSTANTS + FIT_MAX_FAMILIES)

/* One measured run. */
typedef struct {
  ShardwiseRun run; /* a shallow copy whose problem reads the constants that are being fitted */
  SwStrategy used;
  SwLayerMemory memory;
  guint family;
  double error[FIT_N_SECTIONS]; /* ln (predicted / measured) at the present constants */
  double seen[FIT_N_SECTIONS]; /* the same with the effect of its source: what the objective sees */
  double weight[FIT_N_SECTIONS]; /* in the objective; 0: not measured, or left out */
} FitSample;

typedef struct {
  SwCalibration constants;
  FitSample *sample;
  guint n_samples;
  GPtrArray *families; /* of char *, transfer none */
  /* Constants, then an effect for each family: what its jobs take over what the constants say,
   * drawn from a distribution around 1 (a random effect). */
  FitParameter parameter[FIT_N_SECTIONS][FIT_MAX_PARAMETERS];
  guint n_parameters[FIT_N_SECTIONS], n_constants[FIT_N_SECTIONS];
  double effect[FIT_N_SECTIONS][FIT_MAX_FAMILIES];
} Fit;

/* A half of the sources, by a hash of their names. */
typedef enum { FIT_HALF_A, FIT_HALF_B, FIT_N_HALVES } FitHalf;
FitHalf fit_half (const char *family);

Fit *fit_new (GPtrArray *runs);
void fit_free (Fit *fit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fit, fit_free)

void fit_weigh (Fit *fit, const gboolean *unseen);
void fit_infer (Fit *fit);
gboolean fit_is_measured (const FitSample *sample, FitKind kind);
double fit_predict (const Fit *fit, FitSample *sample, FitKind kind);
void fit_refresh (Fit *fit, FitKind kind);
double fit_objective (const Fit *fit, FitKind kind);
double fit_stiffness (const Fit *fit, FitKind kind, guint parameter);
double fit_position (const FitParameter *parameter);
void fit_move_to (FitParameter *parameter, double position);

/* Below that error the loss is nearly quadratic, above it linear. */
double fit_robust (FitKind kind);

/* The price of a constant one prior's width away from its prior, and of a source's effect one spread
 * of the sources away from 1: what the objective itself pays for an error of that size in one
 * source, so that an effect takes in about half of what its source's rows have in common and the
 * centre stays that of the sources. */
#define FIT_PENALTY 0.004
#define FIT_EFFECT_PENALTY 0.06
