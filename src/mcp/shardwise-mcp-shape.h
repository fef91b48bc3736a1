/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The members of an object, one after another and apart by spaces, of which both its JSON schema and
 * what is taken from a larger object follow:
 *
 *   name:s  name:i  name:n  name:b  name:o    text, whole number, number, truth, any object
 *   name=a|b                                  one of these words
 *   name{…}                                   an object
 *   name[9]{…}  name[9]:s                     an array of at most 9 objects, or of texts; 0: of any
 *
 * A ? behind the name: the member may be absent. A ? behind the kind: it may be null. */
JsonNode *shardwise_mcp_shape_schema (const char *shape);
JsonNode *shardwise_mcp_shape_pick (const char *shape, JsonObject *from);

G_END_DECLS
