"""Errors from a status and a body: the class, the facts, and how long to wait."""

import json
from typing import Any

import pytest

from agentkit.core.contracts.errors import ErrorClass, ProviderAuthError, ProviderError
from agentkit.models.codecs import error_from_response, raise_if_error_frame

NOW = 1_700_000_000.0


def error(status: int, body: Any = b"", **headers: str) -> ProviderError:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return error_from_response(status, data, headers=named, provider="them", now=NOW)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_transient(status: int) -> None:
    assert error(status).error_class is ErrorClass.TRANSIENT
    assert f"provider transient error (status {status}; rate limit" in str(error(status))


@pytest.mark.parametrize("status", [302, 400, 404, 413, 422])
def test_what_will_not_pass_is_permanent(status: int) -> None:
    assert error(status).error_class is ErrorClass.PERMANENT
    assert f"provider invalid request (status {status}" in str(error(status))


@pytest.mark.parametrize("status", [401, 403])
def test_a_credential_that_is_not_accepted_is_an_error_of_its_own(status: int) -> None:
    assert isinstance(error(status), ProviderAuthError)
    assert error(status).error_class is ErrorClass.PERMANENT


@pytest.mark.parametrize(
    "code",
    ["billing_not_active", "insufficient_quota", "invalid_api_key", "account_deactivated"],
)
def test_an_account_that_cannot_pay_is_no_rate_limit(code: str) -> None:
    assert isinstance(error(429, {"error": {"type": code}}), ProviderAuthError)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no", "type": "t", "code": 7}},
        {"message": "no", "type": "t", "code": "7"},
        {"object": "error", "message": "no", "type": "t", "code": "7"},
        {"type": "error", "error": {"type": "t", "message": "no", "code": "7"}},
        [{"error": {"message": "no", "status": "t", "code": 7}}],
    ],
    ids=["OpenAI", "bare", "Mistral", "Anthropic", "Google"],
)
def test_every_envelope_is_read(body: Any) -> None:
    found = error(400, body)

    assert (found.error_type, found.code, found.status) == ("t", "7", 400)
    assert str(found) == "provider invalid request (status 400): no"


@pytest.mark.parametrize(
    "body",
    [
        {"error": "no"},
        {"detail": "no"},
        {"detail": [{"msg": "no"}]},
        {"errors": [{"message": "no"}]},
    ],
    ids=str,
)
def test_a_message_is_found_where_there_is_little_else(body: Any) -> None:
    assert str(error(400, body)).endswith(": no")


def test_a_body_that_is_no_json_is_the_message() -> None:
    assert str(error(503, b"<html>gone</html>")).endswith(": <html>gone</html>")


def test_a_long_body_is_read_before_it_is_cut() -> None:
    found = error(400, {"error": {"message": "x" * 9000, "type": "t"}})

    assert (found.error_type, len(str(found))) == (
        "t",
        4000 + len(str(error(400, {"detail": "-"}))) - 1,
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "2.5"}, 2.5),
        ({"retry_after": "1", "retry_after_ms": "0"}, 1.0),
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        (
            {
                "retry_after": "Fri, 01 Jan 2021 00:00:09 GMT",
                "date": "Fri, 01 Jan 2021 00:00:00 GMT",
            },
            9.0,
        ),
        ({"retry_after": "Fri, 01 Jan 2021 00:00:00 GMT"}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "-1"}, None),
    ],
)
def test_headers_say_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert error(429, **headers).retry_after == seconds


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        (
            {
                "details": [
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12s"}
                ]
            },
            12.0,
        ),
        ({"metadata": {"headers": {"X-RateLimit-Reset": str(int(NOW * 1000) + 5000)}}}, 5.0),
        ({"metadata": {"headers": {"X-RateLimit-Reset": "1000"}}}, None),
        ({"details": "none", "metadata": []}, None),
    ],
    ids=["Google", "OpenRouter", "in the past", "neither"],
)
def test_bodies_say_how_long_to_wait(body: dict[str, Any], seconds: float | None) -> None:
    assert error(429, {"error": body}).retry_after == seconds


def test_the_request_id_is_kept() -> None:
    assert error(500, x_request_id="req_1").request_id == "req_1"
    assert error(500, {"request_id": "req_2", "error": {}}).request_id == "req_2"


def test_a_frame_that_is_an_error_is_raised() -> None:
    with pytest.raises(ProviderError, match=r"\[overloaded_error\]: busy") as caught:
        raise_if_error_frame(
            {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
        )

    assert caught.value.error_class is ErrorClass.TRANSIENT


@pytest.mark.parametrize(
    "frame", [{"choices": []}, {"choices": [], "error": None}, {"type": "ping"}]
)
def test_a_frame_that_is_none_passes(frame: dict[str, Any]) -> None:
    raise_if_error_frame(frame)


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("https://x/v2/chat", "redirected to https://x/v2/chat; set base_url"),
        ("https://me:pw@x:8/v2?key=k#k", "redirected to https://x:8/v2; set base_url"),
        ("/elsewhere?key=k", "redirected to /elsewhere; set base_url"),
        ("//me:pw@x/v2", "redirected to //x/v2; set base_url"),
        ("", "redirected to somewhere else; set base_url"),
        ("http://[x", "redirected to somewhere else; set base_url"),
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_says_where_to_and_what_to_do(status: int, location: str, told: str) -> None:
    error = error_from_response(status, b"<html>moved</html>", headers={"location": location})

    assert str(error) == f"provider invalid request (status {status}): {told}"
    assert error.error_class is ErrorClass.PERMANENT


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, "Unauthorized (no body)"),
        (404, "Not Found (no body)"),
        (503, "Service Unavailable (no body)"),
        (599, "no body"),
        (304, "Not Modified (no body)"),
    ],
)
@pytest.mark.parametrize("body", [b"", b" \r\n", b"null", b"{}", b"[]", b'""'])
def test_a_status_without_a_word_is_told_by_its_name(status: int, body: bytes, told: str) -> None:
    assert str(error_from_response(status, body, headers={})).endswith(f": {told}")
