#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""exposure.py [--camera NAME] [--target LUMA] [--frames N]: keeps the exposure of a GenICam camera so that the metered luma of
its picture is LUMA. Without a name it uses the simulated camera of Aravis. See docs/exposure.md."""

import argparse
import math
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("Aravis", "0.8")
gi.require_version("GstCudaHisto", "1.0")
from gi.repository import Aravis, Gst, GstCudaHisto

LATE_FRAMES = 3  # frames after a change until it shows in the picture: ignored
CLOSE_ENOUGH = 1  # of luma: a smaller error is invisible, and constant corrections flicker
MOST_AT_ONCE = 4  # maximum factor in one step: a clipped picture does not show how far it is off


class Control:
    def __init__(self, target, exposure, limits):
        self.target, self.exposure, self.limits = target, exposure, limits
        self.wait = 0

    def feed(self, luma):
        """Returns the exposure to set in microseconds, or None to keep it."""
        if self.wait > 0:
            self.wait -= 1
            return None
        if math.isnan(luma) or abs(luma - self.target) <= CLOSE_ENOUGH:
            return None
        factor = min(max(self.target / max(luma, 1), 1 / MOST_AT_ONCE), MOST_AT_ONCE)
        exposure = min(max(self.exposure * factor, self.limits[0]), self.limits[1])
        if exposure == self.exposure:
            return None
        self.exposure, self.wait = exposure, LATE_FRAMES
        return exposure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--camera", default="Fake_1")
    parser.add_argument("--target", type=float, default=110)
    parser.add_argument("--frames", type=int, default=-1)
    arguments = parser.parse_args()
    Gst.init(None)
    if arguments.camera == "Fake_1":
        Aravis.enable_interface("Fake")
    pipeline = Gst.parse_launch(f'aravissrc name=camera camera-name="{arguments.camera}" exposure=500 '
                                f"num-buffers={arguments.frames} ! video/x-raw,format=GRAY8 "
                                "! cudahisto metering=center message-arrays=none ! fakesink")
    camera, bus = pipeline.get_by_name("camera"), pipeline.get_bus()
    control = Control(arguments.target, 500, (50, 100000))
    pipeline.set_state(Gst.State.PLAYING)
    luma, changed, fault = float("nan"), 0, None  # changed: when the exposure was set, in running time
    wanted = Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR
    try:
        while fault is None:
            message = bus.timed_pop_filtered(20 * Gst.SECOND, wanted)
            if message is None:
                fault = "the camera sends nothing"
            elif message.type == Gst.MessageType.ERROR:
                fault = message.parse_error().gerror.message
            elif message.type == Gst.MessageType.EOS:
                break
            elif result := GstCudaHisto.Result.from_message(message):
                luma = result.get_number("metered-luma")
                # A frame that was taken before the change may come after it on a busy machine.
                if result.running_time >= changed and (exposure := control.feed(luma)) is not None:
                    print(f"frame {result.frame}: luma {luma:.1f}, exposure {exposure:.0f} us", flush=True)
                    camera.set_property("exposure", exposure)
                    changed = pipeline.get_current_running_time()
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)
    if fault:
        sys.exit(fault)
    print(f"luma {luma:.1f} at {control.exposure:.0f} us")


main()
