
from unsloth import FastLanguageModel  # first: it changes the others

import torch
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

DATA = "data.jsonl"  # your data set: on each line a JSON object with a "prompt" and a "completion"
MODEL = "meta-llama/Llama-3.1-8B"  # on the Hugging Face Hub, or a folder of yours


def main():
    model, tokenizer = FastLanguageModel.from_pretrained(
        model_name=MODEL,
        max_seq_length=2048,
        dtype=torch.bfloat16,
        load_in_4bit=True,
        full_finetuning=False,
        use_gradient_checkpointing=False,
    )
    model = FastLanguageModel.get_peft_model(
        model,
        r=16,
        lora_alpha=32,
        lora_dropout=0.0,
        bias="none",
        target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
        use_gradient_checkpointing=False,
    )
    arguments = SFTConfig(
        output_dir="output",
        per_device_train_batch_size=1,
        gradient_accumulation_steps=16,
        max_steps=1000,
        warmup_steps=50,
        learning_rate=0.0002,
        lr_scheduler_type="cosine",
        max_grad_norm=1.0,
        optim="adamw_torch_fused",
        bf16=True,
        fp16=False,
        max_length=2048,
        packing=True,
        packing_strategy="wrapped",
        logging_steps=10,
        save_steps=500,
        report_to="none",
    )
    trainer = SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=load_dataset("json", data_files=DATA, split="train"),
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
