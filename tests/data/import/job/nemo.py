"""NeMo 2.x (legacy; its LLM recipes moved to Megatron-Bridge): Llama 3 70B, tp8 pp4 dp1."""
import nemo_run as run
import torch
from nemo.collections import llm


def build():
    recipe = llm.llama3_70b.pretrain_recipe(name="llama3_70b_tp8_pp4", num_nodes=4, num_gpus_per_node=8)
    recipe.trainer.strategy.tensor_model_parallel_size = 8
    recipe.trainer.strategy.pipeline_model_parallel_size = 4
    recipe.trainer.strategy.virtual_pipeline_model_parallel_size = 4
    recipe.trainer.strategy.pipeline_dtype = torch.bfloat16
    recipe.trainer.strategy.context_parallel_size = 1
    recipe.trainer.strategy.sequence_parallel = True
    recipe.data.micro_batch_size = 4
    recipe.data.global_batch_size = 128
    recipe.data.seq_length = 8192
    recipe.trainer.max_steps = 1000
    return recipe


if __name__ == "__main__":
    run.run(build(), executor=run.LocalExecutor(ntasks_per_node=8, launcher="torchrun"))
