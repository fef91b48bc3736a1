import os

import torch
from megatron.bridge.recipes.llama.llama3 import llama3_70b_pretrain_config
from megatron.bridge.training.comm_overlap import CommOverlapConfig
from megatron.bridge.training.config import ConfigContainer
from megatron.bridge.training.gpt_step import forward_step
from megatron.bridge.training.pretrain import pretrain

WORLD_SIZE = 32


def build() -> ConfigContainer:
    cfg = llama3_70b_pretrain_config()
    cfg.model.tensor_model_parallel_size = 8
    cfg.model.pipeline_model_parallel_size = 4
    cfg.model.virtual_pipeline_model_parallel_size = 4
    cfg.model.pipeline_dtype = torch.bfloat16
    cfg.model.context_parallel_size = 1
    cfg.model.sequence_parallel = True
    cfg.model.num_layers_in_first_pipeline_stage = None
    cfg.model.num_layers_in_last_pipeline_stage = None
    cfg.model.account_for_embedding_in_pipeline_split = False
    cfg.model.account_for_loss_in_pipeline_split = False
    cfg.model.pipeline_model_parallel_layout = None
    cfg.model.recompute_granularity = None
    cfg.model.recompute_method = None
    cfg.model.recompute_num_layers = None
    cfg.model.seq_length = 8192
    cfg.dataset.seq_length = 8192
    cfg.train.micro_batch_size = 4
    cfg.train.global_batch_size = 128
    cfg.train.train_iters = 1000
    cfg.mixed_precision = "bf16_mixed"
    cfg.optimizer.use_precision_aware_optimizer = False
    cfg.optimizer.main_grads_dtype = torch.float32
    cfg.optimizer.main_params_dtype = torch.float32
    cfg.optimizer.exp_avg_dtype = torch.float32
    cfg.optimizer.exp_avg_sq_dtype = torch.float32
    cfg.scheduler.lr_warmup_iters = 100
    cfg.ddp.use_distributed_optimizer = True
    cfg.ddp.overlap_grad_reduce = True
    cfg.ddp.overlap_param_gather = True
    cfg.comm_overlap = CommOverlapConfig(
        tp_comm_overlap=True, overlap_grad_reduce=True, overlap_param_gather=True,
        overlap_moe_expert_parallel_comm=False)
    return cfg


if __name__ == "__main__":
    if int(os.environ.get("WORLD_SIZE", WORLD_SIZE)) != WORLD_SIZE:
        raise RuntimeError(f"this strategy is for {WORLD_SIZE} GPUs")
    pretrain(config=build(), forward_step_func=forward_step)
