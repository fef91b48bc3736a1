/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of words (data/catalogue/ask-*.ini), read once: "[value training.precision]", "fp8=fp8;float8". A word of a
 * phrase may be one of several, "can|could * fit|hold", or a beginning, "speicher~". */
#include "shardwise-ask-vocabulary.h"

#include <gio/gio.h>
#include <string.h>

#include "shardwise-catalogue.h"
#include "shardwise-ask-match.h"

#define FOLDER "/io/github/shardwise/Shardwise/catalogue/"

#define CLUSTER_GPU shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU)
#define MODEL_PRESET shardwise_key_path (SHARDWISE_KEY_MODEL_PRESET)

struct _ShardwiseAskVocabulary {
  GPtrArray *phrases[SHARDWISE_ASK_N_KINDS];
  GHashTable *words;            /* all folded words */
  GHashTable *german, *english; /* of one language alone */
  GHashTable *fillers;          /* of them, what says nothing here */
};

static const char *const kind_names[] = { "key",  "unit",    "value",  "gpu",   "model",
                                          "term", "goal",    "number", "scale", "factor",
                                          "mark", "unknown", "topic",  "seen",  "concept",
                                          "told", "rule" };
G_STATIC_ASSERT (G_N_ELEMENTS (kind_names) == SHARDWISE_ASK_N_KINDS);

/* Words of a language: those that say nothing here, and others, of which none is misspelt. */
static const char *const lists[] = { "fillers", "others" };

static const char *const files[] = { "ask-names.ini", "ask-en.ini", "ask-de.ini" };

static void
phrase_free (gpointer data)
{
  ShardwiseAskPhrase *self = data;

  g_free (self->target);
  g_free (self->value);
  g_ptr_array_unref (self->words);
  g_free (self);
}

/* ---- reading ---- */

static gboolean
is_letter_word (const char *word)
{
  return g_unichar_isalpha (g_utf8_get_char (word));
}

/* "can|could": either word stands there. */
static void
add_alternatives (ShardwiseAskVocabulary *self, ShardwiseAskPhrase *phrase, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "|", -1);
  GString *folded = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_autoptr (GArray) atoms = shardwise_atoms (parts[i]);
      const ShardwiseAtom *atom = shardwise_atom (atoms, 0);

      if (atom == NULL || atoms->len != 1)
        g_error ("%s: \"%s\" is not one word", text, parts[i]);
      g_string_append_printf (folded, "%s%s%s", i > 0 ? "|" : "", atom->text,
                              g_str_has_suffix (parts[i], "~") ? "~" : "");
      if (is_letter_word (atom->text) && !g_str_has_suffix (parts[i], "~"))
        g_hash_table_add (self->words, g_strdup (atom->text));
    }
  g_ptr_array_add (phrase->words, g_string_free (folded, FALSE));
}

/* Adds a phrase. Names are not words for spelling: "Yi" is no misspelled "yes". */
static ShardwiseAskPhrase *
add_phrase (ShardwiseAskVocabulary *self, ShardwiseAskKind kind, const char *target,
            const char *value, const char *text)
{
  ShardwiseAskPhrase *phrase = g_new0 (ShardwiseAskPhrase, 1);
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);

  phrase->kind = kind;
  phrase->target = g_strdup (target);
  phrase->value = g_strdup (value);
  phrase->words = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_autoptr (GArray) atoms = NULL;

      if (*parts[i] == '*')
        {
          g_ptr_array_add (phrase->words, g_strdup (parts[i]));
          continue;
        }
      if (strpbrk (parts[i], "|~") != NULL)
        {
          add_alternatives (self, phrase, parts[i]);
          continue;
        }
      atoms = shardwise_atoms (parts[i]);
      for (guint j = 0; j < atoms->len; j++)
        {
          const char *word = shardwise_atom (atoms, j)->text;

          g_ptr_array_add (phrase->words, g_strdup (word));
          if (is_letter_word (word))
            g_hash_table_add (self->words, g_strdup (word));
        }
    }
  if (phrase->words->len > 0)
    g_ptr_array_add (self->phrases[kind], phrase);
  else
    g_clear_pointer (&phrase, phrase_free);
  return phrase;
}

static void
add_language (GHashTable *words, GKeyFile *file, const char *key)
{
  g_auto (GStrv) list = g_key_file_get_string_list (file, "language", key, NULL, NULL);

  for (guint i = 0; list != NULL && list[i] != NULL; i++)
    {
      g_autoptr (GArray) atoms = shardwise_atoms (list[i]);

      for (guint j = 0; j < atoms->len; j++)
        g_hash_table_add (words, g_strdup (shardwise_atom (atoms, j)->text));
    }
}

static void
add_group (ShardwiseAskVocabulary *self, GKeyFile *file, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_auto (GStrv) name = g_strsplit (group, " ", 2);
  guint kind = 0;

  while (kind < SHARDWISE_ASK_N_KINDS && !g_str_equal (name[0], kind_names[kind]))
    kind++;
  for (guint i = 0; kind < SHARDWISE_ASK_N_KINDS && keys[i] != NULL; i++)
    {
      g_auto (GStrv) phrases = g_key_file_get_string_list (file, group, keys[i], NULL, NULL),
                     parts = g_strsplit (keys[i], kind == SHARDWISE_ASK_UNIT ? "*" : "?", 2);
      const gboolean is_value = kind == SHARDWISE_ASK_VALUE,
                     is_rule = kind == SHARDWISE_ASK_RULE || kind == SHARDWISE_ASK_TOLD;
      const char *target = is_value                      ? name[1]
                           : kind == SHARDWISE_ASK_GPU   ? CLUSTER_GPU
                           : kind == SHARDWISE_ASK_MODEL ? MODEL_PRESET
                                                         : parts[0];

      for (guint j = 0; phrases[j] != NULL && !(is_rule && j > 0); j++)
        {
          ShardwiseAskPhrase *phrase = add_phrase (self, (ShardwiseAskKind) kind, target,
                                                   is_rule ? phrases[0] : keys[i],
                                                   is_rule ? "*" : g_strstrip (phrases[j]));

          if (phrase == NULL)
            continue;
          /* "days*7": what a unit is a multiple of; "why?": a concept that asks. */
          if (is_rule || parts[1] != NULL)
            phrase->number = is_rule ? g_ascii_strtod (phrases[1] != NULL ? phrases[1] : "", NULL)
                             : *parts[1] != '\0' ? g_ascii_strtod (parts[1], NULL)
                                                 : 1;
          else
            phrase->number = kind == SHARDWISE_ASK_UNIT      ? 1
                             : kind == SHARDWISE_ASK_CONCEPT ? 0
                                                             : g_ascii_strtod (keys[i], NULL);
        }
    }
}

static void
read_file (ShardwiseAskVocabulary *self, const char *name)
{
  g_autofree char *path = g_strconcat (FOLDER, name, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) groups = NULL;

  if (bytes == NULL || !g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, &error))
    g_error ("%s: %s", path, error != NULL ? error->message : "not compiled in");
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    add_group (self, file, groups[i]);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    add_language (strstr (name, "-de") != NULL ? self->german : self->english, file, lists[i]);
  add_language (self->fillers, file, lists[0]);
}

/* ---- names of the catalogue ---- */

static void
add_names (ShardwiseAskVocabulary *self, GListModel *entries, ShardwiseAskKind kind,
           const char *path)
{
  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL, *name = NULL;

      g_object_get (entry, "id", &id, "name", &name, NULL);
      add_phrase (self, kind, path, id, id);
      g_strdelimit (name, ":^*<", ' ');
      add_phrase (self, kind, path, id, name);
    }
}

/* ---- public ---- */

/* Returns (transfer none): the vocabulary, read on first use; thread-safe. */
const ShardwiseAskVocabulary *
shardwise_ask_vocabulary_get (void)
{
  static gsize once = 0;
  static ShardwiseAskVocabulary *vocabulary;

  if (g_once_init_enter (&once))
    {
      ShardwiseAskVocabulary *self = g_new0 (ShardwiseAskVocabulary, 1);
      const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
      g_autoptr (GListModel) models = shardwise_catalogue_models (catalogue),
                             gpus = shardwise_catalogue_gpus (catalogue);

      for (guint i = 0; i < SHARDWISE_ASK_N_KINDS; i++)
        self->phrases[i] = g_ptr_array_new_with_free_func (phrase_free);
      self->words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      self->german = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      self->english = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      self->fillers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      for (guint i = 0; i < G_N_ELEMENTS (files); i++)
        read_file (self, files[i]);
      add_names (self, models, SHARDWISE_ASK_MODEL, MODEL_PRESET);
      add_names (self, gpus, SHARDWISE_ASK_GPU, CLUSTER_GPU);
      vocabulary = self;
      g_once_init_leave (&once, 1);
    }
  return vocabulary;
}

/* @kind: what they say. Returns: (transfer none) (element-type ShardwiseAskPhrase): in the order of the tables. */
GPtrArray *
shardwise_ask_vocabulary_phrases (const ShardwiseAskVocabulary *self, ShardwiseAskKind kind)
{
  return self->phrases[kind];
}

/* Whether the word is in the vocabulary, in either language. */
static gboolean
knows (const ShardwiseAskVocabulary *self, const char *word)
{
  return g_hash_table_contains (self->words, word) || g_hash_table_contains (self->german, word)
         || g_hash_table_contains (self->english, word);
}

/* @word: in small letters. Returns: whether the word is one that carries no meaning here, in either language. */
gboolean
shardwise_ask_vocabulary_is_filler (const ShardwiseAskVocabulary *self, const char *word)
{
  return g_hash_table_contains (self->fillers, word);
}

/* Returns (transfer none) (nullable): the known word nearest to the unknown @word. */
const char *
shardwise_ask_vocabulary_spell (const ShardwiseAskVocabulary *self, const char *word)
{
  return knows (self, word) ? NULL : shardwise_text_nearest (self->words, word);
}

/* @word: a folded word. Returns: 1 where only German has it, -1 where only English has it, else 0. */
int
shardwise_ask_vocabulary_german (const ShardwiseAskVocabulary *self, const char *word)
{
  gboolean german = g_hash_table_contains (self->german, word),
           english = g_hash_table_contains (self->english, word);

  return (german ? 1 : 0) - (english ? 1 : 0);
}
