"""A working FLINK_HOME made of the pip wheel: own bin/, conf/ and lib/, links for everything large.

site-packages is never written to. bin/ is copied because Flink's scripts follow links to find their home.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import yaml

from funshare_flink.model.errors import BadInputError, FatalError


@dataclass(frozen=True)
class Wheel:
    """The installed apache-flink distribution."""

    root: Path
    version: str
    java_opts: str
    """The module openings that Flink needs on Java 17 and later, from the wheel's own configuration."""


def find_wheel() -> Wheel:
    """Find the installed apache-flink. Raises BadInputError when it is not installed or not whole."""
    spec = importlib.util.find_spec("pyflink")
    if spec is None or not spec.submodule_search_locations:
        raise BadInputError("the apache-flink package is not installed in this Python; pip install apache-flink")
    root = Path(next(iter(spec.submodule_search_locations)))
    dist = next(iter(sorted((root / "lib").glob("flink-dist-*.jar"))), None)
    if dist is None:
        raise BadInputError(f"{root} has no lib/flink-dist jar; reinstall apache-flink and apache-flink-libraries")
    version = re.sub(r"^flink-dist-|\.jar$", "", dist.name)
    return Wheel(root, version, _java_opts(root / "conf" / "config.yaml"))


def build_home(home: Path, wheel: Wheel, jars: tuple[Path, ...], config_yaml: str, kernel_jar: Path | None) -> None:
    """Make `home` anew. `jars` are linked into lib/; the kernel is copied, so that a rebuild cannot pull
    it from under a running JVM. The Python worker's jar is in lib/ too: no job needs to upload its 40 MB.
    """
    if home.exists():
        shutil.rmtree(home)
    for folder in ("lib", "conf", "log"):
        (home / folder).mkdir(parents=True)
    shutil.copytree(wheel.root / "bin", home / "bin")
    for script in (home / "bin").glob("*.sh"):
        script.chmod(0o755)
    for folder in ("opt", "plugins"):
        _link_tree(wheel.root / folder, home / folder)
    python_jars = tuple((wheel.root / "opt").glob("flink-python-*.jar"))
    for jar in (*(wheel.root / "lib").glob("*.jar"), *python_jars, *jars):
        (home / "lib" / jar.name).symlink_to(jar.absolute())
    if kernel_jar is not None:
        shutil.copyfile(kernel_jar, home / "lib" / kernel_jar.name)
    for file in (wheel.root / "conf").glob("log*"):
        shutil.copyfile(file, home / "conf" / file.name)
    (home / "conf" / "config.yaml").write_text(config_yaml, encoding="utf-8")


def _link_tree(source: Path, target: Path) -> None:
    """Real folders with links to files: Flink looks for plugin folders, and links to folders can be missed."""
    for path in source.rglob("*"):
        if path.is_file():
            link = target / path.relative_to(source)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path.absolute())


def _java_opts(config: Path) -> str:
    try:
        options = yaml.safe_load(config.read_text(encoding="utf-8"))["env"]["java"]["opts"]["all"]
    except (OSError, yaml.YAMLError, KeyError, TypeError) as err:
        raise FatalError(f"{config} has no env.java.opts.all; reinstall apache-flink") from err
    return str(options)
