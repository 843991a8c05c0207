import { expect, test } from "vitest";
import { cameraNamed, isCamera } from "../../../sources/camera/address.ts";
import { findLibrary, libraryFolders } from "../../../sources/camera/ffi/find.ts";
import { linuxWith } from "./pretended/library.ts";

// Names of cameras, and where the vendors' libraries are looked for.

test("a camera's name says its driver, and which of several", () => {
  expect(isCamera("camera:openni")).toBe(true);
  expect(isCamera("cameras/a.bag")).toBe(false);
  expect(cameraNamed("camera:realsense")).toEqual({ driver: "realsense", which: undefined });
  expect(cameraNamed("camera:openni:C:\\a.oni")).toEqual({ driver: "openni", which: "C:\\a.oni" });
  expect(() => cameraNamed("camera:kinect")).toThrow("(realsense, freenect, openni, v4l2)");
});

const usr = "/usr/lib/x86_64-linux-gnu";

test("the newest version is taken, as numbers are ordered, and the user's own folder before the system's", () => {
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

test("a folder below the system's own is looked into where it is named", () => {
  const place = linuxWith(`${usr}/fakenect/libfreenect.so.0.5`);
  expect(findLibrary(place, "freenect")).toBeUndefined();
  expect(findLibrary(place, "freenect", "fakenect")).toBe(`${usr}/fakenect/libfreenect.so.0.5`);
});

test("macOS and Windows have folders and names of their own", () => {
  const there = (platform: string, file: string, env = {}) => ({ ...linuxWith(file), platform, env });
  expect(findLibrary(there("darwin", "/opt/homebrew/lib/librealsense2.2.55.dylib"), "realsense2")).toBe(
    "/opt/homebrew/lib/librealsense2.2.55.dylib",
  );
  const windows = { ...linuxWith(), platform: "win32", env: { PATH: "C:\\a;C:\\b" } };
  expect(libraryFolders(windows).slice(0, 2)).toEqual(["C:\\a", "C:\\b"]);
  expect(findLibrary({ ...windows, list: (folder) => (folder === "C:\\b" ? ["OpenNI2.dll"] : []) }, "OpenNI2")).toBe(
    "C:\\b\\OpenNI2.dll",
  );
});
