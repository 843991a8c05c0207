"""Builds the wheel: these modules and the built page. It needs no other package, so that it also works without a network.

PEP 517's hooks; `npm run wheel` builds the page first.
"""

import base64
import hashlib
import json
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TAG = "py3-none-any"


def _page():
    """The built viewer's files, by their place in the page. A package keeps the library's chunks beside it, only once."""
    app, chunks = ROOT / "dist" / "app", ROOT / "dist" / "browser" / "chunks"
    if not (app / "index.html").exists():
        raise SystemExit("the viewer is not built: run `npm run wheel` in the repository of Depthloom")
    files = {path.relative_to(app).as_posix(): path for path in app.rglob("*") if path.is_file() and path.name[0] != "."}
    page = {f"assets/{path.name}": path for path in chunks.glob("*") if path.is_file()}
    # Only the chunks that the page names.
    code = b"".join(path.read_bytes() for path in files.values())
    return {**{name: path for name, path in page.items() if path.name.encode() in code}, **files}


def _metadata(version):
    text = (HERE / "pyproject.toml").read_text()
    one = lambda name: re.search(rf'^{name} = "?([^"\n]+)', text, re.M).group(1)
    needs = json.loads(re.search(r"^dependencies = (\[.*\])", text, re.M).group(1))
    head = {"Metadata-Version": "2.1", "Name": "depthloom", "Version": version, "Summary": one("description")}
    head |= {"License": "MIT", "Requires-Python": one("requires-python"), "Description-Content-Type": "text/markdown"}
    lines = [f"{name}: {value}" for name, value in head.items()] + [f"Requires-Dist: {need}" for need in needs]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text(encoding="utf8")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = json.loads((ROOT / "package.json").read_text(encoding="utf8"))["version"]
    about = f"depthloom-{version}.dist-info"
    files = {f"depthloom/{path.name}": path.read_bytes() for path in sorted((HERE / "depthloom").glob("*.py"))}
    files |= {f"depthloom/page/{name}": path.read_bytes() for name, path in sorted(_page().items())}
    files[f"{about}/METADATA"] = _metadata(version).encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: depthloom\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode()
    files[f"{about}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{about}/RECORD"] = "\n".join([*record, f"{about}/RECORD,,", ""]).encode()
    wheel = f"depthloom-{version}-{TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            # One date, so that the same files make the same wheel.
            packed.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return wheel
