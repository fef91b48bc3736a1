/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-ladder.h"

G_BEGIN_DECLS

/* A figure to check while the job runs. */
typedef struct {
  const char *what;           /* "step", "memory", "tokens", "mfu"; static */
  char *title;                /* "Time of a step" */
  char *value;                /* predicted, with its interval */
  char *where;                /* where to find it in the framework's log */
  double expected, low, high; /* seconds, bytes, tokens per second, share */
} ShardwiseLookAt;

/* What to try, in this order, if memory runs out. */
typedef struct {
  SwRung rung;
  char *name;        /* "TP 8 (with DP 4)" */
  char *text;        /* the same, with the memory it saves and the time it costs */
  GVariant *changes; /* a{sv} for win.apply */
} ShardwiseRemedy;

/* A part of the step that may explain a slow run, and what to try. */
typedef struct {
  const char *part; /* "tp", "bubble", …; static */
  double share;     /* of the predicted step */
  char *text;
} ShardwiseSuspect;

/* A short plan to check a prediction on the cluster. Immutable; owns all members. */
typedef struct {
  GPtrArray *look_at;          /* of ShardwiseLookAt */
  GPtrArray *if_out_of_memory; /* of ShardwiseRemedy */
  GPtrArray *if_slower;        /* of ShardwiseSuspect */
} ShardwiseVerify;

enum { SHARDWISE_VERIFY_STEPS = 20, SHARDWISE_VERIFY_WARM_UP = 5 };

ShardwiseVerify *shardwise_verify_new (const SwProblem *problem, const SwEstimate *estimate);
ShardwiseVerify *shardwise_verify_ref (ShardwiseVerify *self);
void shardwise_verify_unref (ShardwiseVerify *self);
char *shardwise_verify_summary (void); /* "Run 20 steps and leave out the first 5." */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseVerify, shardwise_verify_unref)

G_END_DECLS
