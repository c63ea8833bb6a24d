# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_configure.py TOOLS: tools/configure updates a build folder to the installed software, whatever its state. Exit status 77
without Meson in PATH."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CONFIGURE = pathlib.Path(sys.argv.pop(1)).resolve() / "configure"
PROJECT = """project('p', meson_version: '>= 1.0')
if dependency('later', required: get_option('later')).found()
  configure_file(output: 'found', configuration: {'later': 1})
  custom_target('made', output: 'made', command: ['touch', '@OUTPUT@'], build_by_default: true)
endif
"""
OPTIONS = "option('later', type: 'feature', value: 'auto')\noption('size', type: 'integer', value: 1)\n"
MODULE = "Name: later\nDescription: installed later\nVersion: 1\n"


class Configure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "source"
        self.source.mkdir()
        (self.source / "meson.build").write_text(PROJECT)
        (self.source / "meson_options.txt").write_text(OPTIONS)
        self.module = self.folder / "later.pc"
        self.build = self.source / "build"

    def run_here(self, *command):
        done = subprocess.run(command, cwd=self.source, env={**os.environ, "PKG_CONFIG_PATH": str(self.folder)}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def configure(self, *options):
        """Configures and builds. Returns the output of tools/configure."""
        output = self.run_here(CONFIGURE, "build", *options)
        self.run_here("meson", "compile", "-C", "build")
        return output

    def has_found(self):
        return (self.build / "made").exists()

    def test_installed_later_and_removed(self):
        self.configure()
        self.assertFalse(self.has_found())
        self.module.write_text(MODULE)
        for _ in range(2):
            self.configure()
            self.assertTrue(self.has_found())
        self.module.unlink()
        self.configure()
        self.assertFalse(self.has_found())

    def test_options_stay_until_they_change(self):
        self.configure("-Dsize=5")
        self.assertRegex(self.configure("-Dlater=disabled"), r"size\s*: 5")
        self.assertRegex(self.configure("-Dsize=6"), r"size\s*: 6")

    def test_interrupted(self):
        self.configure("-Dsize=5")
        (self.build / "build.ninja").unlink()
        self.assertRegex(self.configure(), r"size\s*: 5")
        shutil.rmtree(self.build / "meson-private")
        (self.build / "meson-private").mkdir()
        self.configure()

    def test_damaged(self):
        self.configure("-Dsize=5")
        (self.build / "demo").mkdir()
        (self.build / "demo" / "film").write_text("frames")
        (self.build / "meson-private" / "coredata.dat").write_text("of another Meson")
        output = self.configure()
        self.assertIn("from scratch", output)
        self.assertRegex(output, r"size\s*: 5")
        self.assertEqual((self.build / "demo" / "film").read_text(), "frames")
        self.assertEqual(sorted(path.name for path in self.source.iterdir()), ["build", "meson.build", "meson_options.txt"])

    def test_cannot_be_configured(self):
        self.configure()
        (self.build / "demo").mkdir()
        (self.build / "meson-private" / "coredata.dat").write_text("of another Meson")
        (self.source / "meson.build").write_text("project(\n")
        done = subprocess.run([CONFIGURE, "build"], cwd=self.source, capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue((self.build / "demo").is_dir())


if not shutil.which("meson"):
    print("skipped: no meson in PATH")
    sys.exit(77)
unittest.main()
