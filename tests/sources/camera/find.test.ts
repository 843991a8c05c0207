import { expect, test } from "vitest";
import { cameraNamed, isCamera } from "../../../sources/camera/address.ts";
import { findLibrary } from "../../../sources/camera/ffi/find.ts";
import { linuxWith } from "./pretended/library.ts";

// The names of cameras, and the folders that are searched for the vendors' libraries.

test("cameraNamed splits a name into driver and device, and refuses an unknown driver", () => {
  expect(isCamera("camera:openni")).toBe(true);
  expect(isCamera("cameras/a.bag")).toBe(false);
  expect(cameraNamed("camera:realsense")).toEqual({ driver: "realsense", which: undefined });
  expect(cameraNamed("camera:openni:C:\\a.oni")).toEqual({ driver: "openni", which: "C:\\a.oni" });
  expect(() => cameraNamed("camera:kinect")).toThrow("(realsense, freenect, openni, v4l2)");
});

const usr = "/usr/lib/x86_64-linux-gnu";

test("findLibrary takes the highest version number, and LD_LIBRARY_PATH before the system's folders", () => {
  const place = linuxWith(
    `${usr}/librealsense2.so.2.50`,
    `${usr}/librealsense2.so.2.9`,
    `${usr}/librealsense2.so`,
    "/mine/librealsense2.so.2.40",
  );
  expect(findLibrary(place, "realsense2")).toBe(`${usr}/librealsense2.so.2.50`);
  expect(findLibrary({ ...place, env: { LD_LIBRARY_PATH: "/none:/mine" } }, "realsense2")).toBe(
    "/mine/librealsense2.so.2.40",
  );
  expect(findLibrary(place, "freenect")).toBeUndefined();
  expect(findLibrary(linuxWith(`${usr}/librealsense2-gl.so.2.50`), "realsense2")).toBeUndefined();
});

test("findLibrary searches a subfolder of the system's folders only if the subfolder is named", () => {
  const place = linuxWith(`${usr}/fakenect/libfreenect.so.0.5`);
  expect(findLibrary(place, "freenect")).toBeUndefined();
  expect(findLibrary(place, "freenect", "fakenect")).toBe(`${usr}/fakenect/libfreenect.so.0.5`);
});
