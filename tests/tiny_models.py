"""Tiny random checkpoints with the real architectures, as published ones lie on disk."""

import numpy as np
from PIL import Image

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONGEST = {"clip": 77, "siglip": 64}


def save_checkpoint(folder, family):
    """A random two-layer model with a tokenizer of letters, as a published one lies on disk."""
    import torch
    import transformers as tf
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    torch.set_num_threads(1)
    torch.manual_seed(3)
    tokens = ["<s>", "</s>", "<pad>", *LETTERS]
    vocab = {token: i for i, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", bos_token="<s>"
    ).save_pretrained(folder)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2}
    size["num_attention_heads"] = 2
    text = {**size, "vocab_size": 29, "max_position_embeddings": LONGEST[family]}
    text |= {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
    vision = {**size, "image_size": 32, "patch_size": 16}
    if family == "clip":
        config = tf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=8)
        model = tf.CLIPModel(config)
        processor = tf.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size=32)
    else:
        config = tf.SiglipConfig(text_config=text, vision_config=vision)
        model = tf.SiglipModel(config)
        processor = tf.SiglipImageProcessorPil(size={"height": 32, "width": 32})
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def noise(size=(40, 56), seed=0):
    pixels = np.random.default_rng(seed).integers(0, 256, (*size, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def plain_cosines(folder, image, text):
    """The model's own forward pass on one picture and one text, written out by hand."""
    import torch
    import transformers as tf

    model = tf.AutoModel.from_pretrained(folder).eval()
    family = model.config.model_type
    ids = [0, *(3 + LETTERS.index(letter) for letter in text)][: LONGEST[family] - 1] + [1]
    if family == "siglip":
        ids += [2] * (64 - len(ids))
    width, height = image.size
    if family == "clip":
        short = min(width, height)
        image = image.resize(
            (int(width * 32 / short), int(height * 32 / short)), Image.Resampling.BICUBIC
        )
        left, top = (image.width - 32) // 2, (image.height - 32) // 2
        image = image.crop((left, top, left + 32, top + 32))
        mean = np.array([0.48145466, 0.4578275, 0.40821073])
        spread = np.array([0.26862954, 0.26130258, 0.27577711])
    else:
        image = image.resize((32, 32), Image.Resampling.BICUBIC)
        mean = spread = np.array([0.5, 0.5, 0.5])
    pixels = ((np.asarray(image) / 255 - mean) / spread).transpose(2, 0, 1)[None]
    with torch.no_grad():
        output = model(
            input_ids=torch.tensor([ids]), pixel_values=torch.tensor(pixels, dtype=torch.float32)
        )
    a, b = output.image_embeds[0].numpy(), output.text_embeds[0].numpy()
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def save_llava(folder, *, template=True):
    """A random LLaVA (CLIP vision, Llama text) with a tokenizer of letters and the digits."""
    import torch
    import transformers as tf
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    torch.set_num_threads(1)
    torch.manual_seed(5)
    tokens = ["<s>", "</s>", "<pad>", "<image>", "Yes", "No", " ", ":", ",", *LETTERS]
    tokens += [*LETTERS.upper(), *"0123456789"]
    vocab = {token: i for i, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab, merges=[], unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens(["<s>", "</s>", "<pad>", "<image>"])
    tokenizer.add_tokens(["Yes", "No"])
    fast = tf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", bos_token="<s>"
    )
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2}
    size["num_attention_heads"] = 2
    config = tf.LlavaConfig(
        vision_config=tf.CLIPVisionConfig(**size, image_size=32, patch_size=16),
        text_config=tf.LlamaConfig(
            **size,
            num_key_value_heads=2,
            vocab_size=len(tokens),
            max_position_embeddings=512,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=2,
        ),
        image_token_id=3,
        image_seq_length=4,
        vision_feature_layer=-2,
    )
    model = tf.LlavaForConditionalGeneration(config)
    with torch.no_grad():  # a head of larger weights: no answer is as probable as another
        model.get_output_embeddings().weight.mul_(40)
    model.save_pretrained(folder)
    written = (
        "<s>{% for message in messages %}{{ message['role'] }}: "
        "{% for part in message['content'] %}"
        "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}"
        "{% endfor %}{% endfor %}{% if add_generation_prompt %}A:{% endif %}"
    )
    tf.LlavaProcessor(
        image_processor=tf.CLIPImageProcessorPil(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
        ),
        tokenizer=fast,
        patch_size=16,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=written if template else None,
    ).save_pretrained(folder)
    return folder
