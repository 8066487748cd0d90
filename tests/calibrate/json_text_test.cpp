// Logs inside JSON: of notebooks, of containers, of harnesses. The lines of the log are those of
// vLLM-project issue 15394; how they are wrapped is Jupyter's nbformat 4 and moby's json-file
// driver.
#include "calibrate/json_text.hpp"

#include <doctest/doctest.h>

#include <string>

#include "calibrate/log_lines.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using calibrate::text_in_json;
using example::read_lines;

TEST_SUITE("calibrate") {
  TEST_CASE("a notebook of one line is read by the lines of its outputs") {
    const EngineLog log = read_lines(
        R"q({"cells": [{"cell_type": "code", "source": ["llm = LLM(\"facebook/opt-125m\")"], )q"
        R"q("outputs": [{"name": "stdout", "text": [)q"
        R"q("INFO 03-24 12:12:01 [llm_engine.py:241] Initializing a V0 LLM engine (v0.8.1) with )q"
        R"q(config: model='facebook/opt-125m', tensor_parallel_size=1, max_seq_len=2048, \n", )q"
        R"q("INFO 03-24 12:12:51 [model_runner.py:1110] Model loading took 0.2389 GB and 0.51 )q"
        R"q(seconds\n", "INFO 03-24 12:13:01 [executor_base.py:111] # cuda blocks: 227182, # CPU )q"
        R"q(blocks: 7281"]}]}, {"cell_type": "code", "source": [)q"
        R"q("LLM(\"other\", tensor_parallel_size=8)"], "outputs": []}], "nbformat": 4})q");
    CHECK(log.start.model == "facebook/opt-125m");
    CHECK(log.start.engine_version == "0.8.1");
    CHECK(log.start.tensor_parallel == 1);
    CHECK(log.start.weights_gib == doctest::Approx(0.2389));
    CHECK(log.start.pool_blocks == 227182);
  }

  TEST_CASE("a container's file is read with the pieces of a long line put together") {
    const std::string one = R"q({"log":"INFO engine (v0.8.1) with config: model='facebook/)q";
    const std::string two = R"q({"log":"opt-125m', max_seq_len=2048\n")q";
    const std::string end = R"q(,"stream":"stderr","time":"2025-03-24T12:13:01.5Z"})q";
    CHECK(text_in_json(one + "\"" + end + "\n" + two + end + "\n") ==
          "INFO engine (v0.8.1) with config: model='facebook/opt-125m', max_seq_len=2048\n");
    // A line of another form among them stays.
    CHECK(text_in_json(two + end + "\nnot JSON {\n" + two + end) ==
          "opt-125m', max_seq_len=2048\nnot JSON {\nopt-125m', max_seq_len=2048\n");
    // A harness has lines under the same name.
    CHECK(text_in_json(R"({"log": ["a", "b"], "boots": true})") == "a\nb\n");
  }

  TEST_CASE("what is no JSON is left alone") {
    CHECK_FALSE(text_in_json("").has_value());
    CHECK_FALSE(text_in_json("INFO 03-24 {\"a\": 1}").has_value());
    CHECK_FALSE(text_in_json("[2026-06-08 04:16:03] server_args=ServerArgs(").has_value());
    CHECK_FALSE(text_in_json("{\n \"cells\": [").has_value());
  }
}
