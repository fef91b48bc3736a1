NPROC_PER_NODE=4 CUDA_VISIBLE_DEVICES=0,1,2,3 megatron rlhf --rlhf_type dpo --model Qwen/Qwen3-8B \
  --tensor_model_parallel_size 2 --sequence_parallel true --recompute_granularity none --train_type lora
