"""Reads a folder of COLMAP or nerfstudio as their documents say, in code of its own, and prints, for each image, the median of how far the
seed points that lie before its camera are from the depth image, in mm, as JSON."""
import json, os, sys
import numpy as np, cv2
folder = sys.argv[1]
def turn(w, x, y, z):
    return np.array([[1-2*y*y-2*z*z, 2*x*y-2*z*w, 2*x*z+2*y*w], [2*x*y+2*z*w, 1-2*x*x-2*z*z, 2*y*z-2*x*w], [2*x*z-2*y*w, 2*y*z+2*x*w, 1-2*x*x-2*y*y]])
cams = []
if os.path.exists(folder + "/transforms.json"):
    t = json.load(open(folder + "/transforms.json"))
    lens = (t["fl_x"], t["fl_y"], t["cx"], t["cy"])
    for f in t["frames"]:  # OpenGL's camera: y up, looking along -z
        m = np.array(f["transform_matrix"]) @ np.diag([1, -1, -1, 1]); m = np.linalg.inv(m)
        cams.append((f["file_path"], f["depth_file_path"], m[:3, :3], m[:3, 3]))
    rows = open(folder + "/" + t["ply_file_path"]).read().split("end_header\n")[1].split("\n")
    X = np.array([[float(v) for v in r.split()[:3]] for r in rows if r])
else:
    lines = lambda name: [l.split() for l in open(folder + "/sparse/0/" + name) if not l.startswith("#")]
    lens = tuple(float(v) for v in lines("cameras.txt")[0][4:8])
    for l in lines("images.txt")[::2]:
        v = [float(x) for x in l[1:8]]
        cams.append(("images/" + l[9], "depth/" + l[9], turn(*v[:4]), np.array(v[4:7])))
    X = np.array([[float(v) for v in l[1:4]] for l in lines("points3D.txt")])
out = []
for image, depth, R, t in cams:
    C, Z = cv2.imread(folder + "/" + image), cv2.imread(folder + "/" + depth, -1).astype(float)
    assert C.shape[:2] == Z.shape
    P = X @ R.T + t; P = P[P[:, 2] > .1]
    u, v = (np.floor(P[:, k] / P[:, 2] * lens[k] + lens[2 + k]).astype(int) for k in (0, 1))  # pixel i covers i to i + 1
    ok = (u >= 0) & (v >= 0) & (u < Z.shape[1]) & (v < Z.shape[0])
    d = Z[v[ok], u[ok]] / 1000; z = P[ok, 2]; near = (d > 0) & (abs(d - z) < .05)
    out.append([float(np.median(abs(d - z)[near]) * 1000), float(near.sum() / max(1, (d > 0).sum()))])
print(json.dumps(out))
