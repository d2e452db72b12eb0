"""Every check this repository has, one session for each question; `nox -l` lists them.

`nox` alone runs them all on one Python, and `tests` on every Python of 3.11 to 3.14 that it finds.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import nox
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent
sys.path.append(str(ROOT / "tools"))

from workspace import DISTRIBUTIONS, WHEELS, floor_version, to_install  # noqa: E402

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
ADAPTERS = [name for name, d in DISTRIBUTIONS.items() if d.requirements(())]
PYPROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
SHARED = ROOT.parent / "shared"
PYTEST = ("-m", "pytest", "-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}")
FUZZED = [
    "sse",
    "ndjson",
    "chat_completions",
    "anthropic_messages",
    "gemini",
    "ollama_chat",
    "embeddings",
    "errors",
]
COVERAGE_SETTINGS = f"--rcfile={ROOT / 'pyproject.toml'}"
CHECKED = [
    "tests-conformance",
    "tests-corpus",
    "tests-docs",
    "tests-fuzz",
    "typing_tests",
    "examples",
    "benchmarks",
    "tools",
    "noxfile.py",
]

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_external_run = True
nox.options.error_on_missing_interpreters = False  # a Python not found is named, and skipped
nox.options.reuse_venv = "never"  # a reused one keeps what it has: `compat` would test nothing


@nox.session(python=False)
def build(session: nox.Session) -> None:
    """Build every distribution; the sessions that test wheels install what this made."""
    for old in WHEELS.glob("agentkit_*"):
        old.unlink()
    out = ("--out-dir", str(WHEELS))
    session.run("uv", "build", "--quiet", "--all-packages", *out, external=True)


@nox.session
def lint(session: nox.Session) -> None:
    """Style, layers, and that imports are what is declared, both ways."""
    _develop(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports", "--no-logo")
    session.run("python", "tools/declared_imports.py")


@nox.session(requires=["build"])
def types(session: nox.Session) -> None:
    """Mypy and pyright strict on sources and tests; complete types as a user sees them."""
    _develop(session)
    leaves = [leaf for d in DISTRIBUTIONS.values() for leaf in d.leaves]
    session.run("mypy", *[f"--package={leaf}" for leaf in leaves])
    # One run per folder: the names of test modules repeat.
    for tested in DISTRIBUTIONS.values():
        base = {"MYPYPATH": str(tested.folder)}  # from where `from .helpers import …` is found
        session.run("mypy", "--explicit-package-bases", str(tested.tests), env=base)
    for folder in CHECKED:
        session.run("mypy", folder)
    session.run("pyright")
    session.install("--reinstall", *to_install(*[d.itself for d in DISTRIBUTIONS.values()]))
    with session.chdir(session.create_tmp()):  # so that no source is in reach
        for leaf in leaves:
            session.run("pyright", "--verifytypes", leaf, "--ignoreexternal")


@nox.session(python=PYTHONS, requires=["build"])
@nox.parametrize("distribution", [nox.param(name, id=name) for name in DISTRIBUTIONS])
def tests(session: nox.Session, distribution: str) -> None:
    """Each distribution alone, from its wheel, with only what it declares."""
    tested = DISTRIBUTIONS[distribution]
    session.install(*to_install(Requirement(tested.name)))
    session.run("python", "-I", "tools/bare_install.py", tested.name, *tested.leaves)
    session.install(*to_install(tested.itself, *tested.test_group), "coverage")
    measured = _measure(session, tested.leaves) if session.python == PYTHONS[0] else ()
    session.run("python", "-P", *measured, *PYTEST, str(tested.tests), *session.posargs)
    if measured:
        _report_coverage(session)


@nox.session(python=PYTHONS[0], requires=["build"])
@nox.parametrize("distribution", [nox.param(name, id=name) for name in ADAPTERS])
def compat(session: nox.Session, distribution: str) -> None:
    """Each distribution with the lowest core, and the lowest of all else, that it allows."""
    tested = DISTRIBUTIONS[distribution]
    requirements = tested.requirements(tested.extras)
    [core] = [r for r in requirements if r.name == "agentkit-core"]
    if floor_version(core) == DISTRIBUTIONS[core.name].version:
        session.log("the lowest core that %s allows is the current one", tested.name)
    # Its requirements are repeated because uv takes a wheel's own for transitive ones, of which
    # `lowest-direct` picks the newest.
    wanted = to_install(tested.itself, *requirements, *tested.test_group, oldest=requirements)
    session.install("--resolution=lowest-direct", *wanted)
    session.run("python", "-P", *PYTEST, str(tested.tests), *session.posargs)


@nox.session(requires=["build"])
def conformance(session: nox.Session) -> None:
    """Every shipped implementation against its contract, the repository against its conventions."""
    everything = to_install(*[d.itself for d in DISTRIBUTIONS.values()])
    session.install(*everything, "-r", "tests-conformance/requirements.txt")
    certificates = WHEELS / "conformance.json"
    report = () if session.posargs else (f"--conformance-report={certificates}",)  # all or nothing
    session.run("python", "-P", *PYTEST, "tests-conformance", *report, *session.posargs)
    if report:
        table = ("agentkit-conformance", "table", "--without-versions", str(certificates))
        session.run(*table)
        session.run(*table, "--in=docs/support-matrix.md", "--check")


@nox.session(requires=["build"])
def acceptance(session: nox.Session) -> None:
    """The specification's own samples print what they must."""
    samples = _shared(session, "acceptance")
    session.install(*to_install(*[d.itself for d in DISTRIBUTIONS.values()]))
    session.run("python", "-P", "tools/acceptance.py", str(samples))


@nox.session(requires=["build"])
def corpus(session: nox.Session) -> None:
    """Model clients read recorded answers as an independent oracle did (`-- DIR` for others)."""
    given = [arg for arg in session.posargs if Path(arg).is_dir()]
    folder = Path(given[0]) if given else _shared(session, "corpus")
    rest = [arg for arg in session.posargs if arg not in given]
    session.install(*to_install(*[d.itself for d in DISTRIBUTIONS.values()]))
    session.run("python", "-P", *PYTEST, "tests-corpus", f"--corpus={folder.resolve()}", *rest)


@nox.session(requires=["build"])
def examples(session: nox.Session) -> None:
    """Every example runs, with only what the workspace's root declares."""
    root = [Requirement(line) for line in PYPROJECT["project"]["dependencies"]]
    session.install(*to_install(*root), "pytest>=9")
    session.run("python", "-P", *PYTEST, "examples", *session.posargs)


@nox.session(requires=["build"])
def third_party(session: nox.Session) -> None:
    """A stranger's adapter, built and certified with nothing of ours but the core and the kit."""
    with tempfile.TemporaryDirectory() as folder:  # outside, so that no settings are in reach
        stranger = Path(folder, "third_party_store")
        shutil.copytree(ROOT / "examples" / "third_party_store", stranger)
        out = ("--wheel", "--out-dir", str(stranger / "dist"))
        session.run("uv", "build", "--quiet", *out, str(stranger), external=True)
        [wheel] = stranger.glob("dist/*.whl")
        needed = [Requirement("agentkit-core"), Requirement("agentkit-testing")]
        session.install(str(wheel), *to_install(*needed), "pytest>=9")
        with session.chdir(stranger):
            shutil.rmtree("src")  # what is tested is the wheel
            session.run("python", "-P", "-m", "pytest", "--conformance-report=certificate.json")
            session.run("agentkit-conformance", "table", "certificate.json")


@nox.session(default=False)
def endurance(session: nox.Session) -> None:
    """Two processes on one file for 20 seconds, for each durable adapter."""
    _develop(session)
    session.env["AGENTKIT_TEST_HAMMER_SECONDS"] = "20"
    tests = "packages/agentkit-state/tests/test_processes.py"
    session.run("python", "-P", *PYTEST, tests, *session.posargs)


@nox.session(default=False, requires=["build"])
def fuzz(session: nox.Session) -> None:
    """Each parser under coverage-guided bytes for 20 seconds (`-- 600 gemini` for others)."""
    seconds, *names = session.posargs or ["20"]
    session.install(
        *to_install(Requirement("agentkit-models")), "-r", "tests-fuzz/requirements.txt"
    )
    script = ROOT / "tests-fuzz" / "fuzz_parsers.py"
    with session.chdir(session.create_tmp()):  # a crash leaves its input there
        for name in names or FUZZED:
            session.run("python", str(script), name, seconds)


@nox.session(default=False, python=PYTHONS[0])
def mutation(session: nox.Session) -> None:
    """Which small changes to core no test notices, in two hours (`-- execution` for less)."""
    core = DISTRIBUTIONS["agentkit-core"]
    needed = [str(requirement) for requirement in core.test_group]
    session.install(*needed, "-r", "tools/mutation-requirements.txt")
    session.run("python", "tools/mutation.py", session.create_tmp(), *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Every code block runs, every link leads to a file."""
    _develop(session)
    session.run("python", "-P", *PYTEST, "tests-docs", *session.posargs)


@nox.session(default=False, requires=["build"])
def benchmarks(session: nox.Session) -> None:
    """Ratios against floors and peers, asserted nowhere (`-- 30` for as many rounds)."""
    core = to_install(Requirement("agentkit-core"))
    session.install("--compile-bytecode", *core, "-r", "benchmarks/requirements.txt")
    session.run("python", "benchmarks/core.py", *session.posargs)
    session.install("--compile-bytecode", *to_install(Requirement("agentkit-integrations")))
    session.run("python", "benchmarks/observers.py", *session.posargs)
    state = to_install(Requirement("agentkit-state"))
    session.install("--compile-bytecode", *state, "-r", "benchmarks/state-requirements.txt")
    session.run("python", "benchmarks/state.py", *session.posargs)
    session.run("python", "benchmarks/vectors.py", *session.posargs)
    names = ("agentkit-state-redis", "agentkit-state-postgres", "agentkit-testing[servers]")
    session.install("--compile-bytecode", *to_install(*map(Requirement, names)))
    session.run("python", "benchmarks/servers.py", *session.posargs)
    models = map(Requirement, ("agentkit-models[http]", "agentkit-agents"))
    peers = ("-r", "benchmarks/models-requirements.txt")
    session.install("--compile-bytecode", *to_install(*models), *peers)
    session.run("python", "benchmarks/models.py", *session.posargs)


@nox.session(default=False, requires=["build"])
def faults(session: nox.Session) -> None:
    """Strike each store on a server with each fault, and write what happens into the docs."""
    names = (
        "agentkit-state-redis",
        "agentkit-state-postgres[psycopg]",
        "agentkit-testing[servers]",
    )
    session.install(*to_install(*map(Requirement, names)))
    session.run("python", "benchmarks/faults.py", "docs/faults.md")


def _develop(session: nox.Session) -> None:
    """Install the group `dev`, and every distribution with its extras from the tree."""
    lines = [Requirement(r) for r in nox.project.dependency_groups(PYPROJECT, "dev")]
    lines += [r for d in DISTRIBUTIONS.values() for r in d.test_group]
    editable = [d.editable for d in DISTRIBUTIONS.values()]
    session.install(*editable, *[str(r) for r in lines if r.name not in DISTRIBUTIONS])


def _shared(session: nox.Session, folder: str) -> Path:
    """Give *folder* of what lies beside the repository, or skip the session with a note."""
    if not (SHARED / folder).is_dir():
        session.skip(f"there is no {folder} beside this repository (../shared/{folder})")
    return SHARED / folder


def _measure(session: nox.Session, leaves: list[str]) -> tuple[str, ...]:
    session.env["COVERAGE_FILE"] = str(Path(session.create_tmp(), "coverage").resolve())
    return ("-m", "coverage", "run", COVERAGE_SETTINGS, f"--source={','.join(leaves)}")


def _report_coverage(session: nox.Session) -> None:
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    installed = str(session.run("python", "-c", where, silent=True)).strip()
    with session.chdir(installed):  # so that files are named from here
        session.run("python", "-m", "coverage", "report", COVERAGE_SETTINGS)
