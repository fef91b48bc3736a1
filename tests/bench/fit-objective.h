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
} FitParameter;

/* One measured run. */
typedef struct {
  ShardwiseRun run; /* a shallow copy whose problem reads the constants that are being fitted */
  SwStrategy used;
  SwLayerMemory memory;
  guint family;
  double error[FIT_N_SECTIONS];  /* ln (predicted / measured) at the present constants */
  double weight[FIT_N_SECTIONS]; /* in the objective; 0: not measured, or left out */
} FitSample;

typedef struct {
  SwCalibration constants;
  FitSample *sample;
  guint n_samples;
  GPtrArray *families; /* of char *, transfer none */
  FitParameter parameter[FIT_N_SECTIONS][FIT_MAX_CONSTANTS];
  guint n_parameters[FIT_N_SECTIONS];
} Fit;

Fit *fit_new (GPtrArray *runs);
void fit_free (Fit *fit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fit, fit_free)

void fit_leave_out (Fit *fit, guint family);
void fit_infer (Fit *fit);
gboolean fit_is_measured (const FitSample *sample, FitKind kind);
double fit_measured_error (FitSample *sample, FitKind kind);
void fit_refresh (Fit *fit, FitKind kind);
double fit_objective (const Fit *fit, FitKind kind);
double fit_position (const FitParameter *parameter);
void fit_move_to (FitParameter *parameter, double position);

/* Below that error the loss is nearly quadratic, above it linear. */
double fit_robust (FitKind kind);

/* The price of a constant one prior's width away from its prior. */
#define FIT_PENALTY 0.004
