#!/usr/bin/env python3
"""How many pixels of stereo pairs Depthloom matches right, beside OpenCV's StereoSGBM and StereoBM in the same run.

    pairs.py make DIR        writes Motorcycle (2014) and Aloe (2006) into DIR, from Debian's python3-skimage and opencv-doc
    pairs.py judge FOLDER …  judges folders of Middlebury's layout of 2014: im0.png, im1.png, calib.txt, disp0.pfm
    pairs.py picture PNG PAIR CAMERA  draws the last frame of a recording with "pair" and that of the camera's own depth, side by side

`judge` prints for each matcher, in % of the pixels with a true disparity: valid ones, and those whose disparity is there and wrong by more than 1
and 2 px; behind it the same two in % of the valid pixels. OpenCV's matchers leave as many columns empty as there are disparities: they get
images with so many columns more on the left. Needs numpy and OpenCV (Debian: python3-opencv), and the command line, built."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import cv2
import numpy as np

COUNT = 128
SEMI_GLOBAL = cv2.StereoSGBM_create(0, COUNT, 5, 200, 800, 2, 31, 5, 100, 2, cv2.STEREO_SGBM_MODE_HH)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILTERS = "despeckle,median,bilateralGrid"


def write(folder, images, disparities, focal, baseline, doffs):
    os.makedirs(folder, exist_ok=True)
    for i, image in enumerate(images):
        cv2.imwrite(f"{folder}/im{i}.png", cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    cv2.imwrite(f"{folder}/disp0.pfm", disparities.astype(np.float32))
    height, width = disparities.shape
    camera = lambda dx: f"[{focal} 0 {width / 2 + dx}; 0 {focal} {height / 2}; 0 0 1]"
    with open(f"{folder}/calib.txt", "w") as file:
        file.write(f"cam0={camera(0)}\ncam1={camera(doffs)}\ndoffs={doffs}\nbaseline={baseline}\nwidth={width}\nheight={height}\n")


def make(into, skimage="/usr/lib/python3/dist-packages/skimage/data", opencv="/usr/share/doc/opencv-doc/examples/data"):
    sides = [cv2.imread(f"{skimage}/motorcycle_{side}.png") for side in ("left", "right")]
    # Focal length, baseline and doffs of both are Middlebury's, at the size of these images.
    write(f"{into}/Motorcycle", sides, np.load(f"{skimage}/motorcycle_disp.npz")["arr_0"], 994.978, 193.001, 31.086)
    half = lambda image: cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    truth = cv2.imread(f"{opencv}/aloeGT.png", 0)[::2, ::2].astype(np.float32) / 2
    sides = [half(cv2.imread(f"{opencv}/aloe{side}.jpg")) for side in "LR"]
    write(f"{into}/Aloe", sides, np.where(truth > 0, truth, np.inf), 1870, 160, 135)


def ours(folder, stages):
    """The disparities of what `depthloom replay` makes of a folder, 0 where there is none."""
    text = open(f"{folder}/calib.txt").read()
    focal, baseline, doffs = (float(re.search(f"^{key}=\\[?([-.\\d]+)", text, re.M)[1]) for key in ("cam0", "baseline", "doffs"))
    with tempfile.TemporaryDirectory() as out:
        command = ["node", f"{ROOT}/cli/launch.js", "replay", folder, "--stages", stages, "--out", f"{out}/run"]
        subprocess.run([*command, "--set", f"stereo.disparities={COUNT}"], check=True, stdout=subprocess.DEVNULL)
        z = 1000 * json.load(open(f"{out}/run/recording.json"))["metresPerUnit"] * cv2.imread(f"{out}/run/depth/000000.png", -1)
    return np.where(z > 0, focal * baseline / np.maximum(z, 1) - doffs, 0)


def opencv(folder, matcher):
    left, right = (cv2.copyMakeBorder(cv2.imread(f"{folder}/im{i}.png", 0), 0, 0, COUNT, 0, cv2.BORDER_REPLICATE) for i in (0, 1))
    return matcher.compute(left, right)[:, COUNT:].astype(np.float32) / 16


def last(folder, images):
    files = sorted(glob.glob(f"{folder}/{images}"))
    return cv2.imread(files[-1], -1)


def picture(into, pair, camera):
    about = json.load(open(f"{pair}/recording.json"))
    sides = [last(pair, about["pair"][side]) for side in ("left", "right")]
    unitOf = lambda folder: json.load(open(f"{folder}/recording.json"))["metresPerUnit"]
    with tempfile.TemporaryDirectory() as out:
        command = ["node", f"{ROOT}/cli/launch.js", "replay", pair, "--from-pair", "--out", f"{out}/run"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        filtered = last(f"{out}/run", "depth/*.png") * unitOf(f"{out}/run")
    disparity = SEMI_GLOBAL.compute(*sides) / 16
    matched = np.where(disparity > 0, about["intrinsics"]["fx"] * about["pair"]["baselineMm"] / 1000 / np.maximum(disparity, 1), 0)
    own = last(camera, "depth/*.png") * unitOf(camera)
    near, far = np.percentile(own[own > 0], (2, 98))

    def drawn(name, image):
        if image.dtype != np.uint8:
            share = np.clip((far - image) / (far - near), 0, 1)
            image = np.where((image > 0)[..., None], cv2.applyColorMap(np.rint(255 * share).astype(np.uint8), cv2.COLORMAP_TURBO), 0)
        else:
            image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
        image = cv2.resize(image.astype(np.uint8), (400, 300), interpolation=cv2.INTER_AREA)
        for colour, width in ((0, 4), (255, 1)):
            cv2.putText(image, name, (8, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (colour,) * 3, width, cv2.LINE_AA)
        return image

    above = [drawn("left image", sides[0]), drawn("block matcher as in cameras", own)]
    below = [drawn("OpenCV's StereoSGBM", matched), drawn("stereo, behind the filters", filtered)]
    # Fewer shades of a colour make a file a third as large.
    cv2.imwrite(into, np.vstack([np.hstack(above), np.hstack(below)]) & 0xF8, [cv2.IMWRITE_PNG_COMPRESSION, 9])


def judge(folder):
    truth = cv2.imread(f"{folder}/disp0.pfm", -1)
    known = np.isfinite(truth) & (truth > 0)
    block = cv2.StereoBM_create(COUNT, 15)
    for name, found in (
        ("stereo", ours(folder, "stereo")),
        (f"stereo,{FILTERS}", ours(folder, f"stereo,{FILTERS}")),
        ("StereoSGBM, MODE_HH", opencv(folder, SEMI_GLOBAL)),
        ("StereoBM", opencv(folder, block)),
    ):
        valid = known & (found > 0)
        wrong = abs(found - truth)
        bad = [(valid & (wrong > px)).sum() for px in (1, 2)]
        all, of = ([100 * count / pixels for count in bad] for pixels in (known.sum(), valid.sum()))
        share = 100 * valid.sum() / known.sum()
        print(f"{os.path.basename(folder):11} {name:38} valid {share:4.1f}  bad {all[0]:.1f}, {all[1]:.1f}  of valid {of[0]:.1f}, {of[1]:.1f}")


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "picture":
        picture(*given)
    for folder in given if what != "picture" else ():
        make(folder) if what == "make" else judge(folder.rstrip("/"))
