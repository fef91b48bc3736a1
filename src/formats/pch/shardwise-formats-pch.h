/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read once for all files of the library where b_pch is on: for speed alone, every file includes
 * what it needs. */
#include <gio/gio.h>
#include <json-glib/json-glib.h>
