"""What the tests of the plugin share."""

import pytest

from .boxes import SUITE


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(suite=SUITE)
    pytester.makepyprojecttoml(
        '[tool.pytest]\nfilterwarnings = ["error"]\naddopts = ["--import-mode=importlib"]\n'
        'pythonpath = ["."]\n'
    )
    return pytester
