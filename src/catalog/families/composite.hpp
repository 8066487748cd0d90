// Configs that nest a decoder and put towers beside it: the readers of vision-language and sound
// families, one function for each way of building them.
#pragma once

namespace gpushape::catalog {

class ConfigParts;
class Fields;
struct Family;

// qwen_vision.cpp
void add_qwen2_vision(ConfigParts& parts);
void add_qwen3_vision(ConfigParts& parts);
void add_dots_vision(ConfigParts& parts);
void add_glm_vision(ConfigParts& parts);
// image_towers.cpp
void add_siglip_gemma3(ConfigParts& parts);
void add_gemma4_vision(ConfigParts& parts);
void add_gemma3n_towers(ConfigParts& parts);
void add_pixtral(ConfigParts& parts);
void add_llava(ConfigParts& parts);
void add_llava_next(ConfigParts& parts);
void add_llava_onevision(ConfigParts& parts);
void add_idefics3(ConfigParts& parts);
void add_intern_vision(ConfigParts& parts);
void add_llama4_vision(ConfigParts& parts);
void add_minicpm_vision(ConfigParts& parts);
const Family* minicpmv_decoder(const Fields& root);
void add_phi3_vision(ConfigParts& parts);
void add_step3_vision(ConfigParts& parts);
void add_glm_next_vision(ConfigParts& parts);
void add_glm_ocr_vision(ConfigParts& parts);
void add_qwen4_vision(ConfigParts& parts);
void add_moon_vision(ConfigParts& parts);
void add_muse_vision(ConfigParts& parts);
void add_minimax_vision(ConfigParts& parts);
// deepseek_v41.cpp
void add_deepseek_v41_vision(ConfigParts& parts);
// siglip_towers.cpp
void add_aya_vision(ConfigParts& parts);
void add_cohere2_vision(ConfigParts& parts);
void add_paligemma(ConfigParts& parts);
void add_lfm2_vision(ConfigParts& parts);
void add_video_llama3(ConfigParts& parts);
// counted_towers.cpp
void add_perception_encoder(ConfigParts& parts);
void add_phi4_towers(ConfigParts& parts);
// deepseek_vision.cpp
void add_deepseek_vision(ConfigParts& parts);
// minicpm_vision.cpp
void add_minicpm46_vision(ConfigParts& parts);
// molmo2.cpp
void add_molmo2_vision(ConfigParts& parts);
// hunyuan_vision.cpp
void add_hunyuan_vision(ConfigParts& parts);
// ernie_vision.cpp
void add_ernie_vision(ConfigParts& parts);
// nemotron_vision.cpp
void add_radio_vision(ConfigParts& parts);
void add_nemotron_vision(ConfigParts& parts);
// paddle_vision.cpp
void add_paddle_vision(ConfigParts& parts);
// ovis.cpp
void add_ovis_vision(ConfigParts& parts);
// ovis_tokenizer.cpp
void add_ovis_tokenizer(ConfigParts& parts);
void add_ovis2_tokenizer(ConfigParts& parts);
// anyres_towers.cpp
void add_r_vision(ConfigParts& parts);
void add_bee_vision(ConfigParts& parts);
// intern_kin.cpp
void add_nvlm_vision(ConfigParts& parts);
void add_h2ovl_vision(ConfigParts& parts);
void add_eagle_vision(ConfigParts& parts);
// keye.cpp
void add_keye_vision(ConfigParts& parts);
// isaac.cpp
void add_isaac_vision(ConfigParts& parts);
// kanana_vision.cpp
const Family* kanana_decoder(const Fields& root);
void add_kanana_vision(ConfigParts& parts);
// aria.cpp
void add_aria_vision(ConfigParts& parts);
// blip2.cpp
void add_blip2_vision(ConfigParts& parts);
// picture_codes.cpp
void add_chameleon_codes(ConfigParts& parts);
void add_emu3_codes(ConfigParts& parts);
void add_janus(ConfigParts& parts);
void add_multi_modality(ConfigParts& parts);
// interns1_pro.cpp
void add_interns1_pro_vision(ConfigParts& parts);
// fuyu.cpp
void add_fuyu_patches(ConfigParts& parts);
// voxtral.cpp
void add_voxtral(ConfigParts& parts);
void add_voxtral_realtime(ConfigParts& parts);
// granite_speech.cpp
void add_granite_speech(ConfigParts& parts);
// ultravox.cpp
void add_ultravox(ConfigParts& parts);
// glm_asr.cpp
void add_glm_asr(ConfigParts& parts);
// granite_vision.cpp
void add_granite_vision(ConfigParts& parts);
// openvla.cpp
void add_openvla(ConfigParts& parts);
// nemotron_parse.cpp
void add_radio_neck(ConfigParts& parts);
// kimi_audio.cpp
void add_kimi_audio(ConfigParts& parts);
// midasheng.cpp
void add_midasheng(ConfigParts& parts);
// donut.cpp
const Family* donut_decoder(const Fields& root);
void add_donut_swin(ConfigParts& parts);
// mimo_omni.cpp
void add_mimo_omni(ConfigParts& parts);
// bagel.cpp
const Family* bagel_decoder(const Fields& root);
void add_bagel_vision(ConfigParts& parts);
// moss_audio.cpp
void add_moss_audio(ConfigParts& parts);
// asr_encoders.cpp
void add_fun_asr(ConfigParts& parts);
void add_fire_red(ConfigParts& parts);
// late_interaction.cpp
void add_colpali(ConfigParts& parts);
void add_colqwen3(ConfigParts& parts);
void add_colqwen35(ConfigParts& parts);
void add_colmodernvbert(ConfigParts& parts);
// t5gemma.cpp
void add_t5gemma_encoder(ConfigParts& parts);
// florence.cpp
void add_davit(ConfigParts& parts);
// eagle.cpp
void add_eagle(ConfigParts& parts);
void add_eagle3(ConfigParts& parts);
// dflash.cpp
void add_dflash(ConfigParts& parts);
// audio_towers.cpp
void add_qwen2_audio(ConfigParts& parts);
void add_audio_flamingo(ConfigParts& parts);
void add_qwen_omni(ConfigParts& parts);
void add_minicpm_omni(ConfigParts& parts);
// gemma4_assistant.cpp
void add_gemma4_assistant(ConfigParts& parts);
// hyperclovax_vision.cpp
void add_hcx_vision(ConfigParts& parts);

}  // namespace gpushape::catalog
