/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-search-result.h"

#define CASES 10000

static gboolean
dominates (const SwCandidate *a, const SwCandidate *b)
{
  return a->memory_bytes <= b->memory_bytes && a->seconds_per_token <= b->seconds_per_token
         && (a->memory_bytes < b->memory_bytes || a->seconds_per_token < b->seconds_per_token);
}

static void
test_by_hand (void)
{
  const SwCandidate candidates[] = {
    { .memory_bytes = 60, .seconds_per_token = 1 }, { .memory_bytes = 70, .seconds_per_token = 1 },
    { .memory_bytes = 40, .seconds_per_token = 2 }, { .memory_bytes = 40, .seconds_per_token = 2 },
    { .memory_bytes = 50, .seconds_per_token = 3 }, { .memory_bytes = 20, .seconds_per_token = 9 },
  };
  const guint expected[] = { 5, 2, 0 };
  g_autoptr (GArray) front = sw_pareto_front (candidates, G_N_ELEMENTS (candidates));

  g_assert_cmpmem (front->data, front->len * sizeof (guint), expected, sizeof expected);
}

static void
test_empty (void)
{
  g_autoptr (GArray) front = sw_pareto_front (NULL, 0);

  g_assert_cmpuint (front->len, ==, 0);
}

/* Against the definition: every pair compared. Few distinct values make ties common. */
static void
check_case (GRand *rand)
{
  SwCandidate candidates[60];
  guint n = g_rand_int_range (rand, 1, G_N_ELEMENTS (candidates));
  guint values = g_rand_int_range (rand, 2, 200), expected = 0;
  g_autoptr (GArray) front = NULL;

  for (guint i = 0; i < n; i++)
    candidates[i] =
        (SwCandidate){ .memory_bytes = 1e9f * g_rand_int_range (rand, 1, values),
                       .seconds_per_token = 1e-6f * g_rand_int_range (rand, 1, values) };
  front = sw_pareto_front (candidates, n);
  for (guint i = 0; i < n; i++)
    {
      gboolean kept = TRUE;

      for (guint j = 0; j < n && kept; j++)
        kept = !dominates (&candidates[j], &candidates[i])
               && !(j < i && candidates[j].memory_bytes == candidates[i].memory_bytes
                    && candidates[j].seconds_per_token == candidates[i].seconds_per_token);
      expected += kept;
    }
  g_assert_cmpuint (front->len, ==, expected);
  for (guint i = 0; i + 1 < front->len; i++)
    {
      const SwCandidate *left = &candidates[g_array_index (front, guint, i)];
      const SwCandidate *right = &candidates[g_array_index (front, guint, i + 1)];

      g_assert_cmpfloat (left->memory_bytes, <, right->memory_bytes);
      g_assert_cmpfloat (left->seconds_per_token, >, right->seconds_per_token);
    }
}

static void
test_definition (void)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < CASES; i++)
    check_case (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pareto/by-hand", test_by_hand);
  g_test_add_func ("/pareto/empty", test_empty);
  g_test_add_func ("/pareto/definition", test_definition);
  return g_test_run ();
}
