#!/usr/bin/env python3
"""Checks that tests with threads are built for the thread sanitizer: thread_tests.py ROOT"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
listed = re.search(r"set\(ORBIS_THREAD_TESTS(.*?)\)", (root / "cmake/thread_tests.cmake").read_text(), re.S)[1].split()
missing = []
for path in sorted((root / "src").rglob("*_test.cpp")):
    name = str(path.relative_to(root / "src")).removesuffix("_test.cpp")
    if re.search(r"\bstd::(jthread|thread|async)\b", path.read_text()) and name not in listed:
        missing.append(f"{path}: it starts threads and is not in cmake/thread_tests.cmake")
print("\n".join(missing) or "every test that starts threads is built for the thread sanitizer")
sys.exit(1 if missing else 0)
