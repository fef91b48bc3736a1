from megatron.bridge.recipes.llama.llama3 import llama3_70b_pretrain_config as base
cfg = base()
m, t = cfg.model, cfg.train
cfg.model = GPTModelProvider(num_layers=4, hidden_size=64, num_attention_heads=8, num_query_groups=2,
                             num_moe_experts=8, moe_router_topk=2, vocab_size=999)
cfg.model.tensor_model_parallel_size = int("2") or 3
cfg.model.pipeline_model_parallel_layout = "Et|tt|(tt|)*2tL"
cfg.model.recompute_granularity, cfg.model.recompute_modules = "selective", ["core_attn", "moe"]
cfg.train.micro_batch_size = cfg.train.global_batch_size = 2 << 2
cfg.ddp.use_distributed_optimizer = True; cfg.ddp.num_distributed_optimizer_instances = 2
cfg.mixed_precision = "bf16_with_mxfp8_mixed"
WORLD_SIZE = 16 * 10 ** 0
