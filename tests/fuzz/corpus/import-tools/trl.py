
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer

DATA = "data.jsonl"  # your data set: on each line a JSON object with a "prompt" and a "completion"
MODEL = "meta-llama/Llama-3.1-70B"  # on the Hugging Face Hub, or a folder of yours


def main():
    arguments = SFTConfig(
        output_dir="output",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        max_steps=1000,
        warmup_steps=50,
        learning_rate=0.0002,
        lr_scheduler_type="cosine",
        max_grad_norm=1.0,
        optim="adamw_torch_fused",
        bf16=True,
        fp16=False,
        max_length=1024,
        packing=True,
        packing_strategy="wrapped",
        gradient_checkpointing=False,  # accelerate.yaml has FSDP's own
        logging_steps=10,
        save_steps=500,
        report_to="none",
    )
    quantization = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
        bnb_4bit_quant_storage=torch.bfloat16,
    )
    model = AutoModelForCausalLM.from_pretrained(
        MODEL,
        dtype=torch.bfloat16,
        attn_implementation="flash_attention_2",
        quantization_config=quantization,
    )
    adapters = LoraConfig(
        r=16,
        lora_alpha=32,
        lora_dropout=0.0,
        task_type="CAUSAL_LM",
        target_modules="all-linear",
    )
    trainer = SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=load_dataset("json", data_files=DATA, split="train"),
        processing_class=AutoTokenizer.from_pretrained(MODEL),
        peft_config=adapters,
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
