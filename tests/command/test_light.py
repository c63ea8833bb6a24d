# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""test_light.py COMMAND: `cudahisto light` on films whose pixels are known.

The readers of the files follow descriptions of the formats, and the numbers are computed from the pixels in floating point."""

import json
import random
import shutil
import statistics
import struct
import tempfile
import unittest

from lines import complain, cudahisto, dump, run

WIDTH, HEIGHT = 64, 36
DISPLAY = "--mastering-display=1000,0.005"


# ---- the films -------------------------------------------------------------------------------------------------------------

def to_nits(code):
    """SMPTE ST 2084, of a 12-bit code."""
    root = (code / 4095) ** (4096 / 2523 / 128)
    part = max(root - 3424 / 4096, 0) / (2413 / 4096 * 32 - 2392 / 4096 * 32 * root)
    return 10000 * part ** (16384 / 2610)


NITS = [round(to_nits(code), 4) for code in range(4096)]


def make_scenes(seed, *ranges, bars=5):
    """Scenes of frames of pixels: the codes of the active picture, with `bars` rows above and below."""
    source = random.Random(seed)
    return [[sorted(source.randint(low, high) for _ in range(WIDTH * (HEIGHT - 2 * bars))) for _ in range(length)]
            for length, low, high in ranges]


def make_line(frame, codes, **members):
    histogram = [0] * 4096
    histogram[0] = WIDTH * HEIGHT - len(codes)
    for code in codes:
        histogram[code] += 1
    rows = len(codes) // WIDTH
    picture = {"x": 0, "y": (HEIGHT - rows) // 2, "width": WIDTH, "height": rows}
    return {"cudahisto": 1, "element": "e", "frame": frame, "frames": 1, "width": WIDTH, "height": HEIGHT, "components": {},
            "light": {"histogram": histogram}, "active-picture": picture, **members}


def make_cut(frame):
    return {"cudahisto": 1, "event": "scene-change", "element": "e", "frame": frame, "frames": 1, "start": frame * 40000000,
            "end": frame * 40000000, "ended-by": "complete"}


def make_lines(scenes, first=0):
    lines = []
    for number, scene in enumerate(scenes):
        if number > 0:
            lines.append(make_cut(first + sum(map(len, scenes[:number]))))
        for codes in scene:
            frame = first + sum("light" in line for line in lines)
            lines.append(make_line(frame, codes, **{"stream-time": frame * 40000000}))
    return lines


def convert(lines, *options, status=0):
    return cudahisto("light", *options, input=dump(lines).encode(), status=status)


def mean_nits(codes):
    return statistics.fmean(NITS[code] for code in codes)


def find_percentile(codes, percent):
    return sorted(codes)[max(1, round(len(codes) * (percent / 100))) - 1]


def find_starts(scenes):
    return [sum(map(len, scenes[:number])) for number in range(len(scenes))]


def flatten(scene):
    return [code for codes in scene for code in codes]


# The first scene is too dark for dovi_tool, and the last one too bright.
SCENES = make_scenes(1, (4, 20, 900), (3, 0, 2500), (1, 2000, 3300), (5, 700, 3200))


# ---- the readers -----------------------------------------------------------------------------------------------------------

def parse_madvr(data):
    """The measurement file: header, scenes, frames. Returns them, after checking that nothing is left over."""
    assert data[:4] == b"mvr+"
    place = 4

    def take(letter, count=1):
        nonlocal place
        values = struct.unpack_from(f"<{count}{letter}", data, place)
        place += struct.calcsize(f"<{count}{letter}")
        return list(values)

    header = dict(zip(("version", "size", "scenes", "frames", "flags", "max-cll"), take("I", 6)))
    header["max-fall"], header["average-fall"] = take("I", 2)
    if header["version"] >= 6:
        header["target"], = take("I")
    assert 4 + header["size"] == place
    starts, ends, peaks = (take("I", header["scenes"]) for _ in range(3))
    frames = []
    for _ in range(header["frames"]):
        frames.append({"peaks": take("H", 3 if header["version"] >= 6 else 1), "light": take("H", 256), "hue": take("H", 31)})
    assert place == len(data)
    return header, list(zip(starts, ends, peaks)), frames


def find_madvr_bin(code):
    limit = 0.508078421517399
    signal = code / 4095
    return int(signal * 64 / limit) if signal < limit else min(255, 64 + int((signal - limit) * 192 / (1 - limit)))


def expand_dovi(config):
    """The blocks of each frame, by level: the shot's, which an edit of the frame replaces."""
    assert config["length"] == sum(shot["duration"] for shot in config["shots"])
    frames = []
    for shot in config["shots"]:
        assert shot["start"] == len(frames)
        edits = {edit["edit_offset"]: edit["metadata_blocks"] for edit in shot.get("frame_edits", [])}
        for offset in range(shot["duration"]):
            blocks = {"Level5": config["level5"]}
            for block in [*shot["metadata_blocks"], *edits.get(offset, [])]:
                blocks.update(block)
            frames.append(blocks)
    return frames


def has_encoder():
    encoders = shutil.which("ffmpeg") and run("ffmpeg", "-hide_banner", "-encoders")
    return "libx265" in (encoders or "").split()


class Film(unittest.TestCase):
    @unittest.skipUnless(has_encoder(), "FFmpeg has no libx265")
    def test_film(self):
        """An HDR10 film of two greys between black bars, from x265."""
        greys, width, height, bars = (573, 723), 320, 180, 20
        pictures = b""
        for grey in greys:
            rows = [64] * (bars * width) + [grey] * ((height - 2 * bars) * width) + [64] * (bars * width)
            pictures += struct.pack(f"<{width * height * 3 // 2}H", *rows, *[512] * (width * height // 2)) * 5
        with tempfile.TemporaryDirectory() as folder:
            film, lines = f"{folder}/film.mkv", f"{folder}/film.jsonl"
            run("ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p10le", "-s", f"{width}x{height}", "-r", 25, "-i",
                "-", "-c:v", "libx265", "-x265-params", "log-level=error:lossless=1:hdr10=1:colorprim=bt2020:"
                "transfer=smpte2084:colormatrix=bt2020nc", film, input=pictures)
            cudahisto("measure", "-q", film, "-e", "scene-change", "-o", lines)
            config = json.loads(cudahisto("light", "-f", "dovi", DISPLAY, lines))
            text = cudahisto("light", lines)
        codes = [round(4095 * (grey - 64) / 876) for grey in greys]
        frames = expand_dovi(config)
        self.assertEqual([shot["start"] for shot in config["shots"]], [0, 5])
        self.assertEqual([frame["Level1"] for frame in frames],
                         [{"min_pq": code, "max_pq": code, "avg_pq": code} for code in codes for _ in range(5)])
        self.assertEqual(frames[0]["Level5"], {"active_area_left_offset": 0, "active_area_right_offset": 0,
                                               "active_area_top_offset": bars, "active_area_bottom_offset": bars})
        for name in ("max_content_light_level", "max_frame_average_light_level"):
            self.assertEqual(config["level6"][name], round(NITS[codes[1]]))
        self.assertIn(f" {width}x{height - 2 * bars} at 0,{bars}\n", text)


class Light(unittest.TestCase):
    def check_level_1(self, block, codes):
        self.assertEqual(block, {"min_pq": min(codes), "max_pq": max(codes), "avg_pq": round(statistics.fmean(codes))})

    def test_scenes(self):
        self.assertEqual(convert(make_lines(SCENES), "-f", "scenes"), "0\n4\n7\n8\n")
        # Without light, in results of several frames, or from another first frame.
        lines = [{**line, "light": {}} if "light" in line else line for line in make_lines(SCENES, first=100)]
        self.assertEqual(convert(lines, "--format=scenes"), "0\n4\n7\n8\n")

    def test_dovi(self):
        config = json.loads(convert(make_lines(SCENES), "--format=dovi", DISPLAY))
        self.assertEqual((config["cm_version"], config["profile"]), ("V40", "8.1"))
        frames = expand_dovi(config)
        self.assertEqual([shot["start"] for shot in config["shots"]], find_starts(SCENES))
        self.assertEqual(len(frames), sum(map(len, SCENES)))
        for scene, start in zip(SCENES, find_starts(SCENES)):
            for frame in frames[start:start + len(scene)]:
                self.check_level_1(frame["Level1"], flatten(scene))
        self.assertEqual(config["level5"], {"active_area_left_offset": 0, "active_area_right_offset": 0,
                                            "active_area_top_offset": 5, "active_area_bottom_offset": 5})
        self.assertEqual(config["level6"], {
            "max_display_mastering_luminance": 1000, "min_display_mastering_luminance": 50,
            "max_content_light_level": round(max(NITS[code] for code in flatten(flatten(SCENES)))),
            "max_frame_average_light_level": round(max(mean_nits(codes) for codes in flatten(SCENES)))})
        # dovi_tool would clamp these.
        self.assertLess(frames[0]["Level1"]["max_pq"], 2081)
        self.assertLess(frames[0]["Level1"]["avg_pq"], 819)
        self.assertGreater(frames[-1]["Level1"]["min_pq"], 12)

    def test_dovi_of_frames(self):
        frames = expand_dovi(json.loads(convert(make_lines(SCENES), "-f", "dovi", DISPLAY, "--by-frame")))
        for frame, codes in zip(frames, flatten(SCENES), strict=True):
            self.check_level_1(frame["Level1"], codes)

    def test_mastering_display(self):
        strings = {"4000,0.005": (4000, 50), "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)": (1000, 1),
                   "10000,0": (10000, 0)}
        for string, expected in strings.items():
            level = json.loads(convert(make_lines(SCENES), "-f", "dovi", "--mastering-display", string))["level6"]
            self.assertEqual((level["max_display_mastering_luminance"], level["min_display_mastering_luminance"]), expected)
        for string in ("", "1000", "1000,", "1000,-1", "0,0", "1000,1000", "10001,0", "1000,0.1x", "nan,0", "L(10000000,1"):
            self.assertIn("largest and smallest luminance", complain("light", "-f", "dovi", f"--mastering-display={string}"))
        self.assertIn("needs the luminance of the mastering display", complain("light", "-f", "dovi"))

    def test_active_pictures(self):
        """A film whose second scene has no bars."""
        scenes = [*make_scenes(2, (2, 500, 2500)), *make_scenes(3, (2, 100, 3000), bars=0)]
        lines = make_lines(scenes)
        for mode in ("film", "none"):
            config = json.loads(convert(lines, "-f", "dovi", DISPLAY, f"--active-picture={mode}"))
            self.assertEqual(set(config["level5"].values()), {0})
            self.check_level_1(expand_dovi(config)[0]["Level1"], flatten(scenes[0]) + [0] * (2 * WIDTH * 10))
        config = json.loads(convert(lines, "-f", "dovi", DISPLAY, "--active-picture=scene"))
        frames = expand_dovi(config)
        for frame, scene, offset in ((frames[1], scenes[0], 5), (frames[2], scenes[1], 0)):
            self.check_level_1(frame["Level1"], flatten(scene))
            self.assertEqual(frame["Level5"], {"active_area_left_offset": 0, "active_area_right_offset": 0,
                                               "active_area_top_offset": offset, "active_area_bottom_offset": offset})

    def test_changing_active_picture(self):
        """The rectangle around all of them, at each edge; a black frame has none."""
        lines = make_lines(make_scenes(4, (3, 900, 2500)))
        for line, picture in zip(lines, ((10, 8, 20, 6), (0, 0, 0, 0), (15, 6, 40, 5))):
            line["active-picture"] = dict(zip(("x", "y", "width", "height"), picture))
        level = json.loads(convert(lines, "-f", "dovi", DISPLAY))["level5"]
        self.assertEqual(level, {"active_area_left_offset": 10, "active_area_right_offset": WIDTH - 55,
                                 "active_area_top_offset": 6, "active_area_bottom_offset": HEIGHT - 14})

    def test_hdr10plus(self):
        root = json.loads(convert(make_lines(SCENES), "-f", "hdr10plus"))
        self.assertEqual(sorted(root), ["JSONInfo", "SceneInfo", "SceneInfoSummary", "ToolInfo"])
        self.assertEqual(root["JSONInfo"], {"HDR10plusProfile": "A", "Version": "1.0"})
        self.assertEqual(sorted(root["ToolInfo"]), ["Tool", "Version"])
        self.assertEqual(root["SceneInfoSummary"], {"SceneFirstFrameIndex": find_starts(SCENES),
                                                    "SceneFrameNumbers": [len(scene) for scene in SCENES]})
        entries = iter(root["SceneInfo"])
        for number, scene in enumerate(SCENES):
            brightest = max(scene, key=lambda codes: (max(codes), mean_nits(codes)))
            values = [round(10 * NITS[find_percentile(brightest, percent)])
                      for percent in (1, 99.99, 0, 25, 50, 75, 90, 95, 99.98)]
            values[2] = round(100 * statistics.fmean(code <= 2081 for code in flatten(scene)))
            for index in range(len(scene)):
                self.assertEqual(next(entries), {
                    "LuminanceParameters": {
                        "AverageRGB": round(10 * mean_nits(flatten(scene))),
                        "LuminanceDistributions": {"DistributionIndex": [1, 5, 10, 25, 50, 75, 90, 95, 99],
                                                   "DistributionValues": values},
                        "MaxScl": [round(10 * NITS[max(flatten(scene))])] * 3},
                    "NumberOfWindows": 1, "TargetedSystemDisplayMaximumLuminance": 0, "SceneFrameIndex": index,
                    "SceneId": number, "SequenceFrameIndex": find_starts(SCENES)[number] + index})
        self.assertEqual(list(entries), [])

    def test_brightest_frame(self):
        """Of two frames with the same largest code, the one with the larger mean, also if it comes later."""
        size = WIDTH * HEIGHT
        dark, bright = [100] * (size - 9) + [3000] * 9, [1500] * (size - 9) + [3000] * 9
        for scene in ([dark, bright], [bright, dark]):
            values = json.loads(convert(make_lines([scene]), "-f", "hdr10plus"))["SceneInfo"][0]["LuminanceParameters"]
            self.assertEqual(values["LuminanceDistributions"]["DistributionValues"][4], round(10 * NITS[1500]))

    def test_madvr(self):
        for version in (5, 6):
            with tempfile.NamedTemporaryFile() as file:
                convert(make_lines(SCENES), f"--format=madvr{version}", "-o", file.name)
                with open(file.name, "rb") as written:
                    header, scenes, frames = parse_madvr(written.read())
            averages = [mean_nits(codes) for codes in flatten(SCENES)]
            peak = round(max(NITS[code] for code in flatten(flatten(SCENES))))
            expected = {"version": version, "size": 32 if version == 5 else 36, "scenes": len(SCENES), "frames": len(averages),
                        "flags": 2, "max-cll": peak, "max-fall": round(max(averages)),
                        "average-fall": round(statistics.fmean(averages))}
            self.assertEqual(header, expected if version == 5 else {**expected, "target": peak})
            self.assertEqual(scenes, [(start, start + len(scene), round(NITS[max(flatten(scene))]))
                                      for start, scene in zip(find_starts(SCENES), SCENES)])
            for frame, codes in zip(frames, flatten(SCENES), strict=True):
                self.assertEqual(frame["peaks"], [round(64000 * max(codes) / 4095)] * (1 if version == 5 else 3))
                bins = [0] * 256
                for code in codes:
                    bins[find_madvr_bin(code)] += 1
                for found, count in zip(frame["light"], bins):
                    self.assertAlmostEqual(found, 64000 * count / len(codes), delta=0.5001)
                self.assertEqual(frame["hue"], [0] * 31)

    def test_edges_of_madvr_bins(self):
        for code, expected in ((0, 0), (2080, 63), (2081, 64), (4095, 255)):
            with tempfile.NamedTemporaryFile() as file:
                convert([make_line(0, [code] * WIDTH * HEIGHT)], "-f", "madvr5", "-o", file.name)
                with open(file.name, "rb") as written:
                    light = parse_madvr(written.read())[2][0]["light"]
            self.assertEqual([(index, share) for index, share in enumerate(light) if share], [(expected, 64000)])

    def test_known_nits(self):
        for code, nits in ((255, 0.1), (614, 1), (2081, 100), (2378, 203), (3079, 1000), (3696, 4000), (4095, 10000)):
            self.assertAlmostEqual(NITS[code], nits, delta=nits * 0.006)
            root = json.loads(convert([make_line(0, [code] * WIDTH * HEIGHT)], "-f", "hdr10plus"))
            luminance = root["SceneInfo"][0]["LuminanceParameters"]
            self.assertEqual(luminance["AverageRGB"], round(10 * NITS[code]))
            self.assertEqual(luminance["MaxScl"], [round(10 * NITS[code])] * 3)
            self.assertEqual(luminance["LuminanceDistributions"]["DistributionValues"][2], 100 if nits <= 100 else 0)

    def test_text(self):
        lines = convert(make_lines(SCENES)).splitlines()
        peaks = [max(codes) for codes in flatten(SCENES)]
        averages = [mean_nits(codes) for codes in flatten(SCENES)]
        self.assertRegex(lines[0], rf"^MaxCLL +{NITS[max(peaks)]:.4f} nits  frame {peaks.index(max(peaks))} ")
        self.assertRegex(lines[1], rf"^MaxFALL +{max(averages):.4f} nits  frame {averages.index(max(averages))}$")
        for line, start, scene in zip(lines[4:], find_starts(SCENES), SCENES, strict=True):
            codes = flatten(scene)
            expected = [start, len(scene), min(codes), round(statistics.fmean(codes)), max(codes), f"{mean_nits(codes):.4f}",
                        f"{NITS[max(codes)]:.3f}", "64x26", "at", "0,5"]
            self.assertEqual(line.split(), list(map(str, expected)))

    def test_runs(self):
        lines = [*make_lines(SCENES), *make_lines(SCENES[1:3])]
        self.assertEqual(convert(lines, "-f", "scenes", "--run=1"), "0\n4\n7\n8\n")
        self.assertEqual(convert(lines, "-f", "scenes", "--run=2"), "0\n3\n")
        self.assertEqual(convert(lines, "-f", "hdr10plus", "--run=2"), convert(make_lines(SCENES[1:3]), "-f", "hdr10plus"))
        for options, words in (([], "has 2 runs: choose one, --run=1 to --run=2"), (["--run=3"], "--run=3 does not exist"),
                               (["--run=-1"], "must be 1 or more")):
            self.assertIn(words, complain("light", *options, input=dump(lines).encode()))

    def test_warnings(self):
        lines = [line for line in make_lines(SCENES) if "light" in line]
        words = complain("light", input=dump(lines).encode(), status=0)
        self.assertIn("the film is one scene, or was measured without --events=scene-change", " ".join(words.split()))
        self.assertNotIn("active picture", words)
        for line in lines:
            del line["active-picture"]
        self.assertIn("has no active picture", complain("light", input=dump(lines).encode(), status=0))
        self.assertNotIn("active", complain("light", "--active-picture=none", input=dump(lines).encode(), status=0))
        self.assertEqual(complain("light", input=dump(make_lines(SCENES)).encode(), status=0), "")

    def test_partial_films(self):
        for event in ({"event": "incomplete", "reason": "killed"}, {"event": "damaged", "cause": "missing", "missing": 2}):
            line = {**make_cut(3), **event}
            words = complain("light", input=dump([*make_lines(SCENES), line]).encode(), status=1)
            self.assertIn("frame numbers may differ", words)
        cut = dump(make_lines(SCENES))[:-100].encode()
        self.assertIn("frame numbers may differ", complain("light", input=cut, status=1))

    def test_errors(self):
        good = make_lines(SCENES)
        without = [{**good[0], "light": {}}, *good[1:]]
        changes = (
            ([{**good[0], "frames": 25}], "measure without --interval"),
            ([{**good[0], "field": "top"}], "measure whole frames, with --fields=together"),
            ([good[0], *good[2:]], "has no result of frame 1, but of frame 2"),
            ([good[0], {**good[1], "width": 2 * WIDTH}], "changes its size at frame 1"),
            (without, "has no histogram of light of frame 0"),
            ([{**good[0], "light": {"histogram": [0] * 4096}}], "has no histogram of light"),
            ([{**good[0], "light": {"histogram": [2 ** 63] * 4096}}], "has no histogram of light"),
            ([{**good[0], "light": {"histogram": [2 * n for n in good[0]["light"]["histogram"]]}}, *good[1:]],
             "has results of several views"),
            ([good[0], {**good[1], "light": {**good[1]["light"], "transfer": "hlg-1000"}}],
             "has another kind of light from frame 1 on"),
            ([{name: good[0][name] for name in good[0] if name not in ("width", "height")}], "an active picture beyond"),
            ([make_cut(3)], "has no results"),
            ([], "has no results"),
        )
        for lines, words in changes:
            self.assertIn(words, complain("light", input=dump(lines).encode()))
        for option, words in (("--format=x", "is not one of text, dovi"),
                              ("--active-picture=x", "is not one of film, scene and none")):
            self.assertIn(words, complain("light", option))

    def test_kinds_of_light(self):
        """Text has any light and names it; files for mastering tools have max(R, G, B) of PQ."""
        for kind, title, words in (({"transfer": "hlg-1000"}, "HLG at 1000 nits, max-rgb", "light of HLG, max-rgb"),
                                   ({"source": "luminance"}, "PQ, luminance", "light of PQ, luminance")):
            lines = [{**line, "light": {**line["light"], **kind}} if "light" in line else line for line in make_lines(SCENES)]
            self.assertEqual(convert(lines), f"Light    {title}\n" + convert(make_lines(SCENES)))
            self.assertEqual(convert(lines, "-f", "scenes"), convert(make_lines(SCENES), "-f", "scenes"))
            for name in ("dovi", "hdr10plus", "madvr5", "madvr6"):
                options = [DISPLAY] if name == "dovi" else []
                self.assertIn(words, complain("light", "-f", name, *options, input=dump(lines).encode()))

    def test_failure_leaves_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/film.json"
            convert(make_lines(SCENES), "-f", "hdr10plus", "-o", out)
            with open(out, encoding="utf-8") as file:
                before = file.read()
            complain("light", "-f", "hdr10plus", "-o", out, input=dump([*make_lines(SCENES), make_line(99, [1])]).encode())
            with open(out, encoding="utf-8") as file:
                self.assertEqual(file.read(), before)


unittest.main()
