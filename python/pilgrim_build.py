# SPDX-License-Identifier: BSD-3-Clause
"""The build backend of python/pyproject.toml (PEP 517): a wheel of what `make python` makes in the source tree around this folder.

BUILD in the environment names the build folder (build)."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile

_HERE = os.path.dirname(os.path.abspath(__file__))
_TOP = os.path.dirname(_HERE)


def _version():
    with open(os.path.join(_TOP, "include", "pilgrim", "version.h"), encoding="utf-8") as file:
        text = file.read()
    return ".".join(re.search(r"define PILGRIM_VERSION_%s (\d+)" % part, text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def _tag():
    python = "cp%d%d" % sys.version_info[:2]
    return "%s-%s-%s" % (python, python, sysconfig.get_platform().replace("-", "_").replace(".", "_"))


def _metadata():
    with open(os.path.join(_HERE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return ("Metadata-Version: 2.1\nName: pilgrim\nVersion: %s\nSummary: Reads Pilgrim's traces of MPI programs\nLicense: BSD-3-Clause\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\nProvides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n"
            "Description-Content-Type: text/markdown\n\n%s" % (_version(), readme))


def _files():
    """(name in the wheel, its bytes)"""
    build = os.path.abspath(os.environ.get("BUILD", os.path.join(_TOP, "build")))
    subprocess.run(["make", "-C", _TOP, "BUILD=" + build, "python"], check=True, stdout=sys.stderr)
    folder = os.path.join(build, "python", "pilgrim")
    wanted = "_pilgrim" + sysconfig.get_config_var("EXT_SUFFIX")
    if not os.path.exists(os.path.join(folder, wanted)):
        raise SystemExit("%s was built for another Python: configure with --with-python=%s" % (build, sys.executable))
    names = [wanted] + sorted(name for name in os.listdir(os.path.join(_HERE, "pilgrim")) if name.endswith((".py", ".pyi", ".typed")))
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            yield "pilgrim/" + name, file.read()
    info = "pilgrim-%s.dist-info/" % _version()
    yield info + "METADATA", _metadata().encode()
    yield info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: pilgrim_build\nRoot-Is-Purelib: false\nTag: %s\n" % _tag()).encode()
    with open(os.path.join(_TOP, "LICENSE"), "rb") as file:
        yield info + "LICENSE", file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Makes a wheel in a folder, and returns its name."""
    name = "pilgrim-%s-%s.whl" % (_version(), _tag())
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in _files():
            wheel.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append("%s,sha256=%s,%d\n" % (path, digest, len(data)))
        record_path = "pilgrim-%s.dist-info/RECORD" % _version()
        wheel.writestr(zipfile.ZipInfo(record_path), "".join(record) + record_path + ",,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("the module is built in Pilgrim's source tree: pip wheel python/")
