"""Credentials stay out of what a model is told, whatever is around them."""

import pytest

from agentkit.agents.cognition._secrets import without_secrets

KB = 1024


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://jo:pw@db.example/", "https://[secret]@db.example/"),
        ("Authorization: Bearer abcdefgh12", "Authorization: Bearer [secret]"),
        ("password=hunter2, user=jo", "password=[secret], user=jo"),
        ("DB_PASSWORD_2 : hunter2", "DB_PASSWORD_2 : [secret]"),
        ('{"api-key": "a b c", "n": 1}', '{"api-key": [secret], "n": 1}'),
        ("x=token=abc&y=1", "x=token=[secret]&y=1"),
        ("my-access-token='a b'", "my-access-token=[secret]"),
        ("sk-abcdefghijklmn", "[secret]"),
        ("the token is missing", "the token is missing"),
    ],
)
def test_a_credential_is_hidden_and_nothing_else(text: str, told: str) -> None:
    assert without_secrets(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "token-" * 30 * KB,
        "a" * 200 * KB,
        "token" + " " * 200 * KB,
        "token " * 30 * KB,
        "://" * 60 * KB,
        "bearer " * 28 * KB,
        "\"'" * 100 * KB,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_no_text_is_read_more_than_a_few_times(text: str) -> None:
    # Read once for each of its characters, 200 KB would take hours.
    assert without_secrets(text) == text
