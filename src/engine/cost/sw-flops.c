/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic of one step by the conventions in use: what the model needs (MFU; Chowdhery et al.
 * 2022, PaLM, appendix B) and what the hardware does besides, recomputation (HFU; Korthikanti et
 * al. 2022, section 6.3); each with attention's masked half or without. */
#include "sw-flops.h"

#include "sw-framework.h"

/* With packed documents, a token attends only to its own document. */
static guint
attended_sequence (const SwTraining *training)
{
  guint document = training->mean_document;

  return document > 0 ? MIN (document, training->sequence_length) : training->sequence_length;
}

static double
forward_per_token (const SwProblem *problem, gboolean causal_half)
{
  return sw_model_forward_flops_per_token (&problem->model, attended_sequence (&problem->training),
                                           causal_half);
}

static double
head_per_token (const SwModelSpec *model)
{
  return 2.0 * model->vocab_size * model->hidden_size;
}

static double
mlp_per_token (const SwModelSpec *model, double width)
{
  return 2.0 * (model->gated_mlp ? 3 : 2) * model->hidden_size * width;
}

/* Without named modules, the profile's share of the rest is recomputed, too. */
static double
selective_per_token (const SwProblem *problem, const SwStrategy *s, gboolean causal_half)
{
  double layers = forward_per_token (problem, causal_half) - head_per_token (&problem->model);
  guint modules = sw_selected_modules (s);
  const SwModelSpec *model = &problem->model;
  const SwMoe *moe = &model->moe;
  const SwMla *mla = &model->mla;
  double moe_layers = sw_model_moe_layers (model), named = 0, heads = model->attention_heads;
  double attended = sw_model_attended_tokens (model, attended_sequence (&problem->training),
                                              causal_half);
  double query = mla->qk_nope_head_dim + mla->qk_rope_head_dim;

  if (modules & SW_MODULE_CORE_ATTN)
    named += 2.0 * model->layers * heads * attended
             * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));
  /* The matrices that latent attention projects up with. */
  if (modules & SW_MODULE_MLA_UP_PROJ && mla->kv_lora_rank > 0)
    named += 2.0 * model->layers * heads
             * (query * (mla->q_lora_rank > 0 ? mla->q_lora_rank : model->hidden_size)
                + (double) (mla->qk_nope_head_dim + mla->v_head_dim) * mla->kv_lora_rank);
  if (modules & SW_MODULE_MLP)
    named += (model->layers - moe_layers) * mlp_per_token (model, model->intermediate_size);
  if (modules & SW_MODULE_MOE)
    named += moe_layers
             * (mlp_per_token (model, (double) moe->top_k * moe->intermediate_size)
                + 2.0 * moe->experts * model->hidden_size);
  if (modules & (SW_MODULE_MOE | SW_MODULE_SHARED_EXPERTS))
    named += moe_layers * mlp_per_token (model, moe->shared_intermediate_size);
  if (s->recompute_modules != 0)
    return named;
  return named + sw_problem_profile (problem, s->framework)->selective_share * (layers - named);
}

/* Repeated in a backward pass. */
static double
recomputed_per_token (const SwProblem *problem, const SwStrategy *s, gboolean causal_half)
{
  double layers = forward_per_token (problem, causal_half) - head_per_token (&problem->model);
  double share = (double) s->full_layers * s->pp / MAX (problem->model.layers, 1);

  switch ((SwRecompute) s->recompute)
    {
    case SW_RECOMPUTE_SELECTIVE: return selective_per_token (problem, s, causal_half);
    case SW_RECOMPUTE_FULL: return layers;
    case SW_RECOMPUTE_FULL_LAYERS: return layers * MIN (share, 1);
    case SW_RECOMPUTE_NONE:
    default: return 0;
    }
}

/**
 * sw_flops_per_token:
 * @problem: a prepared question
 * @strategy: its recomputation is read
 * @causal_half: whether the masked half of causal attention is left out
 * @out: filled in
 *
 * The backward pass has twice the FLOPs of the forward pass, and once for frozen weights, which
 * have no gradient; adapters count fully. Multi-token prediction is not included.
 */
void
sw_flops_per_token (const SwProblem *problem, const SwStrategy *strategy, gboolean causal_half,
                    SwFlops *out)
{
  const SwTraining *training = &problem->training;
  double forward = forward_per_token (problem, causal_half)
                   - (training->scalar_head ? head_per_token (&problem->model) : 0);

  out->model = 3 * forward;
  if (sw_training_is_adapter (training))
    out->model = 2 * forward + 6 * sw_adapter_active_parameters (problem);
  out->model += training->forward_passes * forward;
  out->recomputed = recomputed_per_token (problem, strategy, causal_half);
  if (problem->training.type == SW_TRAINING_RLHF)
    {
      /* The reference runs forward, and every token passes the policy once during generation; with
       * PPO, the reward model and the critic also run forward, and the critic is trained. */
      SwProblem critic;
      double value;

      out->model += (training->no_reference ? 1 : 2) * forward_per_token (problem, causal_half);
      if (!problem->training.rlhf_ppo)
        return;
      sw_rlhf_critic (problem, &critic);
      value = forward_per_token (&critic, causal_half) - head_per_token (&critic.model);
      out->model += 5 * value;
      out->recomputed += recomputed_per_token (&critic, strategy, causal_half);
    }
}
