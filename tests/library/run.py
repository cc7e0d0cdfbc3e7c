#!/usr/bin/env python3
"""Installs the library and uses it as a stranger would: run.py SOURCE BUILD SAMPLE [--update] [--only STEP]

Steps, in this order:
  headers   each public header compiles alone, with nothing but the standard library
  symbols   the libraries show exactly the names in NAME.symbols beside this file, and need no library of the other half
  layout    public types have the sizes and offsets in layout_NAME.txt
  examples  each example is built out of the tree and run, and prints what examples.txt says; one of each half is also
            built with the static library, one with pkg-config; the last two talk with each other

--update writes what was found into these files instead (docs/design/library.md says when that is right).
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"]
# What who reads worlds must never need.
NOT_FOR_WORLDS = ["gnutls", "ngtcp2", "microhttpd", "curl"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}failed with {done.returncode}")
    return done.stdout


class Library:
    def __init__(self, arguments, folder):
        self.source, self.build, self.sample = (path.resolve() for path in (arguments.source, arguments.build, arguments.sample))
        self.update = arguments.update
        self.folder = folder
        self.prefix = folder / "prefix"
        self.halves = [name for name in ("world", "wire") if (self.build / f"lib/liborbis-{name}.so").exists()]
        for half in self.halves:
            for component in (half, f"{half}-dev"):
                run("cmake", "--install", self.build, "--prefix", self.prefix, "--component", component)
        self.lib = next(self.prefix.rglob("liborbis-world.so")).parent

    def compare(self, name, found):
        """A text with the one that is kept under this name."""
        path = HERE / name
        if self.update:
            path.write_text(found)
            return
        kept = path.read_text() if path.exists() else ""
        if found != kept:
            difference = difflib.unified_diff(kept.splitlines(), found.splitlines(), f"tests/library/{name}", "found", lineterm="")
            sys.exit("\n".join(difference) + "\n\nIs this meant? docs/design/library.md says what to do.")

    def headers(self):
        def check(header):
            text = f"#include <{header}>\n#include <{header}>\n"
            run("g++", "-std=c++23", "-fsyntax-only", *WARNINGS, "-I", self.prefix / "include", "-x", "c++", "-", input=text)

        include = self.prefix / "include"
        headers = sorted(path.relative_to(include) for path in include.rglob("*.hpp"))
        wanted = {path.name for path in (self.source / "include/orbis").glob("*.hpp")}
        missing = wanted - {path.name for path in headers}
        if missing:
            sys.exit(f"not installed: {', '.join(sorted(missing))}")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(check, headers))
        return f"{len(headers)} headers compile alone"

    def symbols(self):
        total = 0
        for half in self.halves:
            shared, archive = self.lib / f"liborbis-{half}.so", self.lib / f"liborbis-{half}.a"
            shown = self.shown(shared, "-D")
            self.compare(f"{half}.symbols", "".join(f"{name}\n" for name in sorted(shown)))
            if (static := self.shown(archive, "-g")) != shown:
                sys.exit(f"{archive.name} and {shared.name} differ: {sorted(static ^ shown)}")
            total += len(shown)
        needed = run("readelf", "-d", self.lib / "liborbis-world.so")
        if wrong := [name for name in NOT_FOR_WORLDS if name in needed]:
            sys.exit(f"liborbis-world needs {', '.join(wrong)}")
        return f"{total} public names"

    @staticmethod
    def shown(library, which):
        lines = run("nm", "-C", which, "--defined-only", library).splitlines()
        return {line.split(" ", 2)[2] for line in lines if line.count(" ") >= 2}

    def layout(self):
        for half in self.halves:
            program = self.folder / "layout"
            run("g++", "-std=c++23", "-Wno-invalid-offsetof", "-I", self.prefix / "include", HERE / f"layout_{half}.cpp",
                "-o", program)
            self.compare(f"layout_{half}.txt", run(program))
        return "the layout of public types is as before"

    def examples(self):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.lib)}
        lines = [line for line in (HERE / "examples.list").read_text().splitlines() if line and not line.startswith("#")]
        shared = self.built("shared")
        output = "".join(self.run_example(shared, environment, line) for line in lines)
        self.compare("examples.txt", output)

        # What is in a program from the static library, and with the flags of pkg-config, must do the same.
        alone = {line.split()[0]: line for line in lines if line.startswith(("01_", "08_"))}
        alone = {name: line for name, line in alone.items() if (shared / name).exists()}
        static = self.built("static", "-DORBIS_STATIC=ON", targets=alone)
        for name, line in alone.items():
            needed = run("readelf", "-d", static / name)
            if "liborbis" in needed:
                sys.exit(f"{name} is not static:\n{needed}")
            self.agree(name, "the static library", self.run_example(shared, environment, line),
                       self.run_example(static, os.environ, line))
        flags = self.pkg_config("--cflags", "--libs")
        run("g++", "-std=c++23", self.source / "examples/01_count_items.cpp", "-o", self.folder / "01_count_items", *flags)
        line = alone["01_count_items"]
        self.agree("01_count_items", "pkg-config", self.run_example(shared, environment, line),
                   self.run_example(self.folder, environment, line))
        if "wire" in self.halves:
            self.talk(shared, environment)
        return f"{output.count('$ ')} runs of examples"

    def built(self, name, *options, targets=()):
        """The examples; they are not optimised, because that takes most of the time and proves nothing."""
        build = self.folder / name
        run("cmake", "-G", "Ninja", "-S", self.source / "examples", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", *options)
        run("cmake", "--build", build, *(["--target", *targets] if targets else []))
        return build

    @staticmethod
    def talk(build, environment):
        """A visitor in the world of a server, over loopback."""
        with subprocess.Popen([build / "10_chat_server", "127.0.0.1:0"], env=environment, stdout=subprocess.PIPE,
                              text=True) as server:
            try:
                address = server.stdout.readline().removeprefix("listening on ").strip()
                for stay in "1", "10", "100":  # seconds; how soon it is in the world depends on the machine
                    seen = run(build / "09_visit_server", address, stay, env=environment)
                    if "in the world" in seen:
                        break
                else:
                    sys.exit(f"09_visit_server does not come into the world of 10_chat_server:\n{seen}")
                said = server.stdout.readline() + server.stdout.readline()  # the certificate, and who came
                if not said.endswith(' joined"\n'):
                    sys.exit(f"10_chat_server says {said!r} when a visitor comes")
            finally:
                server.terminate()
            if server.wait() != 0:
                sys.exit(f"10_chat_server ends with {server.returncode}")

    def pkg_config(self, *options):
        path = {**os.environ, "PKG_CONFIG_PATH": str(self.lib / "pkgconfig")}
        return run("pkg-config", *options, "orbis-world", env=path).split()

    def run_example(self, build, environment, line):
        """Runs a line of examples.list; each gets a copy of the sample world, as some of them change it."""
        name, *arguments = line.split()
        if not (build / name).exists():
            return ""
        world = self.folder / "world"
        shutil.copytree(self.sample, world)
        words = [word.replace("WORLD", str(world)).replace("FOLDER", str(self.folder)) for word in arguments]
        output = run(build / name, *words, env=environment)
        shutil.rmtree(world)
        return f"$ {line}\n{output}".replace(str(world), "WORLD").replace(str(self.folder), "FOLDER")

    @staticmethod
    def agree(name, what, expected, found):
        if found != expected:
            sys.exit(f"{name} with {what} prints {found!r} instead of {expected!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("sample", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", choices=["headers", "symbols", "layout", "examples"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = Library(arguments, pathlib.Path(folder))
        for step in (library.headers, library.symbols, library.layout, library.examples):
            if arguments.only in (None, step.__name__):
                print(f"{step.__name__}: {step()}", flush=True)


main()
