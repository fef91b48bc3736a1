set -euo pipefail

NODE_RANK="${NODE_RANK:-0}"
MASTER_ADDR="${MASTER_ADDR:?the address of the first node}"
MASTER_PORT="${MASTER_PORT:-29500}"

torchrun \
    --nnodes=2 \
    --nproc-per-node=8 \
    --node-rank="$NODE_RANK" \
    --master-addr="$MASTER_ADDR" \
    --master-port="$MASTER_PORT" \
    -m openrlhf.cli.train_sft \
    --model.model_name_or_path mistralai/Mistral-7B-v0.1 \
    --adam.lr 0.0002 \
    --data.max_len 4096 \
    --train.batch_size 128 \
    --train.micro_batch_size 1 \
    --ds.zero_stage 0 \
    --ds.param_dtype bf16 \
    --ds.attn_implementation flash_attention_2 \
    --ds.packing_samples \
    --ds.lora.rank 16 \
    --ds.lora.alpha 32 \
    --data.dataset data.jsonl \
    --data.input_key prompt \
    --data.output_key completion \
    --ckpt.output_dir output
