// The functions that read the configs of single families, each in a file of its own beside this
// one; families.cpp says which family is read by which.
#pragma once

namespace gpushape::catalog {

class ConfigParts;

// mixtures.cpp
void read_mixtral(ConfigParts& parts);
void read_qwen2_moe(ConfigParts& parts);
void read_qwen3_moe(ConfigParts& parts);
void read_qwen3_vl_moe(ConfigParts& parts);
void read_granite_moe(ConfigParts& parts);
void read_phi_moe(ConfigParts& parts);
void read_cohere2_moe(ConfigParts& parts);
void read_gpt_oss(ConfigParts& parts);
void read_ernie_moe(ConfigParts& parts);
void read_hunyuan_moe(ConfigParts& parts);
void read_olmoe(ConfigParts& parts);
void read_glm4_moe(ConfigParts& parts);
void read_arctic(ConfigParts& parts);
void read_grok(ConfigParts& parts);
void read_deepseek_moe(ConfigParts& parts);
void read_dots1(ConfigParts& parts);
void read_bailing_moe(ConfigParts& parts);
void read_exaone_moe(ConfigParts& parts);
void read_hy_v3(ConfigParts& parts);
void read_pangu_pro(ConfigParts& parts);
void read_privacy_filter(ConfigParts& parts);
void read_jetmoe(ConfigParts& parts);
// bailing.cpp
void read_bailing_hybrid(ConfigParts& parts);
void read_param2_moe(ConfigParts& parts);
// deepseek.cpp
void read_deepseek(ConfigParts& parts);
void read_axk1(ConfigParts& parts);
void read_sarvam_latent(ConfigParts& parts);
void read_pangu_ultra(ConfigParts& parts);
void read_glm_latent(ConfigParts& parts);
void read_minicpm3(ConfigParts& parts);
// deepseek_v4.cpp
void read_deepseek_v4(ConfigParts& parts);
// deepseek_v41.cpp
void read_deepseek_v41(ConfigParts& parts);
// longcat.cpp
void read_longcat(ConfigParts& parts);
void read_longcat_ngram(ConfigParts& parts);
// afmoe.cpp
void read_afmoe(ConfigParts& parts);
// ernie_vision.cpp
void read_ernie_vl(ConfigParts& parts);
// molmo2.cpp
void read_molmo2(ConfigParts& parts);
// qwen_hybrid.cpp
void read_qwen_hybrid(ConfigParts& parts);
void read_olmo_hybrid(ConfigParts& parts);
// glm_next.cpp
void read_glm_next(ConfigParts& parts);
// qwen4.cpp
void read_qwen4(ConfigParts& parts);
// kimi_linear.cpp
void read_kimi_linear(ConfigParts& parts);
// dense.cpp
void read_with_further(ConfigParts& parts);
void read_glm_ocr(ConfigParts& parts);
void read_minicpm(ConfigParts& parts);
void read_qwen1(ConfigParts& parts);
void read_chatglm(ConfigParts& parts);
void read_molmo(ConfigParts& parts);
void read_olmo(ConfigParts& parts);
void read_stablelm(ConfigParts& parts);
void read_apertus(ConfigParts& parts);
void read_step1(ConfigParts& parts);
// gpt.cpp
void read_gpt2(ConfigParts& parts);
void read_openai_gpt(ConfigParts& parts);
void read_gpt_neo(ConfigParts& parts);
void read_falcon(ConfigParts& parts);
void read_phi(ConfigParts& parts);
void read_bloom(ConfigParts& parts);
void read_xglm(ConfigParts& parts);
void read_opt(ConfigParts& parts);
void read_mpt(ConfigParts& parts);
void read_dbrx(ConfigParts& parts);
// state_space.cpp
void read_mamba(ConfigParts& parts);
void read_mamba2(ConfigParts& parts);
void read_jamba(ConfigParts& parts);
void read_bamba(ConfigParts& parts);
void read_granite_hybrid(ConfigParts& parts);
void read_falcon_h1(ConfigParts& parts);
// zamba.cpp
void read_zamba2(ConfigParts& parts);
void read_zamba(ConfigParts& parts);
// plamo.cpp
void read_plamo2(ConfigParts& parts);
// samba.cpp
void read_phi4flash(ConfigParts& parts);
// griffin.cpp
void read_recurrent_gemma(ConfigParts& parts);
// nemotron.cpp
void read_nemotron_h(ConfigParts& parts);
void read_nemotron_h_puzzle(ConfigParts& parts);
void read_nemotron_nas(ConfigParts& parts);
// minimax.cpp
void read_minimax(ConfigParts& parts);
void read_minimax_m2(ConfigParts& parts);
void read_minimax_m3(ConfigParts& parts);
// window_mixtures.cpp
void read_llama4(ConfigParts& parts);
void read_laguna(ConfigParts& parts);
void read_step3(ConfigParts& parts);
void read_step3p7(ConfigParts& parts);
void read_mimo_v2(ConfigParts& parts);
// rwkv.cpp
void read_rwkv5(ConfigParts& parts);
// lfm2.cpp
void read_lfm2(ConfigParts& parts);
// gemma.cpp
void read_gemma3n(ConfigParts& parts);
void read_gemma4(ConfigParts& parts);
void read_diffusion_gemma(ConfigParts& parts);
// encoders.cpp
void read_bert(ConfigParts& parts);
void read_ernie(ConfigParts& parts);
void read_xlm_roberta(ConfigParts& parts);
void read_distilbert(ConfigParts& parts);
void read_mpnet(ConfigParts& parts);
// rotary_encoders.cpp
void read_nomic_bert(ConfigParts& parts);
void read_gte(ConfigParts& parts);
void read_eurobert(ConfigParts& parts);
void read_modern_bert(ConfigParts& parts);
// bert_kin.cpp
void read_roberta_prelayernorm(ConfigParts& parts);
void read_rembert(ConfigParts& parts);
void read_xmod(ConfigParts& parts);
void read_big_bird(ConfigParts& parts);
void read_longformer(ConfigParts& parts);
void read_luke(ConfigParts& parts);
void read_dpr(ConfigParts& parts);
void read_fnet(ConfigParts& parts);
void read_esm(ConfigParts& parts);
void read_jina_v3(ConfigParts& parts);
// page_encoders.cpp
void read_layoutlm(ConfigParts& parts);
void read_layoutlmv3(ConfigParts& parts);
void read_lilt(ConfigParts& parts);
// grouped_encoders.cpp
void read_convbert(ConfigParts& parts);
void read_squeezebert(ConfigParts& parts);
// deberta.cpp
void read_deberta_v1(ConfigParts& parts);
void read_deberta(ConfigParts& parts);
// electra.cpp
void read_electra(ConfigParts& parts);
// encoders.cpp
void read_clip(ConfigParts& parts);
// whisper.cpp
void read_whisper(ConfigParts& parts);
// siglip.cpp
void read_siglip(ConfigParts& parts);
// canine.cpp
void read_canine(ConfigParts& parts);
// t5.cpp
void read_t5(ConfigParts& parts);
// prophetnet.cpp
void read_prophetnet(ConfigParts& parts);
// speech_to_text.cpp
void read_speech_to_text(ConfigParts& parts);
// bart.cpp
void read_bart(ConfigParts& parts);
// t5gemma.cpp
void read_t5gemma(ConfigParts& parts);
// bitnet.cpp
void read_bitnet(ConfigParts& parts);
// reformer.cpp
void read_reformer(ConfigParts& parts);
// sound_encoders.cpp
void read_wav2vec2(ConfigParts& parts);
// moonshine.cpp
void read_moonshine(ConfigParts& parts);
// wav2vec2_bert.cpp
void read_wav2vec2_bert(ConfigParts& parts);
// aria.cpp
void read_aria(ConfigParts& parts);
// picture_codes.cpp
void read_chameleon(ConfigParts& parts);
// interns1_pro.cpp
void read_interns1_pro(ConfigParts& parts);
// fuyu.cpp
void read_persimmon(ConfigParts& parts);
// moondream.cpp
void read_moondream3(ConfigParts& parts);
// voxtral.cpp
void read_voxtral_realtime(ConfigParts& parts);
// donut.cpp
void read_donut(ConfigParts& parts);
// nemotron_parse.cpp
void read_nemotron_parse(ConfigParts& parts);
// cohere_asr.cpp
void read_cohere_asr(ConfigParts& parts);
// mllama.cpp
void read_mllama(ConfigParts& parts);
// more_dense.cpp
void read_jais(ConfigParts& parts);
void read_telechat(ConfigParts& parts);
void read_hyperclovax(ConfigParts& parts);
void read_plamo3(ConfigParts& parts);
void read_motif(ConfigParts& parts);
void read_cwm(ConfigParts& parts);
void read_doge(ConfigParts& parts);
void read_diffllama(ConfigParts& parts);
// retrieval.cpp
void read_bidirectional(ConfigParts& parts);
void read_qwen3(ConfigParts& parts);
void read_jina_v5(ConfigParts& parts);
// looped.cpp
void read_ouro(ConfigParts& parts);
void read_iquest_loop(ConfigParts& parts);
void read_hrm_text(ConfigParts& parts);

}  // namespace gpushape::catalog
