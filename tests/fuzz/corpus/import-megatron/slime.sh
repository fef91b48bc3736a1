FIRST_K_DENSE_REPLACE=1
source "${DIR}/models/qwen3-32B.sh"
ray job submit -- python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --colocate \
  --hf-checkpoint /root/Qwen3-32B --rollout-batch-size 32 --n-samples-per-prompt 8 \
  --num-steps-per-rollout 2 --rollout-max-response-len 8192 --advantage-estimator ppo \
  --tensor-model-parallel-size 8 --num-layers 27 --moe-layer-freq $LIST
