/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "export-fixture.h"

G_BEGIN_DECLS

/* What a framework's parser accepts, as data of the tests: written from its documentation and
 * source, not from the writers' own tables. */
typedef enum {
  FIXTURE_INT,
  FIXTURE_FLOAT,
  FIXTURE_BOOL,
  FIXTURE_TEXT,
  FIXTURE_FLAG,
  FIXTURE_LIST,
  FIXTURE_NULL_OR_INT,
  FIXTURE_CODE,
  FIXTURE_YAML_FLOAT
} FixtureType; /* "1e-8" and "1" are no floats to YAML 1.1 */

typedef struct {
  const char *path; /* a trailing * stands for anything */
  FixtureType type;
  const char *choices; /* (nullable): "none|full|selective" */
  gboolean required;
} FixtureRule;

/* A value that was read back; the type is NULL where the format has none (YAML, command lines). */
typedef struct {
  char *type, *text;
} FixtureValue;

gboolean fixture_has_python (void); /* else the test is skipped */
/* of GHashTable: path -> FixtureValue */
GPtrArray *fixture_flatten (const char *language, GPtrArray *texts);
GHashTable *fixture_flatten_one (const char *language, const char *text);
GHashTable *fixture_flatten_yaml (const char *text);
GHashTable *fixture_flatten_json (const char *text);
void fixture_check (GHashTable *values, const FixtureRule *rules, gsize n_rules);
gboolean fixture_accepts (const FixtureRule *rule, const FixtureValue *value); /* type and choice */
const char *fixture_text (GHashTable *values, const char *path);               /* (nullable) */
guint fixture_number (GHashTable *values, const char *path, guint fallback);

/* A strategy of a question, and what was written of it. */
typedef struct {
  SwProblem problem;
  SwStrategy strategy;
  ShardwiseExport *files; /* (nullable) */
} FixtureCase;
/* of FixtureCase: `count` random strategies of several models with random precision, optimizer and
 * training; those that are refused are left out */
GPtrArray *fixture_random_cases (ShardwiseFormat format, const char *const *models, guint count);
/* on as many GPUs, of 8 H100 a node */
void fixture_case_init (FixtureCase *self, const char *model, guint tp, guint pp, guint dp);
void fixture_case_clear (FixtureCase *self);
/* writes it, which must succeed; the target's own file, until it is written again */
const char *fixture_case_write (FixtureCase *self, ShardwiseFormat format);
/* writes it; what the target's own file says */
GHashTable *fixture_case_read (FixtureCase *self, ShardwiseFormat format);
GPtrArray *fixture_read_cases (GPtrArray *cases); /* of GHashTable: what each case's own file
                                                     says */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FixtureCase, fixture_case_clear)

G_END_DECLS
