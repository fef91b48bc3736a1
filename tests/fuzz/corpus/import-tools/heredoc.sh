read -r -d '' c <<EOF
openrlhf.cli.train_sft \
 --data.max_len 2048 \
 --ds.zero_stage 3
EOF
deepspeed --module $c
