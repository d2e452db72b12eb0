"""The package of a third party brings its own tests, which `nox -s third_party` runs."""

collect_ignore = ["third_party_store"]
