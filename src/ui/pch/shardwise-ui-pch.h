/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Precompiled once for all files of the library if b_pch is on. For build speed only: every file
 * includes what it needs. */
#include <adwaita.h>
#include <json-glib/json-glib.h>
