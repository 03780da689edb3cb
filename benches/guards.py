#!/usr/bin/env python3
"""Replays histories of repositories as edits against guards that their own rule files state.

    python3 benches/guards.py benches/guards.tsv DIRECTORY [--pimem PATH] [--commits N]

GUARDS.tsv has a line a guard: repository, commit of the rule file, sentence, option, pattern, place. DIRECTORY
holds the repositories as OWNER+NAME/repo. Prints each commit that a guard holds, with the lines, to be judged.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile



def git(repo, *args):
    return subprocess.run(["git", "-C", repo, *args], capture_output=True, check=True).stdout.decode("utf-8", "replace")


def edits(repo, commit):
    """Yields the path and the (old, new) pairs of each file that a commit changes."""
    path, old, new, pairs = None, [], [], []

    def close():
        if old or new:
            pairs.append(("".join(old), "".join(new)))
            old.clear()
            new.clear()

    text = git(repo, "show", "--format=", "-U0", "--no-renames", "--no-color", commit)
    before = None
    for line in text.splitlines(keepends=True):
        if line.startswith("diff --git "):
            close()
            if path is not None:
                yield path, pairs
            path, pairs, before = None, [], None
        elif path is None and line.startswith("--- "):
            before = line[6:].rstrip("\n\t") if line[4:6] in ("a/",) else None
        elif path is None and line.startswith("+++ "):
            path = line[6:].rstrip("\n\t") if line[4:6] == "b/" else before
        elif line.startswith("@@"):
            close()
        elif path is not None and line.startswith("-"):
            old.append(line[1:])
        elif path is not None and line.startswith("+"):
            new.append(line[1:])
    close()
    if path is not None:
        yield path, pairs



def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("guards")
    parser.add_argument("directory")
    parser.add_argument("--pimem", default="target/release/pimem")
    parser.add_argument("--commits", type=int, default=300)
    args = parser.parse_args()
    pimem = os.path.abspath(args.pimem)
    repositories = collections.defaultdict(list)
    for line in open(args.guards, encoding="utf-8"):
        repository, base, *guard = line.rstrip("\n").split("\t")
        repositories[repository, base].append(guard)
    commits = held = calls = 0
    for (repository, base), guards in repositories.items():
        repo = os.path.join(args.directory, repository.replace("/", "+"), "repo")
        with tempfile.TemporaryDirectory() as root:
            project, home = os.path.join(root, "project"), os.path.join(root, "home")
            os.makedirs(project)
            os.makedirs(home)
            env = {"HOME": home, "PATH": os.environ["PATH"]}

            def run(*args, input=""):
                return subprocess.run([pimem, *args], cwd=project, env=env, input=input, capture_output=True, text=True)

            subprocess.run(["git", "init", "-q", project], check=True)
            run("init")
            for sentence, option, pattern, *place in guards:
                done = run("add", option, pattern, *(["--place", place[0]] if place else []), "--", sentence)
                if done.returncode:
                    sys.exit(done.stderr)
            later = git(repo, "rev-list", "--no-merges", "--reverse", f"{base}..HEAD").split()[:args.commits]
            for commit in later:
                commits += 1
                lines = []
                for path, pairs in edits(repo, commit):
                    calls += 1
                    changes = [{"old_string": old, "new_string": new} for old, new in pairs]
                    tool = {"file_path": os.path.join(project, path), "edits": changes}
                    call = {"session_id": "s", "cwd": project, "tool_name": "MultiEdit", "tool_input": tool}
                    answer = run("hook", "generic", "pre-tool", input=json.dumps(call)).stdout
                    if answer:
                        lines.append(f"    {path}: {json.loads(answer)['reason'][:260]}")
                if lines:
                    held += 1
                    print(repository, git(repo, "log", "-1", "--format=%h %s", commit).strip()[:150])
                    print("\n".join(lines))
    print(f"{commits} commits, {calls} edits, {held} commits held")


main()
