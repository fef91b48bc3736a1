/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search takes of the machine's memory: nothing per strategy, and little in all. The C
 * library's allocator is stood before, to count. */
#include "sw-fixture.h"
#include "sw-search.h"

#include <string.h>

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
void *malloc (size_t size);
void *calloc (size_t n, size_t size);
void *realloc (void *memory, size_t size);

static int allocations;

void *
malloc (size_t size)
{
  g_atomic_int_inc (&allocations);
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  g_atomic_int_inc (&allocations);
  return __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  g_atomic_int_inc (&allocations);
  return __libc_realloc (memory, size);
}

static guint
count_allocations (const SwProblem *problem, const SwSearchOptions *options, SwSearchResult *result)
{
  const int before = g_atomic_int_get (&allocations);

  sw_search (problem, options, result);
  return (guint) (g_atomic_int_get (&allocations) - before);
}

/* Before all else: what the process has held so far is that of live searches. */
static void
test_resident (void)
{
  static const guint gpus[] = { 8, 64, 512, 4096, 16384, 131072 };
  const SwSearchOptions options = { .top = 50 };
  g_autofree char *status = NULL;
  const char *most;
  gint64 kib;

  for (guint i = 0; i < 2 * G_N_ELEMENTS (gpus); i++)
    {
      SwSearchResult result;
      SwProblem problem;

      sw_fixture_problem_bench (&problem, SW_FRAMEWORK_MEGATRON_CORE, i % 2 == 1, gpus[i / 2]);
      sw_search (&problem, &options, &result);
      sw_search_result_clear (&result);
    }
  /* Not getrusage(), which counts the program that started this one, too. */
  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  most = strstr (status, "VmHWM:");
  g_assert_nonnull (most);
  kib = g_ascii_strtoll (most + strlen ("VmHWM:"), NULL, 10);
  g_test_message ("%" G_GINT64_FORMAT " KiB", kib);
  g_assert_cmpint (kib, >, 0);
  g_assert_cmpint (kib, <, 64 * 1024);
}

/* Lists grow by doubling, and what many points share is kept once: less than an allocation for two
 * hundred strategies. */
static void
test_complete (void)
{
  const SwSearchOptions options = { .top = 50, .complete = TRUE, .threads = 1 };
  SwSearchResult result;
  SwProblem problem;
  guint n;

  sw_fixture_problem_bench (&problem, SW_FRAMEWORK_MEGATRON_CORE, FALSE, 64);
  n = count_allocations (&problem, &options, &result);
  g_test_message ("%u allocations for %" G_GUINT64_FORMAT " strategies", n, result.evaluated);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (result.evaluated, >, 100000);
  g_assert_cmpuint ((guint64) n * 200, <, result.evaluated);
  sw_search_result_clear (&result);
}

/* A hundred times the batches are many more strategies, on the same lists. */
static void
test_live (void)
{
  const SwSearchOptions few = { .top = 1 }, many = { .top = 5000 };
  SwSearchResult result;
  SwProblem problem;
  guint64 evaluated;
  guint n;

  sw_fixture_problem_bench (&problem, SW_FRAMEWORK_MEGATRON_CORE, TRUE, 512);
  n = count_allocations (&problem, &few, &result);
  evaluated = result.evaluated;
  sw_search_result_clear (&result);
  n = count_allocations (&problem, &many, &result) - n;
  g_test_message ("%u more allocations for %" G_GUINT64_FORMAT " more strategies", n,
                  result.evaluated - evaluated);
  g_assert_cmpuint (result.evaluated, >, evaluated + 20000);
  g_assert_cmpuint ((guint64) n * 100, <, result.evaluated - evaluated);
  sw_search_result_clear (&result);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/search-memory/resident", test_resident);
  g_test_add_func ("/search-memory/complete", test_complete);
  g_test_add_func ("/search-memory/live", test_live);
  return g_test_run ();
}
