import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SCENES } from "../../sources/synthetic/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { depthloom } from "./command.ts";

const disk = useFolder();
const VIEWS = Object.values(SCENES).flatMap(({ views }) => Object.keys(views));

describe("depthloom refuses with exit status 2 and a line that helps:", () => {
  test.each([
    [["replay"], /missing required argument 'recording'/],
    [["replya", "x"], /unknown command 'replya'.*Did you mean replay/s],
    [["replay", "x", "--colour"], /unknown option '--colour'/],
    [["replay", ""], /^depthloom: <recording> is empty; give one/],
    [["replay", "x", "--out", ""], /^depthloom: the value of --out is empty; give one/],
    [["replay", "x", "--stages", "median,blur"], /there is no stage "blur"; there are .*median/],
    [["replay", "x", "--stages", "median,median"], /median appears twice; give one a name of its own/],
    [["replay", "x", "--stages", "dofSplat,compact"], /put compact before it/],
    [["replay", "x", "--stages", "compact,median"], /points of depth that median has not filtered: put median before/],
    [["filter", "x", "--to", "x.mcap", "--as", "points"], /--as is for a ROS bridge .* alone: leave it out/],
    [["filter", "x", "--to", "serve", "--frame-id", "a"], /--frame-id is for a ROS bridge .* alone: leave it out/],
    [["filter", "x", "--to", "x.mcap", "--origin", "http://a"], /--origin is for --to serve alone: leave it out/],
    [["replay", "x", "--set", "median"], /--set median: it must be stage\.parameter=value, such as median\.size=5/],
    [["replay", "x", "--set", "median.size=4"], /--set median\.size=4: median\.size must be one of 3, 5, not "4"/],
    [["replay", "x", "--set", "median.sise=5"], /median has no parameter sise; it has size/],
    [["replay", "x", "--set", "blur.size=5"], /there is no stage "blur"; this run has despeckle, .*paint, compact/],
    [["replay", "x", "--stages", "median", "--set", "compact.x=1"], /compact is not among the stages of this run/],
    [["replay", "x", "--view-size", "1280"], /It must be WIDTHxHEIGHT in pixels, each from 1 to 4096/],
    [["replay", "x", "--view", "30,10"], /It must be yaw,pitch,distance, such as 30,-15,2\.5/],
    [["replay", "x", "--view", "30,10,0"], /The distance must be above 0 m, and no more than 1000/],
    [["replay", "x", "--view", "1e999,10,1"], /The yaw must be from -360 to 360 degrees/],
    [["replay", "x", "--view", "30,91,1"], /The pitch must be from -90 to 90 degrees/],
    [["replay", "x", "--stages", "median", "--view", "30,10,1"], /apply to the picture that dofSplat draws/],
    [["replay", "x", "--force"], /--force clears the folder of --out: give one/],
    [["replay", "x", "--ply"], /--ply writes into the folder of --out: give one/],
    [["replay", "x", "--ply", "--out", "o", "--stages", "median"], /--ply writes the points that compact makes/],
    [["replay", "x", "--backend", "gpu"], /Allowed choices are auto, webgpu, cpu/],
    [["replay", "x", "--backend", "cpu", "--adapter", "software"], /--backend cpu uses no adapter/],
    [["replay", "x", "--frames", "0"], /It must be a whole number from 1/],
    [["replay", "x", "--start", "-1"], /It must be a whole number from 0/],
    [["replay", "x", "--depth-scale", "5000"], /metres per unit of depth: 0\.001 for millimetres, 1\/5000 for TUM/],
    [["replay", "x", "--intrinsics", "525,525,319.5"], /It must be fx,fy,cx,cy in pixels/],
    [["replay", "x", "--intrinsics", "0,525,319.5,240"], /fx and fy must be above 0/],
    [["replay", "x", "--intrinsics", "1e999,525,319.5,240"], /--intrinsics must be .* fx and fy from 0\.01 to 1e6/],
    [["info", "x", "--depth-scale", "1e-12"], /--depth-scale must be a number from 1e-9 to 1, not 1e-12/],
    [["serve", "x", "--fps", "1e9"], /--fps must be a number from 0\.000001 to 1000000, not 1000000000/],
    [["batch", "x", "--out", "y", "--max-megapixels", "257"], /--max-megapixels must be a number from 0\.001 to 256/],
    [["convert", "x", "y.mcap", "--max-megabytes", "1"], /--max-megabytes must be a number from 16 to 1000000, not 1/],
    [["replay", "x", "--format", "bmp"], /--format bmp: there is no such format; there are .*tum, .*mcap/],
    [["replay", "x", "--fps", "fast"], /It must be a number above 0/],
    [["replay", "x", "--settings", "nowhere.json"], /nowhere\.json: it cannot be read: no such file or folder/],
    [["replay", "x", "--settings", "."], /--settings \.: it cannot be read: this is a folder, not a file/],
    [["convert", "x", "x/y.mcap"], /this is inside the input \(x\): choose another place/],
    [["convert", "x", "/"], /\/: the name of the result is empty/],
    [["info", "x", "--adapter", "auto"], /--adapter chooses a GPU: leave out either --adapter or the recording/],
    [["info", "--fps", "30"], /need a recording: name one/],
    [["bench", "fusion", "--out", "."], /^depthloom: \.: this is a folder, not a file: choose another name/],
    [["bench", "median", "--html", "."], /^depthloom: \.: this is a folder/],
    [["report", "--budget", "0"], /It must be a number above 0/],
    [["report", "--budget", "60", "--quick"], /'--budget <seconds>' cannot be used with option '--quick'/],
    [["info", "--adapter", "best"], /Allowed choices are auto, hardware, software/],
    [["replay", "x", "--out", "x.mcap", "--ply", "--stages", "compact"], /--ply: it writes into a folder/],
    [["replay", "x", "--out", "folder", "--raw"], /--raw writes to an \.mcap file/],
    [["filter", "x", "--loop", "--to", "a.mcap"], /--loop and --rate play a recording at a pace/],
    [["filter", "x", "--rate", "2", "--to=-"], /they need --to serve or a bridge/],
    [["synth", "x", "--size", "80"], /It must be WIDTHxHEIGHT/],
    [["synth", "x", "--fps", "5000"], /fps must be a number above 0, to 1000/],
    [["synth", "x", "--format", "mkv"], /Allowed choices are tum, png/],
    [["synth", "x", "--sensor", "xbox"], /Allowed choices are kinect, kinect-v1, .*azure-kinect, .*, phone/],
    [["synth", "x", "--view", "garden"], new RegExp(`Allowed choices are ${VIEWS.join(", ")}\\.`)],
    [["align", "only"], /2 to 16 recordings or cameras/],
    [["align", "a", "b", "--out", "room.pcd"], /room.pcd: it must end with .ply/],
    [["align", "a", "b", "--start-at", "1,2,3"], /It must be x,y,z,roll,pitch,yaw/],
    [["align", "a", "b", "--tag-size", "16 cm"], /It must be a number above 0/],
    [["align", "a", "b", "--tag-size", "0"], /It must be a number above 0/],
    [["align", "a", "b", "--start-at", "1,2,3,4,5,6", "--start-at", "1,2,3,4,5,6"], /--start-at is given 2 times/],
    [
      ["scan", "camera:realsense", "--out", "a.ply"],
      /record it first \(depthloom convert camera:realsense FILE.mcap\)/,
    ],
    [["scan", "-", "--out", "a.ply"], /-: this is read as a recording alone/],
    [["tune", "dofSplatt"], /there is no stage "dofSplatt"; stages with variants: /],
    [["tune", "paint"], /paint has nothing to tune; stages with variants: /],
    [["tune", "dofSplat", "--set", "fnumber=1"], /--set: dofSplat has no parameter fnumber/],
    [["tune", "dofSplat", "--set", "width=0"], /dofSplat.width must be a whole number from 1 to 4096/],
    [["tune", "--set", "width=3"], /--set needs the name of one stage/],
    [["tune", "dofSplat", "--budget", "0"], /It must be a number above 0/],
  ])("%j", async (args, message) => {
    const { status, stdout, stderr } = await depthloom(...args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });

  test.each([
    ["{", /this is not JSON/],
    ['{"stages": ["median"]}', /it must hold \{ "stages": \[\{ "name": "median", "parameters"/],
    ['{"stages": [{"name": "median", "parameters": {"size": 7}}]}', /median\.size must be one of 3, 5, not 7/],
    ['{"stages": [{"name": "mediam", "parameters": {}}]}', /there is no stage "mediam"/],
  ])("a settings file %s", async (text, message) => {
    const path = disk.file("settings.json", text);
    const { status, stderr } = await depthloom("replay", "x", "--settings", path);
    expect(stderr).toMatch(message);
    expect(stderr).toContain(path);
    expect(status).toBe(2);
  });
});

test("bench refuses a file in a folder that does not exist before it measures", async () => {
  const path = join(disk.root, "nowhere", "results.json");
  const { status, stderr } = await depthloom("bench", "fusion", "--out", path);
  expect(stderr).toBe(`depthloom: ${path}: no such file or folder: check the path, whose folders have to exist\n`);
  expect(status).toBe(1);
});

test("a settings file of more than a mebibyte is wrong usage, with its size", async () => {
  const path = disk.file("settings.json", " ".repeat(2 ** 20 + 1));
  const { status, stderr } = await depthloom("replay", "x", "--settings", path);
  expect(stderr).toContain(`${path}: it has 1048577 bytes, and a settings file may have 1048576 at most`);
  expect(status).toBe(2);
});

test.each([
  [["--help"], /replay .*stages.*synth .*info /s],
  [["replay", "--help"], /"depthloom stages" lists.*--view-size.*Exit status: 0 done/s],
  [["synth", "--help"], /--no-noise/],
  [["--version"], /^\d+\.\d+\.\d+\n$/],
])("depthloom %j succeeds", async (args, text) => {
  const { status, stdout } = await depthloom(...args);
  expect(stdout).toMatch(text);
  expect(status).toBe(0);
});
