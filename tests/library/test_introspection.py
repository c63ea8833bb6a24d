#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The library from Python, only by introspection: the values that a program reads, and their lifetime. Exit status 77 if
PyGObject or GStreamer's typelib is missing."""

import array
import ctypes
import gc
import math
import os
import resource
import subprocess
import sys
import threading
import unittest

try:
    import gi

    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as error:
    print(error)
    sys.exit(77)
gi.require_version("GstCudaHisto", "1.0")
from gi.repository import GstCudaHisto

Gst.init(None)
SOURCE = "videotestsrc num-buffers=3 pattern=white ! video/x-raw,format=I420,width=64,height=32,framerate=25/1"
STATISTICS = "statistics=signalstats+waveform+vectorscope+row-sums+column-sums+active-picture"


def run(line, probe=None):
    """The element messages of a pipeline. `probe` gets each buffer that reaches the element named sink."""
    pipeline = Gst.parse_launch(line)
    if probe:
        def call(_, info):
            probe(info.get_buffer())
            return Gst.PadProbeReturn.OK
        pipeline.get_by_name("sink").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, call)
    pipeline.set_state(Gst.State.PLAYING)
    messages, bus = [], pipeline.get_bus()
    wanted = Gst.MessageType.ELEMENT | Gst.MessageType.ERROR | Gst.MessageType.EOS
    while (message := bus.timed_pop_filtered(30 * Gst.SECOND, wanted)).type == Gst.MessageType.ELEMENT:
        messages.append(message)
    pipeline.set_state(Gst.State.NULL)
    assert message.type == Gst.MessageType.EOS, message.parse_error()
    return messages


class Library(unittest.TestCase):
    def test_members(self):
        for n, message in enumerate(run(f"{SOURCE} ! cudahisto name=eye ! fakesink")):
            result = GstCudaHisto.Result.from_message(message)
            self.assertEqual([result.frame, result.frames, result.element, result.format, result.ended_by],
                             [n, 1, "eye", "I420", "complete"])
            self.assertEqual([result.width, result.height, result.depth, result.framerate_n, result.framerate_d],
                             [64, 32, 8, 25, 1])
            self.assertEqual(result.timestamp, n * Gst.SECOND // 25)
            self.assertEqual([(c.name, c.count, c.mean, c.median) for c in result.components],
                             [("Y", 2048, 235.0, 235), ("U", 512, 128.0, 128), ("V", 512, 128.0, 128)])
            self.assertEqual(result.components[0].mean, message.get_structure().get_double("Y-mean").value)
            self.assertEqual(result.get_main_component().name, "Y")
            self.assertEqual(result.find_component("V").sum, 512 * 128)
            self.assertIsNone(result.find_component("R"))
            self.assertIsNone(result.get_component(3))
            self.assertEqual(result.regions, [])

    def test_fields_and_arrays(self):
        for arrays in "all", "packed":
            lines = f"{SOURCE} ! cudahisto message-arrays={arrays} {STATISTICS} ! fakesink"
            for message in run(lines):
                result = GstCudaHisto.Result.from_message(message)
                luma = result.components[0]
                self.assertEqual(result.get_field("utc-time"), message.get_structure().get_string("utc-time"))
                self.assertIsNone(result.get_field("metered-luma"))
                self.assertEqual(result.get_number("saturation-mean"), 0.0)
                self.assertTrue(math.isnan(result.get_number("metered-luma")))
                is_there, *rectangle = result.get_rectangle("active-picture")
                self.assertEqual((is_there, rectangle), (True, [0, 0, 64, 32]))
                self.assertFalse(result.get_rectangle("crop")[0])
                self.assertEqual(luma.get_field("used-bits"), 6)
                self.assertEqual(luma.get_histogram(), [2048 * (value == 235) for value in range(256)])
                packed = luma.get_field("histogram")
                self.assertIsInstance(packed, GLib.Bytes)
                self.assertEqual(array.array("Q", packed.get_data())[235], 2048)
                self.assertEqual(memoryview(packed.get_data()).cast("Q").tolist(), luma.get_histogram())
                self.assertEqual(luma.get_row_sums(), 32 * [64 * 235])
                self.assertEqual(luma.get_column_sums(), 64 * [32 * 235])
                self.assertEqual([len(luma.get_waveform()), luma.get_waveform()[235]], [64 * 256, 32])
                self.assertEqual([sum(result.get_vectorscope()), result.get_vectorscope()[128 * 256 + 128]], [512, 512])
        for message in run(f"{SOURCE} ! cudahisto message-arrays=none ! fakesink"):
            self.assertEqual(GstCudaHisto.Result.from_message(message).components[0].get_histogram(), [])

    def test_buffers(self):
        seen = []

        def read(buffer):
            seen.append(([r.element for r in GstCudaHisto.buffer_get_results(buffer)],
                         GstCudaHisto.Result.from_buffer(buffer).element,
                         GstCudaHisto.buffer_find_result(buffer, "one").components[0].mean,
                         GstCudaHisto.buffer_find_result(buffer, "three")))
        run(f"{SOURCE} ! cudahisto name=one add-meta=true ! cudahisto name=two add-meta=true ! fakesink name=sink", read)
        self.assertEqual(seen, 3 * [(["one", "two"], "two", 235.0, None)])
        self.assertIsNone(GstCudaHisto.Result.from_buffer(Gst.Buffer.new()))
        self.assertEqual(GstCudaHisto.buffer_get_results(Gst.Buffer.new()), [])

    def test_events_and_others(self):
        messages = run("videotestsrc num-buffers=75 pattern=black ! video/x-raw,format=I420,framerate=25/1 "
                       "! cudahisto window=stream events=black ! fakesink")
        events = [GstCudaHisto.Event.from_message(message) for message in messages]
        results = [GstCudaHisto.Result.from_message(message) for message in messages]
        self.assertEqual([event is None for event in events], [False, False, True])
        self.assertEqual([result is None for result in results], [True, True, False])
        begun, over = events[:2]
        self.assertEqual((begun.kind, begun.start, begun.end, begun.ended_by),
                         ("black", 0, Gst.CLOCK_TIME_NONE, None))
        self.assertEqual((over.ended_by, over.frames, over.threshold, over.get_field("event")), ("eos", 75, 0.98, "black"))
        self.assertRegex(over.get_field("utc-time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        self.assertEqual([event.get_field("utc-time") for event in (begun, over)], 2 * [results[2].get_field("utc-time")])
        self.assertIsNone(GstCudaHisto.Result.from_message(Gst.Message.new_eos(None)))
        self.assertIsNone(GstCudaHisto.Event.from_message(Gst.Message.new_eos(None)))

    def test_what_is_kept_lives(self):
        def keep():
            kept = []
            for message in run(f"{SOURCE} ! cudahisto message-arrays=packed "
                               "regions=0,0,8,4;8,4,16,16 ! fakesink"):
                result = GstCudaHisto.Result.from_message(message)
                kept.append((result.components[1], result.regions[1], result.regions[0].components[0]))
            return kept
        kept = keep()
        gc.collect()
        rubbish = [bytes(n) for n in range(5000)]  # reuses freed memory
        for component, region, component_of_region in kept:
            self.assertEqual((component.name, component.mean, sum(component.get_histogram())), ("U", 128.0, 512))
            self.assertEqual((region.x, region.y, region.width, region.element[:9]), (8, 4, 16, "cudahisto"))
            self.assertEqual(region.components[0].count, 256)
            self.assertEqual((component_of_region.name, sum(component_of_region.get_histogram())), ("Y", 32))
        del rubbish

    def test_reading_leaks_nothing(self):
        message = run(f"{SOURCE} ! cudahisto message-arrays=packed regions=0,0,8,4 ! fakesink")[0]

        def read():
            result = GstCudaHisto.Result.from_message(message)
            result.components[0].get_histogram()
            result.regions[0].components[0].get_field("histogram").get_data()
            result.get_rectangle("crop")
            result.get_field("utc-time")
            result.components[0].get_histogram_bytes()
            GstCudaHisto.Result()
            GstCudaHisto.Component()
            GstCudaHisto.Event()
            GstCudaHisto.Event.from_message(message)

        def get_resident_kib():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * resource.getpagesize() // 1024
        for _ in range(3000):
            read()
        before = get_resident_kib()
        for _ in range(10000):
            read()
        self.assertLess(get_resident_kib() - before, 300)

    def test_empty_structs(self):
        script = """import gc, math, sys
import gi
gi.require_version("GstCudaHisto", "1.0")
from gi.repository import GstCudaHisto
if len(sys.argv) > 1:
    from gi.repository import Gst
    Gst.init(None)
for _ in range(100):
    result, component, event = GstCudaHisto.Result(), GstCudaHisto.Component(), GstCudaHisto.Event()
    for it in result, component, event:
        assert it.get_field("frame") is None
        assert it.copy().get_field("frame") is None
    assert result.components == result.regions == [] and result.element == "" and result.timestamp == 2**64 - 1
    assert result.get_component(0) is result.get_main_component() is result.find_component("Y") is None
    assert result.get_rectangle("crop")[0] is False and math.isnan(result.get_number("frame"))
    for name in "vectorscope", "saturation_histogram", "hue_histogram", "light_histogram":
        assert getattr(result, f"get_{name}")() == [] and getattr(result, f"get_{name}_bytes")() is None
    assert component.name == "" and component.count == 0 and math.isnan(component.mean)
    for name in "histogram", "waveform", "row_sums", "column_sums":
        assert getattr(component, f"get_{name}")() == [] and getattr(component, f"get_{name}_bytes")() is None
    assert event.kind == "" and event.end == 2**64 - 1 and event.ended_by is None and event.frames == 0
    kept = [result, component, event]
    del result, component, event
    gc.collect()
"""
        environment = os.environ | {"G_DEBUG": "fatal-warnings"}
        for arguments in [], ["with-gst"]:
            done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False,
                                  env=environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bytes(self):
        """Each array as bytes: the memory of the message or meta, without padding. It outlives the result."""
        def address(data):
            return data.get_region(1, 0, data.get_size())

        def read(carrier):
            message = run(f"{SOURCE} ! cudahisto message-arrays={carrier} {STATISTICS} ! fakesink")[0]
            structure, result = message.get_structure(), GstCudaHisto.Result.from_message(message)
            found = {}
            for component in result.components:
                found |= {f"{component.name}-{name}": (getattr(component, f"get_{name.replace('-', '_')}_bytes")(),
                                                       getattr(component, f"get_{name.replace('-', '_')}")())
                          for name in ("histogram", "waveform", "row-sums", "column-sums")}
            found |= {name: (getattr(result, f"get_{name.replace('-', '_')}_bytes")(),
                             getattr(result, f"get_{name.replace('-', '_')}")())
                      for name in ("vectorscope", "saturation-histogram", "hue-histogram")}
            for name, (data, _) in found.items():
                if carrier == "packed":
                    self.assertEqual(address(data), address(structure.get_value(name)), name)
                    self.assertEqual(structure.get_value(name).get_size() % 3, 0, name)
            return found
        for carrier in "all", "packed":
            found = read(carrier)
            gc.collect()
            rubbish = [bytes(n) for n in range(5000)]
            self.assertEqual(len(found), 3 * 4 + 3)
            for name, (data, numbers) in found.items():
                self.assertGreater(sum(numbers), 0, name)
                self.assertEqual(array.array("q" if name.endswith("sums") else "Q", data.get_data()).tolist(), numbers, name)
            del rubbish

    def test_numpy(self):
        """As in docs/embedding.md: an array over the same memory, which keeps it alive."""
        try:
            import numpy
        except ImportError as error:
            self.skipTest(str(error))

        def view(data, kind):
            memory = (ctypes.c_uint8 * data.get_size()).from_address(data.get_region(1, 0, data.get_size()))
            memory.owner = data
            return numpy.frombuffer(memory, kind)

        def read():
            message = run(f"{SOURCE} ! cudahisto message-arrays=packed {STATISTICS} ! fakesink")[0]
            luma = GstCudaHisto.Result.from_message(message).components[0]
            histogram, data = view(luma.get_histogram_bytes(), "u8"), luma.get_histogram_bytes()
            self.assertEqual(histogram.ctypes.data, data.get_region(1, 0, data.get_size()))
            return histogram, view(luma.get_waveform_bytes(), "u8").reshape(-1, 256), view(luma.get_row_sums_bytes(), "i8")
        histogram, waveform, sums = read()
        gc.collect()
        rubbish = [bytes(n) for n in range(5000)]
        self.assertEqual((histogram.size, histogram[235], histogram.sum()), (256, 2048, 2048))
        self.assertEqual((waveform.shape, waveform[:, 235].tolist()), ((64, 256), 64 * [32]))
        self.assertEqual(sums.tolist(), 32 * [64 * 235])
        del rubbish

    def test_threads(self):
        result = GstCudaHisto.Result.from_message(run(f"{SOURCE} ! cudahisto ! fakesink")[0])
        faults = []

        def read():
            for _ in range(500):
                if [component.mean for component in result.components] != [235.0, 128.0, 128.0]:
                    faults.append("a mean is wrong")
                if result.components[0].get_histogram()[235] != 2048:
                    faults.append("a counter is wrong")
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])


unittest.main()
