"""Builds the peers that stand on quic-go."""

import fcntl
import os
import pathlib
import shutil
import subprocess

here = pathlib.Path(__file__).resolve().parent
PACKAGES = pathlib.Path("/usr/share/gocode")


def missing():
    """What to install, or nothing."""
    sources = PACKAGES / "src/github.com"
    if shutil.which("go") and (sources / "lucas-clemente/quic-go").is_dir() and (sources / "klauspost/compress").is_dir():
        return None
    return ("quic-go or its company is missing: apt-get install golang-go golang-github-lucas-clemente-quic-go-dev "
            "golang-github-klauspost-compress-dev")


def build(name, work):
    """The folder go/NAME as a program in the folder `work`. Built each time: the cache makes that a fraction of a second
    when nothing changed. Without -trimpath, which would compile the standard library again."""
    program = work / f"go_{name}"
    environment = dict(os.environ, GO111MODULE="off", GOPATH=str(PACKAGES), GOFLAGS="", GOCACHE=str(work / "go-cache"))
    work.mkdir(parents=True, exist_ok=True)
    with open(work / "go.lock", "w") as lock:  # who comes second finds quic-go in the cache
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = subprocess.run(["go", "build", "-o", program, "."], cwd=here / "go" / name, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode != 0:
        raise RuntimeError(f"go/{name} could not be built:\n{built.stdout}")
    return program
