#!/bin/bash
#SBATCH -N 2 --gres=gpu:h100:8
TP=${TP:-4}; PP=$((16 / TP))
if [ "$A" = 1 ]; then B=(--bf16); else B=(); fi
export CUDA_DEVICE_MAX_CONNECTIONS=1
OPT="--num-layers 8 --hidden-size 64 \
 --num-attention-heads 4 --group-query-attention --num-query-groups 2"
cat <<EOF
$(x)
EOF
CMD="torchrun p.py $OPT --micro-batch-size 1 --global-batch-size=64 --seq-length 128 ${B[@]} --tensor-model-parallel-size $TP"
srun bash -c "${CMD} --pipeline-model-parallel-size $PP --recompute-granularity full --recompute-method block --recompute-num-layers 1" > log 2>&1 &
