/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-export.h"

G_BEGIN_DECLS

/* Selects what to export: framework or launcher, its version, and whether as a bundle. Stored in
 * the settings. */
#define SHARDWISE_TYPE_EXPORT_PICKER (shardwise_export_picker_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseExportPicker, shardwise_export_picker, SHARDWISE, EXPORT_PICKER,
                      GtkBox)
/* Properties: "format" (uint, ShardwiseFormat), "bundle" (boolean), "launcher" (uint,
 * ShardwiseFormat: of the bundle) */

ShardwiseFormat shardwise_export_picker_get_format (ShardwiseExportPicker *self);
void shardwise_export_picker_set_format (ShardwiseExportPicker *self, ShardwiseFormat format);
void shardwise_export_picker_select (ShardwiseExportPicker *self, const char *id);
/* Returns: whether the format changed */
gboolean shardwise_export_picker_follow (ShardwiseExportPicker *self, ShardwiseAdvice *advice,
                                         const SwEstimate *selected);
gboolean shardwise_export_picker_is_chosen (ShardwiseExportPicker *self);
void shardwise_export_picker_choose_for (ShardwiseExportPicker *self, SwFramework framework);
void shardwise_export_picker_let_go (ShardwiseExportPicker *self);
const ShardwiseFormatInfo *
shardwise_export_picker_get_offered (GSettings *settings, ShardwiseAdvice *advice,
                                     const SwEstimate *selected);
gboolean shardwise_export_picker_get_bundle (ShardwiseExportPicker *self);
void shardwise_export_picker_set_bundle (ShardwiseExportPicker *self, gboolean bundle);
ShardwiseFormat shardwise_export_picker_get_launcher (ShardwiseExportPicker *self);

G_END_DECLS
