"""Security audit: bandit on the sources, known vulnerabilities and licences of all dependencies.

    python tools/audit.py

The exit status is 1 if anything is found. Vulnerabilities are looked up in the advisory database of
the Python Package Index; if it cannot be reached, that is said and the rest is still checked.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ALLOWED = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Mozilla|MPL|Zlib|CC0|0BSD|Permission is"
)
"""Permissive licences, and those that bind the dependency's own files only."""
EXCEPTIONS = {
    "psycopg": "LGPL; optional, imported and not changed",
    "psycopg-binary": "LGPL; optional, imported and not changed",
    "axe-playwright-python": "no metadata; MIT by its repository; for tests only",
    "resvg_py": "no metadata; MPL 2.0 by its repository; optional",
}


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a module of this environment."""
    return subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)


def check_sources() -> bool:
    """Run bandit on the package; return whether it found nothing."""
    source = str(ROOT / "src/teahouse")
    found = run("bandit", "-q", "-c", str(ROOT / "pyproject.toml"), "-r", source)
    print(found.stdout or found.stderr if found.returncode else "bandit: nothing found.")
    return found.returncode == 0


def check_vulnerabilities() -> bool:
    """Look up all installed packages; return whether none has a known vulnerability."""
    found = run("pip_audit", "--format", "json", "--progress-spinner", "off")
    try:
        dependencies: list[dict[str, Any]] = json.loads(found.stdout)["dependencies"]
    except (ValueError, KeyError):
        reason = found.stderr.strip().splitlines()[-1:] or ["no answer"]
        print(f"pip-audit: not checked; the advisory database cannot be reached ({reason[0]}).")
        return True
    known = [one for one in dependencies if "vulns" in one]
    vulnerable = [one for one in known if one["vulns"]]
    for one in vulnerable:
        ids = ", ".join(vulnerability["id"] for vulnerability in one["vulns"])
        print(f"pip-audit: {one['name']} {one['version']}: {ids}")
    if known:
        unknown = len(dependencies) - len(known)
        print(f"pip-audit: {len(known)} packages checked, {unknown} not in the database.")
    else:
        print("pip-audit: not checked; this package index has no advisory database.")
    return not vulnerable


def check_licences() -> bool:
    """Check the licences of all installed packages; return whether all are allowed."""
    found = run("piplicenses", "--from=mixed", "--format=json")
    packages: list[dict[str, str]] = json.loads(found.stdout)
    wrong = [
        package
        for package in packages
        if package["Name"] not in EXCEPTIONS
        and ("GPL" in package["License"] or not ALLOWED.search(package["License"]))
    ]
    for package in wrong:
        print(f"licences: {package['Name']} {package['Version']}: {package['License'][:80]}")
    print(f"licences: {len(packages)} packages checked, {len(wrong)} not allowed.")
    return not wrong


if __name__ == "__main__":
    results = [check_sources(), check_vulnerabilities(), check_licences()]
    sys.exit(0 if all(results) else 1)
