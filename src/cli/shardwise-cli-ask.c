/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli.h"

#include <glib/gi18n.h>

#include "shardwise-ask-answer.h"
#include "shardwise-resolve.h"

/* The page as the window calls it. */
static const char *
page_title (const char *page)
{
  static const struct {
    const char *page, *title;
  } titles[] = {
    { "advice", N_ ("Advice") },
    { "analysis", N_ ("Analysis") },
    { "alternatives", N_ ("Alternatives") },
    { "scale", N_ ("Scale") },
    { "export", N_ ("Export") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    if (g_str_equal (titles[i].page, page))
      return _ (titles[i].title);
  g_return_val_if_reached (page);
}

static int
ask (ShardwiseCliInput *input)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseQuestion) question = NULL;
  g_autoptr (ShardwiseAnswer) answer = NULL;
  g_autofree char *text = NULL;
  SwProblem problem;

  if (!shardwise_scenario_resolve (input->scenario, &problem, NULL, &error))
    return shardwise_cli_fail (input->file, error);
  question = shardwise_question_parse (input->question, input->scenario, NULL);
  answer = shardwise_answer_compute (input->scenario, question, NULL, &error);
  if (answer == NULL)
    return shardwise_cli_fail (input->file, error);
  if (input->json)
    return shardwise_cli_print_json (shardwise_answer_to_json (answer, question),
                                     SHARDWISE_CLI_DONE);

  GString *out = g_string_new (NULL);

  shardwise_cli_append_wrapped (out, "", answer->text);
  if (answer->change != NULL && *answer->change != '\0')
    /* Translators: changes to a scenario: "64 GPUs" */
    g_string_append_printf (out, _ ("\nChange: %s\n"), answer->change);
  if (answer->page != NULL)
    /* Translators: name of a page of the window: "Advice" */
    g_string_append_printf (out, _ ("Shown on the page: %s\n"), page_title (answer->page));
  g_string_append_printf (out, "\n%s\n", _ ("You may also ask:"));
  for (guint i = 0; i < answer->suggestions->len; i++)
    g_string_append_printf (out, "  %s\n", (char *) g_ptr_array_index (answer->suggestions, i));
  text = g_string_free (out, FALSE);
  return shardwise_cli_print (text, SHARDWISE_CLI_DONE);
}

int
shardwise_cli_ask (int argc, char **argv)
{
  ShardwiseCliInput input = { .takes_question = TRUE };
  int status = shardwise_cli_input_read (
      &input, argc, argv, NULL, _ ("Answers a question in plain words, in English or German."));

  if (status == SHARDWISE_CLI_DONE)
    status = ask (&input);
  shardwise_cli_input_clear (&input);
  return status;
}
