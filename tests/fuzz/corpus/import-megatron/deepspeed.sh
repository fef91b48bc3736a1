export NNODES=2 NUM_GPUS=8
if [ $NNODES -gt 1 ] && [ -n "$NUM_GPUS" ]; then ZERO=2; else ZERO=0; fi
case $1 in a|b) EP=4 ;; *) EP=8 ;; esac
deepspeed --num_nodes 2 --num_gpus 8 pretrain_gpt.py --deepspeed --zero-stage $ZERO --num-layers 24 \
  --hidden-size 2048 --num-attention-heads 16 --num-key-value-heads 4 --num-experts 16 32 --topk 2 \
  --expert-interval 4 --mlp-type residual --moe-expert-parallel-size $EP --ds-sequence-parallel-size 2 \
  --position-embedding-type alibi --seq-length 2048 --micro-batch-size 1 --merge-file m.txt --no-pipeline-parallel
