"""Each statement of the specification of models, and the tests that show it."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
CONTRACT = "providers/test_llm_contract.py::"
BOUNDS = "providers/test_bounds.py::"
FAULTS = "providers/test_faults.py::"
OPENAI = "providers/test_openai_compatible.py::"
CLAUDE = "providers/test_anthropic.py::"
PRICING = "providers/test_pricing.py::"
CALLABLE = "test_callable.py::"
REGISTRY = "test_registry.py::"
IMPORTS = "test_imports.py::"
SECRETS = "providers/test_key_leaks.py::"

LLM_CONTRACT = {
    "the contract is protocols and values, with no I/O": (
        f"{CONTRACT}test_the_contract_itself_does_nothing"
    ),
    "any object with the methods is a client, without inheriting": (
        f"{CONTRACT}test_a_shape_is_enough"
    ),
    "every provider's client fits the one shape": (
        f"{CONTRACT}test_every_client_fits_the_contract"
    ),
    "model is a plain text that names the model": f"{CONTRACT}test_model_is_a_plain_text",
    "messages are turns of four roles, with blocks of many kinds": (
        f"{CONTRACT}test_all_roles_and_blocks_are_sent"
    ),
    "ctx is checked before the first request": f"{BOUNDS}test_a_run_that_is_over_asks_nothing",
    "ctx is asked between chunks": f"{BOUNDS}test_a_run_is_asked_between_chunks_whether_it_goes_on",
    "a cancelled run stops promptly": f"{BOUNDS}test_a_run_cancelled_between_chunks_hangs_up",
    "ctx has a deadline": f"{BOUNDS}test_the_deadline_of_a_run_bounds_its_call",
    "swapping providers touches no code of the agent's": (
        f"{CONTRACT}test_the_same_code_runs_with_every_client"
    ),
    "every provider reads the same names of options": (
        f"{CONTRACT}test_every_client_reads_the_same_options"
    ),
    "a call without options is valid": f"{CONTRACT}test_a_call_without_options_is_valid",
    "options, responses and results are frozen": f"{CONTRACT}test_the_values_are_frozen",
    "content is text, a thought, a call, or a mix": (
        f"{CONTRACT}test_generate_gives_content_and_usage"
    ),
    "usage tells cached and reasoning tokens apart, and has a total": (
        f"{CONTRACT}test_usage_is_broken_out"
    ),
    "both ways take the same messages, options and ctx": (
        f"{CONTRACT}test_both_ways_take_the_same_arguments"
    ),
    "text and thought come in increments": f"{CONTRACT}test_the_deltas_add_up_to_the_content",
    "the completion is the last event": (
        f"{CONTRACT}test_the_deltas_come_first_and_the_completion_last"
    ),
    "the completion has what generate would have given": (
        f"{CONTRACT}test_the_completion_is_what_generate_gives"
    ),
    "count_tokens gives a number": f"{CONTRACT}test_tokens_are_counted",
    "any object with embed and embed_single is a client of vectors": (
        f"{CONTRACT}test_a_shape_is_enough_for_vectors"
    ),
    "embed turns many texts into vectors, a model and tokens, in one call": (
        f"{CONTRACT}test_many_texts_are_one_call"
    ),
    "embed_single turns one text into one vector": f"{CONTRACT}test_one_text_gives_one_vector",
}

MODELS = {
    "CallableLLM makes a port of a function": f"{CALLABLE}test_it_is_a_port",
    "the function gets system, user, model and the settings": (
        f"{CALLABLE}test_a_function_gets_the_words_and_the_settings"
    ),
    "what it returns is read for content and usage": (
        f"{CALLABLE}test_usage_is_read_by_every_name_from_dicts_and_objects"
    ),
    "a plain function runs off the loop": f"{CALLABLE}test_a_plain_function_runs_off_the_loop",
    "a coroutine is awaited": f"{CALLABLE}test_an_awaitable_is_awaited_whatever_gives_it",
    "chat_fn= is for providers that take tools": (
        f"{CALLABLE}test_a_chat_function_gets_the_request_and_a_hint_that_is_there"
    ),
    "without it chat() flattens the transcript": f"{CALLABLE}test_a_transcript_is_flattened",
    "tool calls are normalised": f"{CALLABLE}test_tool_calls_are_read_in_every_shape",
    "to_result= overrides the mapping": (f"{CALLABLE}test_to_result_maps_what_is_not_understood"),
    "cost_fn= overrides the pricing": f"{CALLABLE}test_a_cost_function_prices_the_call",
    "one client for all that speak chat completions, by base_url": (
        f"{OPENAI}test_a_request_goes_to_the_path_below_the_base_with_key_and_headers"
    ),
    "openai(), deepseek() and openrouter() are presets": (
        f"{OPENAI}test_the_presets_know_their_providers"
    ),
    "AnthropicLLM speaks the messages API": f"{CLAUDE}test_generate_gives_the_whole_response",
    "system is top-level there": (
        "codecs/test_messages_encode.py::test_all_system_text_stands_before_the_messages"
    ),
    "claude() is a preset": f"{CLAUDE}test_the_preset_knows_its_provider_and_model",
    "a call is one request, and nothing is retried": (
        f"{FAULTS}test_a_status_is_one_request_and_one_error"
    ),
    "rate limits, 5xx and the network are transient, 4xx permanent, credentials an auth error": (
        f"{FAULTS}test_a_status_is_one_request_and_one_error"
    ),
    "the network is transient": f"{FAULTS}test_a_refused_connection_is_transient",
    "an error inside a 200 is raised": f"{FAULTS}test_an_error_frame_in_a_success_is_an_error",
    "raise_if_error_frame raises it": (
        "codecs/test_provider_errors.py::test_a_frame_that_is_an_error_is_raised"
    ),
    "a cut answer is never presented as a whole one": (
        f"{FAULTS}test_a_stream_that_is_cut_is_an_error_with_what_had_come"
    ),
    "a truthy cache_hint becomes cache_control": f"{CLAUDE}test_the_port_hands_down_the_cache_hint",
    "usage is fresh input, cache reads and cache writes": (
        "codecs/test_messages_usage.py::test_the_input_holds_what_was_read_and_written"
    ),
    "cost() bills each at its rate": f"{PRICING}test_each_kind_of_cache_write_has_its_price",
    "an unknown model costs 0.0": f"{PRICING}test_an_unknown_model_has_no_known_cost",
    "pricing= of a client replaces the table": (
        f"{OPENAI}test_the_served_model_is_priced_where_the_provider_states_no_cost"
    ),
}

THE_REGISTRY = {
    "a capability has three values, and nothing is guessed": (
        f"{REGISTRY}test_nothing_is_guessed_of_an_unregistered_model"
    ),
    "five capabilities can be declared": f"{REGISTRY}test_every_capability_can_be_asked_for",
    "get() raises for a name that is none": (
        f"{REGISTRY}test_a_typo_in_a_capability_is_no_unknown_one"
    ),
    "a dated id is its family's row": f"{REGISTRY}test_a_name_is_looked_for_in_all_its_forms",
    "register_model replaces by name": f"{REGISTRY}test_a_row_replaces_the_row_of_its_name",
    "a declared NO is fatal, required or derived": (
        f"{REGISTRY}test_a_declared_no_is_fatal_whatever_the_policy"
    ),
    "UNKNOWN warns by default": f"{REGISTRY}test_an_unknown_capability_that_is_required_is_told",
    "it can be refused or allowed": (
        f"{REGISTRY}test_an_unknown_capability_can_be_refused_or_allowed"
    ),
    "a derived requirement is quiet on UNKNOWN": (
        f"{REGISTRY}test_a_derived_requirement_is_quiet_about_the_unknown"
    ),
    "min_context_window= is asked for apart": (
        f"{REGISTRY}test_a_window_that_is_too_small_is_fatal"
    ),
    "a rule finds the provider where no row does": (
        f"{REGISTRY}test_a_rule_finds_the_provider_of_a_family"
    ),
    "a row wins over rules, and the latest rule is asked first, with every name": (
        f"{REGISTRY}test_the_latest_rule_is_asked_first_and_a_row_wins"
    ),
    "credentials come from the environment, which can be passed": (
        f"{REGISTRY}test_the_credential_comes_from_the_environment"
    ),
    "a missing extra is never absorbed by the fallback": (
        f"{REGISTRY}test_a_missing_extra_is_not_absorbed_by_the_fallback"
    ),
    "no credential raises unless fallback='fake' was passed, which warns once": (
        f"{REGISTRY}test_the_fallback_is_made_up_and_told_once"
    ),
    "a credential is in no message": (
        f"{REGISTRY}test_no_message_of_a_missing_credential_shows_another"
    ),
    "nor in an error or a representation of a client": (
        f"{SECRETS}test_no_representation_and_no_refused_connection_shows_the_key"
    ),
    "an empty credential is absent": f"{REGISTRY}test_an_empty_credential_is_none",
    "the functions of the module act on one shared registry": (
        f"{REGISTRY}test_the_functions_act_on_the_shared_registry"
    ),
    "a provider's factory is a path, so that a row costs no import": (
        f"{IMPORTS}test_importing_what_needs_no_http_loads_no_httpx"
    ),
    "providers without the extra is an ImportError that names it": (
        f"{IMPORTS}test_naming_a_client_without_httpx_names_the_extra"
    ),
}

CHAT = "codecs/test_chat_stream.py::"
BODY = "codecs/test_chat_body.py::"
CALLS = "codecs/test_chat_tool_calls.py::"
SSE = "codecs/test_sse.py::"
LAWS = "codecs/test_laws.py::"

BAD_INPUT = {
    "any chunking of the bytes": (f"{LAWS}test_any_text_comes_through_in_any_framing_and_any_cuts"),
    "CR, LF, CRLF, comments and U+2028": f"{SSE}test_a_stream_cut_anywhere_gives_the_same_events",
    "a byte order mark": f"{SSE}test_a_byte_order_mark_is_read_over_only_at_the_start",
    "split surrogate pairs": f"{LAWS}test_a_character_that_was_cut_in_two_is_told_as_one",
    "split UTF-8 sequences": f"{SSE}test_a_stream_byte_by_byte_gives_the_same_events",
    "blank lines before the body": (
        f"{BODY}test_blank_lines_and_a_byte_order_mark_before_the_body_are_read_over"
    ),
    "JSON under the wrong content type": f"{FAULTS}test_what_the_content_is_said_to_be_is_ignored",
    "HTML instead of JSON": (f"{FAULTS}test_html_in_a_success_is_an_error"),
    "a 200 that is an error": f"{BODY}test_a_success_that_is_an_error_is_raised",
    "an error after output": f"{FAULTS}test_an_error_frame_in_a_success_is_an_error",
    "a cut stream": f"{FAULTS}test_a_stream_that_is_cut_is_an_error_with_what_had_come",
    "an endless stream": (f"{BOUNDS}test_a_stream_without_end_is_bounded_by_the_total_timeout"),
    "silence": f"{BOUNDS}test_silence_is_bounded_by_the_idle_timeout",
    "a line of 100 MB": f"{BOUNDS}test_a_line_of_100_mb_takes_the_memory_of_its_bound",
    "one tool index for two calls": f"{CALLS}test_one_index_with_two_ids_is_two_calls",
    "no tool index": f"{CALLS}test_without_an_index_an_id_opens_a_call_and_continues_its_own",
    "ambiguous fragments": f"{CALLS}test_a_fragment_that_may_belong_to_several_calls_is_an_error",
    "arguments that cannot be parsed": (
        f"{CALLS}test_arguments_that_are_no_object_are_kept_as_they_came"
    ),
    "empty choices": f"{CHAT}test_a_chunk_without_choices_or_delta_is_read_over",
    "repeated finish reasons": f"{CHAT}test_what_comes_after_a_finish_reason_still_counts",
    "running totals of usage": f"{CHAT}test_the_last_usage_counts_and_is_not_summed",
}

STATEMENTS = {**LLM_CONTRACT, **MODELS, **THE_REGISTRY, **BAD_INPUT}


@pytest.mark.parametrize("test", STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_has_a_test(test: str) -> None:
    file, _, name = test.partition("::")

    assert f"\ndef {name}(" in (HERE / file).read_text("utf-8")
