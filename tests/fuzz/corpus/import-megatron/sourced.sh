#!/bin/bash
(( TP = 1 << 3 ))
COMMON="--num-layers 32 --hidden-size 4096"
MODEL=(--num-attention-heads 32 ${COMMON} --seq-length "$1")
X=$(ssh a "test \"$(b)\"")
