"""TorchTitan main branch: MODULE=<this module> CONFIG=llama3_70b_tp8_pp4 NGPU=8 per node, 4 nodes (32 ranks)."""
from torchtitan.distributed.activation_checkpoint import SelectiveAC
from torchtitan.models.llama3.config_registry import llama3_70b
from torchtitan.trainer import Trainer


def llama3_70b_tp8_pp4() -> Trainer.Config:
    config = llama3_70b()
    p = config.parallelism
    p.data_parallel_replicate_degree = 1
    p.data_parallel_shard_degree = 1
    p.tensor_parallel_degree = 8
    p.enable_sequence_parallel = True
    p.pipeline_parallel_degree = 4
    p.pipeline_parallel_schedule = "1F1B"
    p.num_pp_microbatches = 32
    p.context_parallel_degree = 1
    t = config.training
    t.max_context_length = 8192
    t.num_tokens_per_microbatch_per_dp_rank = 4 * 8192
    t.num_tokens_per_train_step = 4 * 8192 * 32
    t.steps = 1000
    t.disable_cuda_graphs = True  # refused otherwise as soon as pipeline_parallel_degree > 1
    config.activation_checkpoint = SelectiveAC.Config()
    return config
