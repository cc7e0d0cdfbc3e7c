"""The worlds of the tests: a sample that the program makes, and real ones where they are."""

import os
import pathlib
import shutil
import subprocess

import pytest

REAL = pathlib.Path(os.environ.get("ORBIS_SHARED", "/nonexistent")) / "worlds"


@pytest.fixture(scope="session")
def orbis_program():
    return os.environ["ORBIS"]


@pytest.fixture(scope="session")
def sample(tmp_path_factory, orbis_program):
    """A universe; nobody writes to it."""
    made = os.environ.get("ORBIS_SAMPLE")
    if made:
        return pathlib.Path(made)
    folder = tmp_path_factory.mktemp("sample") / "universe"
    subprocess.run([orbis_program, "sample", folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture
def universe(sample, tmp_path):
    """A copy to write to."""
    return pathlib.Path(shutil.copytree(sample, tmp_path / "universe"))


def real_worlds():
    return sorted(path for path in REAL.iterdir() if (path / "chunks").is_dir()) if REAL.is_dir() else []


def pytest_generate_tests(metafunc):
    if "real_world" in metafunc.fixturenames:
        metafunc.parametrize("real_world", real_worlds(), ids=lambda path: path.name)
