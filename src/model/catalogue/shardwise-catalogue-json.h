/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-catalogue.h"

G_BEGIN_DECLS

/* What the entries of the catalogue are, as members of objects; units are in the names. */
void shardwise_catalogue_add_model (JsonObject *object, const char *id);
void shardwise_catalogue_add_gpu (JsonObject *object, const char *id);
void shardwise_catalogue_add_network (JsonObject *object, const char *id);

G_END_DECLS
