#!/usr/bin/env python3
"""Runs the questions of docs/sql.md on the sample universe and compares the answers: sql_questions.py ORBIS PAGE SAMPLE

A question is a block that begins with ```sql, its answer the block after it. --update writes the answers of now.
"""

import pathlib
import re
import subprocess
import sys

arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
orbis, page, sample = arguments
text = pathlib.Path(page).read_text()
wrong = count = 0


def answer(question):
    done = subprocess.run([orbis, "sql", sample, question, "--quiet"], capture_output=True, text=True, timeout=600)
    return done.stdout + done.stderr


def check(found):
    global wrong, count
    count += 1
    now = answer(found[1])
    if now != found[2] and "--update" not in sys.argv:
        wrong += 1
        print(f"{found[1]}\nexpected:\n{found[2]}\nfound:\n{now}")
    return f"```sql\n{found[1]}\n```\n```text\n{now}```"


updated = re.sub(r"```sql\n(.*?)\n```\n```text\n(.*?)```", check, text, flags=re.DOTALL)
if "--update" in sys.argv:
    pathlib.Path(page).write_text(updated)
assert count >= 30, f"{count} questions were found"
print(f"{count} questions, {wrong} wrong answers")
sys.exit(1 if wrong else 0)
