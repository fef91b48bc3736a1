/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* unshare () */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stalled-disk.h"
#include "shardwise-draft.h"
#include "shardwise-scenario.h"
#include "shardwise-file.h"

/* Nothing of a document is lost: files that are written whole or not at all, and what is kept of
 * open documents. */

typedef struct {
  char *folder, *path;
  GFile *file;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("shardwise-documents-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "mine.shardwise", NULL);
  fixture->file = g_file_new_for_path (fixture->path);
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  g_chmod (path, 0700);
  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      if (g_file_test (inner, G_FILE_TEST_IS_DIR) && !g_file_test (inner, G_FILE_TEST_IS_SYMLINK))
        remove_folder (inner);
      else
        g_unlink (inner);
    }
  g_rmdir (path);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  remove_folder (fixture->folder);
  g_object_unref (fixture->file);
  g_free (fixture->path);
  g_free (fixture->folder);
}

static char *
content (const char *path)
{
  char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
assert_content (const char *path, const char *expected)
{
  g_autofree char *text = content (path);

  g_assert_cmpstr (text, ==, expected);
}

/* What lies in the folder beside the names that are expected. */
static guint
count_files (const char *folder)
{
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (directory) != NULL)
    n++;
  return n;
}

static void
write_ok (GFile *file, const char *text)
{
  g_autoptr (GError) error = NULL;

  shardwise_write_file (file, text, strlen (text), &error);
  g_assert_no_error (error);
}

/* Permissions and links stay, also a link to a link; a second name keeps the old content, whole. */
static void
test_write (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link_path = g_build_filename (fixture->folder, "link", NULL);
  g_autofree char *far_path = g_build_filename (fixture->folder, "far", NULL);
  g_autofree char *second_path = g_build_filename (fixture->folder, "second", NULL);
  g_autoptr (GFile) far = g_file_new_for_path (far_path);
  struct stat there;

  write_ok (fixture->file, "one");
  assert_content (fixture->path, "one");
  g_assert_cmpint (g_chmod (fixture->path, 0664), ==, 0);
  g_assert_cmpint (symlink ("mine.shardwise", link_path), ==, 0);
  g_assert_cmpint (symlink (link_path, far_path), ==, 0);
  g_assert_cmpint (link (fixture->path, second_path), ==, 0);
  write_ok (far, "two, which is longer");
  assert_content (fixture->path, "two, which is longer");
  assert_content (second_path, "one");
  g_assert_true (g_file_test (far_path, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_test (link_path, G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpint (stat (fixture->path, &there), ==, 0);
  g_assert_cmpint (there.st_mode & 07777, ==, 0664);
  g_assert_cmpuint (count_files (fixture->folder), ==, 4);
}

static void
refused (GFile *file, const char *says)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (shardwise_write_file (file, "new", 3, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, says));
}

/* No folder, a folder of that name, a link to nothing. */
static void
test_write_nowhere (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link_path = g_build_filename (fixture->folder, "link", NULL);
  g_autofree char *inner_path = g_build_filename (fixture->folder, "no", "mine", NULL);
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->folder);
  g_autoptr (GFile) dangling = g_file_new_for_path (link_path);
  g_autoptr (GFile) inner = g_file_new_for_path (inner_path);

  g_assert_cmpint (symlink ("nothing", link_path), ==, 0);
  refused (folder, fixture->folder);
  refused (dangling, link_path);
  refused (inner, "no: ");
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

/* As somebody whom permissions bind: the tests may run as root. */
static void
become_nobody (void)
{
  if (geteuid () == 0)
    g_assert_cmpint (setresuid (65534, 65534, 65534), ==, 0);
}

/* A file that may not be written, and a folder in which none can be made. */
static void
write_read_only (Fixture *fixture)
{
  g_autofree char *other_path = g_build_filename (fixture->folder, "other", NULL);
  g_autoptr (GFile) other = g_file_new_for_path (other_path);

  become_nobody ();
  refused (other, fixture->folder);
  refused (fixture->file, fixture->path);
  assert_content (fixture->path, "old");
}

/* The limit on a file's size stands for a disk that is full. */
static void
write_too_much (Fixture *fixture)
{
  const struct rlimit limit = { 4096, 4096 };
  g_autofree char *text = g_strnfill (10000, 'x');
  g_autoptr (GError) error = NULL;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_assert_false (shardwise_write_file (fixture->file, text, 10000, &error));
  g_assert_nonnull (strstr (error->message, fixture->path));
  assert_content (fixture->path, "old");
}

/* 77: no disk can be mounted here. */
#define SKIPPED 77

static void
write_full_disk (Fixture *fixture)
{
  g_autofree char *text = g_strnfill (100000, 'x');
  g_autoptr (GError) error = NULL;

  if (unshare (geteuid () == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0
      || mount ("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0
      || mount ("tmpfs", fixture->folder, "tmpfs", 0, "size=64k") != 0)
    _exit (SKIPPED);
  write_ok (fixture->file, "old");
  g_assert_false (shardwise_write_file (fixture->file, text, 100000, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  assert_content (fixture->path, "old");
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

/* What changes the process is tried in one of its own. Returns its exit status; as a shell would,
 * 128 and the signal where one killed it. */
static int
in_child (void (*func) (Fixture *fixture), Fixture *fixture)
{
  pid_t child = fork ();
  int status;

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      func (fixture);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
}

static void
test_read_only (Fixture *fixture, gconstpointer data)
{
  write_ok (fixture->file, "old");
  g_assert_cmpint (g_chmod (fixture->path, 0444), ==, 0);
  g_assert_cmpint (g_chmod (fixture->folder, 0555), ==, 0);
  g_assert_cmpint (in_child (write_read_only, fixture), ==, 0);
  g_assert_cmpint (g_chmod (fixture->folder, 0777), ==, 0); /* now its file could be replaced */
  g_assert_cmpint (geteuid () == 0 ? chown (fixture->path, 65534, 65534) : 0, ==, 0);
  write_ok (fixture->file, "old");
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

#define OTHER_USER 65533
#define SHARED_GROUP 65532
#define FOREIGN_GROUP 65531

/* As a user who is in one group beside their own. */
static void
write_as_member (Fixture *fixture)
{
  const gid_t group = SHARED_GROUP;

  g_assert_cmpint (setgroups (1, &group), ==, 0);
  g_assert_cmpint (setresgid (65534, 65534, 65534), ==, 0);
  become_nobody ();
  write_ok (fixture->file, "new");
}

static void
assert_shared (Fixture *fixture, gid_t group, mode_t mode, gid_t left_group, mode_t left_mode)
{
  struct stat there;

  write_ok (fixture->file, "old");
  g_assert_cmpint (chown (fixture->path, OTHER_USER, group), ==, 0);
  g_assert_cmpint (g_chmod (fixture->path, (int) mode), ==, 0);
  g_assert_cmpint (in_child (write_as_member, fixture), ==, 0);
  assert_content (fixture->path, "new");
  g_assert_cmpint (stat (fixture->path, &there), ==, 0);
  g_assert_cmpint (there.st_uid, ==, 65534);
  g_assert_cmpint (there.st_gid, ==, left_group);
  g_assert_cmpint (there.st_mode & 07777, ==, left_mode);
}

/* Another's file: a group that it is shared with keeps it; in a foreign group's place comes the
 * writer's own, which may do what everybody may. */
static void
test_shared (Fixture *fixture, gconstpointer data)
{
  if (geteuid () != 0)
    {
      g_test_skip ("only root makes files of others");
      return;
    }
  g_assert_cmpint (g_chmod (fixture->folder, 0777), ==, 0);
  assert_shared (fixture, SHARED_GROUP, 0660, SHARED_GROUP, 0660);
  assert_shared (fixture, FOREIGN_GROUP, 0676, 65534, 0666);
}

static void
test_full (Fixture *fixture, gconstpointer data)
{
  write_ok (fixture->file, "old");
  g_assert_cmpint (in_child (write_too_much, fixture), ==, 0);
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

static void
test_full_disk (Fixture *fixture, gconstpointer data)
{
  int status = in_child (write_full_disk, fixture);

  if (status == SKIPPED)
    g_test_skip ("no disk can be mounted here");
  else
    g_assert_cmpint (status, ==, 0);
}

/* ---- drafts ---- */

static ShardwiseDraftContent *
make_content (const char *edited)
{
  ShardwiseDraftContent *made = shardwise_draft_content_new ();
  GVariantBuilder typed;

  made->uri = g_strdup ("file:///tmp/a%20b.shardwise");
  made->saved = g_strdup ("{\n\t\"saved\": \"ü\\\"\"\n}");
  made->edited = g_strdup (edited);
  made->said = g_strdup ("");
  made->factors = (ShardwiseFactors){ 0.933, 1.25, 1.007 };
  g_variant_builder_init (&typed, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&typed, "{ss}", "cluster.gpus", "12x");
  made->typed = g_variant_ref_sink (g_variant_builder_end (&typed));
  return made;
}

static void
keep (ShardwiseDraft *draft, const char *edited)
{
  g_autoptr (ShardwiseDraftContent) made = make_content (edited);
  g_autoptr (GError) error = NULL;

  shardwise_draft_write (draft, made, &error);
  g_assert_no_error (error);
}

static void
assert_edited (ShardwiseDraft *draft, const char *edited)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseDraftContent) read = shardwise_draft_read (draft, &error);
  g_autoptr (ShardwiseDraftContent) made = make_content (edited);

  g_assert_no_error (error);
  g_assert_cmpstr (read->uri, ==, made->uri);
  g_assert_cmpstr (read->saved, ==, made->saved);
  g_assert_cmpstr (read->edited, ==, edited);
  g_assert_true (shardwise_factors_equal (&read->factors, &made->factors));
  g_assert_true (g_variant_equal (read->typed, made->typed));
  g_assert_false (read->ended);
}

/* What a program that was killed leaves is there for the next one, and what it left half written is
 * not; the draft of a program that runs is left alone. */
static void
kill_writer (Fixture *fixture)
{
  g_autofree char *half = g_build_filename (fixture->folder, "x.json.ABCDEF", NULL);
  ShardwiseDraft *draft = shardwise_draft_new (fixture->folder);

  keep (draft, "of the killed one");
  g_assert_true (g_file_set_contents (half, "{", -1, NULL));
  raise (SIGKILL);
}

static void
test_claim (Fixture *fixture, gconstpointer data)
{
  g_autofree char *no_folder = g_build_filename (fixture->folder, "none", NULL);
  g_autoptr (GPtrArray) nothing = shardwise_drafts_claim (no_folder);
  g_autoptr (ShardwiseDraft) mine = shardwise_draft_new (fixture->folder);
  g_autoptr (GPtrArray) claimed = NULL, again = NULL;

  g_assert_cmpuint (nothing->len, ==, 0);
  keep (mine, "mine");
  g_assert_cmpint (in_child (kill_writer, fixture), ==, 128 + SIGKILL);
  claimed = shardwise_drafts_claim (fixture->folder);
  g_assert_cmpuint (claimed->len, ==, 1);
  assert_edited (claimed->pdata[0], "of the killed one");
  again = shardwise_drafts_claim (fixture->folder);
  g_assert_cmpuint (again->len, ==, 0);
  g_assert_cmpuint (count_files (fixture->folder), ==, 4); /* two drafts with their locks */
  shardwise_draft_remove (claimed->pdata[0]);
  g_ptr_array_set_size (claimed, 0);
  g_assert_cmpuint (count_files (fixture->folder), ==, 2);
}

/* The last one is read by the next program last, and shown on top. */
static void
test_order (Fixture *fixture, gconstpointer data)
{
  const char *const words[] = { "first", "second", "third" };
  g_autoptr (GPtrArray) claimed = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autoptr (ShardwiseDraft) draft = shardwise_draft_new (fixture->folder);

      keep (draft, words[i]);
      g_usleep (10000);
    }
  claimed = shardwise_drafts_claim (fixture->folder);
  g_assert_cmpuint (claimed->len, ==, 3);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    assert_edited (claimed->pdata[i], words[i]);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  guint *pending = data;

  g_assert_true (shardwise_draft_write_finish (SHARDWISE_DRAFT (source), result, &error));
  g_assert_no_error (error);
  --*pending;
}

/* Of many contents handed over at once the last is kept; after removal none is. */
static void
test_async (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ShardwiseDraft) draft = shardwise_draft_new (fixture->folder);
  guint pending = 50;

  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *text = g_strdup_printf ("%u", i);

      shardwise_draft_write_async (draft, make_content (text), written_cb, &pending);
    }
  while (pending > 0)
    g_main_context_iteration (NULL, TRUE);
  assert_edited (draft, "49");
  pending = 1;
  shardwise_draft_write_async (draft, make_content ("late"), written_cb, &pending);
  shardwise_draft_remove (draft);
  while (pending > 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (count_files (fixture->folder), ==, 1); /* its lock */
}

static void
stall (ShardwiseDraft *draft, const char *edited, guint *pending)
{
  disk_stall ("/");
  shardwise_draft_write_async (draft, make_content (edited), written_cb, pending);
  disk_await ();
}

static void
go_on (guint *pending)
{
  disk_go_on ();
  while (*pending > 0)
    g_main_context_iteration (NULL, TRUE);
}

/* Nobody waits for a disk that stalls; one thread does, however much is typed meanwhile. Then the
 * last content is kept, or, where the document was closed, none. */
static void
test_stalled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ShardwiseDraft) draft = shardwise_draft_new (fixture->folder);
  guint pending = 51;

  keep (draft, "before"); /* a first file is not synchronised */
  stall (draft, "stalled", &pending);
  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *text = g_strdup_printf ("%u", i);

      shardwise_draft_write_async (draft, make_content (text), written_cb, &pending);
    }
  assert_edited (draft, "before");
  g_assert_cmpuint (disk.waiting, ==, 1);
  go_on (&pending);
  assert_edited (draft, "49");
  g_assert_cmpuint (disk.n, <=, 4); /* of two files and of their folder */

  pending = 2;
  stall (draft, "stalled", &pending);
  shardwise_draft_write_async (draft, make_content ("late"), written_cb, &pending);
  shardwise_draft_remove (draft);
  go_on (&pending);
  g_assert_cmpuint (count_files (fixture->folder), ==, 1); /* its lock */
}

/* Whatever stands in the file: an error, never a crash; it is kept under another name. */
static void
test_corrupt (Fixture *fixture, gconstpointer data)
{
  static const char *const texts[] = {
    "",
    "{",
    "[]",
    "{}",
    "null",
    "\xff\xfe",
    "{\"format\": 1}",
    "{\"format\": \"shardwise-scenario\"}",
  };
  g_autofree char *path = g_build_filename (fixture->folder, "a-b.json", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GPtrArray) claimed = NULL, again = NULL;
      g_autoptr (ShardwiseDraftContent) read = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *aside = NULL;

      g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
      claimed = shardwise_drafts_claim (fixture->folder);
      g_assert_cmpuint (claimed->len, ==, 1);
      read = shardwise_draft_read (claimed->pdata[0], &error);
      g_assert_null (read);
      g_assert_nonnull (error);
      aside = shardwise_draft_set_aside (claimed->pdata[0]);
      assert_content (aside, texts[i]);
      g_ptr_array_set_size (claimed, 0);
      again = shardwise_drafts_claim (fixture->folder);
      g_assert_cmpuint (again->len, ==, 0);
    }
}

/* Members of the wrong kind are as if they were missing. */
static void
test_odd (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "odd.json", NULL);
  g_autoptr (GPtrArray) claimed = NULL;
  g_autoptr (ShardwiseDraftContent) read = NULL;

  g_assert_true (g_file_set_contents (path,
                                      "{\"format\": \"shardwise-draft\", \"version\": 2, \"uri\": "
                                      "[], \"edited\": {}, \"typed\": {\"a\": 1, \"b\": \"c\"}, "
                                      "\"factors\": {\"kernel\": 1e9, \"network\": \"2\", "
                                      "\"memory\": 1.5}, \"ended\": \"yes\"}",
                                      -1, NULL));
  claimed = shardwise_drafts_claim (fixture->folder);
  read = shardwise_draft_read (claimed->pdata[0], NULL);
  g_assert_nonnull (read);
  g_assert_cmpstr (read->uri, ==, "");
  g_assert_cmpstr (read->edited, ==, "");
  g_assert_cmpfloat (read->factors.kernel, ==, 1);
  g_assert_cmpfloat (read->factors.network, ==, 1);
  g_assert_cmpfloat (read->factors.memory, ==, 1.5);
  g_assert_cmpuint (g_variant_n_children (read->typed), ==, 1);
  g_assert_true (shardwise_draft_content_has_edits (read));
}

#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/documents/write", test_write);
  ADD ("/documents/write-nowhere", test_write_nowhere);
  ADD ("/documents/read-only", test_read_only);
  ADD ("/documents/shared", test_shared);
  ADD ("/documents/full", test_full);
  ADD ("/documents/full-disk", test_full_disk);
  ADD ("/documents/claim", test_claim);
  ADD ("/documents/order", test_order);
  ADD ("/documents/async", test_async);
  ADD ("/documents/stalled", test_stalled);
  ADD ("/documents/corrupt", test_corrupt);
  ADD ("/documents/odd", test_odd);
  return g_test_run ();
}
