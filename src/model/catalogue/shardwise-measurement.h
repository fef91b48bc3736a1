/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* One measured figure; `spread` is the standard deviation as a share of the value. */
typedef struct {
  double value, spread; /* 0: not measured */
} ShardwiseMeasurement;

/* Errors have the path "cluster.gpu.measured.NAME". */
gboolean shardwise_measured_refuse (GError **error, const char *name, const char *text);
gboolean shardwise_measured_number (JsonNode *node, const char *name, double low, double high,
                                    double *out, GError **error);
gboolean shardwise_measurement_read (JsonNode *node, const char *name, double low, double high,
                                     ShardwiseMeasurement *out, GError **error);
JsonObject *
shardwise_measurement_to_json (const ShardwiseMeasurement *self, double low, double high);

G_END_DECLS
