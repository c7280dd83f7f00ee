"""What is released: the packages, their metadata, and the files that services read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_dist import problems
from release import release_problems, sections, version_problems

import teahouse as th

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
MAKEFILE = (ROOT / "Makefile").read_text()
BIN = Path(sys.executable).parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run(*command: object) -> str:
    """Return what a command prints; fail with it if the command does."""
    done = subprocess.run(
        [str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with both packages."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "--directory", folder)
    return folder


def test_packages_have_everything_needed_and_nothing_else(dist: Path, tmp_path: Path) -> None:
    assert not [*problems(dist)]
    for package in dist.iterdir():
        shutil.copy(package, tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("teahouse/test_scratch.py", "")
    assert [*problems(tmp_path)] == [
        f"{wheel.name}: teahouse/test_scratch.py does not belong there"
    ]


def test_one_version_everywhere(dist: Path) -> None:
    assert all(f"teahouse-{th.__version__}" in package.name for package in dist.iterdir())
    assert not [*version_problems()]
    assert sections()[th.__version__][1]


def test_a_release_needs_tag_date_and_addresses() -> None:
    wrong = " ".join(release_problems("v9.9.9"))
    assert f"tag v9.9.9: expected v{th.__version__}" in wrong
    for address in PROJECT["urls"].values():
        assert (address in wrong) == (".example" in address)


def test_extras_are_complete() -> None:
    """Everything that a part needs is in the extra that the tests install."""
    extras: dict[str, list[str]] = PROJECT["optional-dependencies"]
    nested = {name: set(re.findall(r"[\w-]+", extras[name][0])) for name in ("dev", "house")}
    assert nested["house"] == {"teahouse", "learned", "server", "terminal"}
    assert nested["dev"] >= extras.keys() - {"audit", "dev", "gpu", "house", "learned"}


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", "workflows/*.yml"),
        ("dependabot", "dependabot.yml"),
        ("github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml"),
        ("github-issue-config", "ISSUE_TEMPLATE/config.yml"),
        ("citation-file-format", "../CITATION.cff"),
    ],
)
def test_files_follow_their_schemas(schema: str, files: str) -> None:
    paths = [*GITHUB.glob(files)] if ".." not in files else [GITHUB / files]
    assert paths
    run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *paths)


def test_linters_find_nothing() -> None:
    run(BIN / "hadolint", ROOT / "deploy" / "Dockerfile")
    run(BIN / "zizmor", "--offline", "--min-severity", "medium", "--no-progress", "--quiet", GITHUB)
    run(BIN / "pre-commit", "validate-config", ROOT / ".pre-commit-config.yaml")


def test_workflows_call_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))
    called: set[str] = set()
    for path in (GITHUB / "workflows").glob("*.yml"):
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            scripts = [step["run"] for step in job.get("steps", ()) if "run" in step]
            called |= {word for script in scripts for word in re.findall(r"make ([a-z-]+)", script)}
    assert called <= targets
    assert called >= {"test", "test-lowest", "dist", "test-wheel", "docs", "audit", "release-check"}


def test_hooks_run_the_tools_of_make_check() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    entries = " ".join(hook["entry"] for repo in config["repos"] for hook in repo["hooks"])
    recipe = re.search(r"^check:.*?\n((?:\t.*\n)+)", MAKEFILE, re.M)
    assert recipe
    tools = set(re.findall(r"\$\(BIN\)/([\w-]+)", recipe[1])) | {"check-javascript"}
    assert tools == {"ruff", "mypy", "lint-imports", "check-javascript"}
    assert all(tool in entries for tool in tools)


def test_declared_pythons_are_tested() -> None:
    workflow = yaml.safe_load((GITHUB / "workflows" / "test.yml").read_text())
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    prefix = "Programming Language :: Python :: "
    declared = [one.removeprefix(prefix) for one in PROJECT["classifiers"] if prefix in one]
    assert tested == [one for one in declared if "." in one]
    assert PROJECT["requires-python"] == f">={tested[0]}"


def test_the_image_is_built_from_what_the_archive_has() -> None:
    """Files that Docker may read are those that the build copies."""
    allowed = re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.M)
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "deploy" / "Dockerfile").read_text(), re.M)
    assert sorted(allowed) == sorted(word for line in copied for word in line.split())
    assert all((ROOT / name).exists() for name in allowed)
