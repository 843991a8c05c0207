// `npm run site [FOLDER]`: a folder (site/, if none is given) that any static host can serve, without the internet, too: a first page that
// plays a recording, the viewer, the guides, a picture and the parameters of each stage, the API pages, and a search. `npm run build`
// has made dist/.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeApi } from "./api.js";
import { writeGuides } from "./guides.js";
import { SAMPLES, writePictures, writeSamples } from "./shots.js";
import { escaped, table, template } from "./template.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const out = resolve(process.argv[2] ?? join(root, "site"));
const dist = (path) => join(root, "dist", path);
const imported = (path) => import(pathToFileURL(dist(path)).href);

if (out === resolve(root)) throw new Error("the site needs a folder of its own, and the repository is none");
// Only what an earlier run wrote goes: the folder may hold what a host needs, such as CNAME.
const parts = ["api", "viewer", "docs", "pipeline", "library", "samples", "pictures"];
for (const part of parts) rmSync(join(out, part), { recursive: true, force: true });

const [library, write] = [await imported("depthloom.js"), await imported("write.js")];
await writeSamples(join(out, "samples"), library, write);
const pictures = await writePictures(join(out, "pictures"), library, write);
const told = execFileSync(process.execPath, [dist("cli.js"), "stages", "--json"], { encoding: "utf8" });
const stages = new Map(JSON.parse(told).stages.map((stage) => [stage.name, stage]));

/** The first page plays a recording where the README has a picture; a stage's page gets a picture and the schema's parameters. */
function finish(path, body) {
  if (path === "README.md") return body.replace(/<p><img [^>]*><\/p>/, player);
  const stage = stages.get(/^docs\/(\w+)\.md$/.exec(path)?.[1]);
  if (!stage) return body;
  const alt = `${stage.role === "filter" ? "Raw depth, and right of the middle" : "The desk with"} the result of ${stage.name}`;
  const picture = `<p><img src="../pictures/${stage.name}.png" alt="${alt}" width="640" height="480"></p>`;
  const rows = stage.parameters.map(({ name, unit, default: initial, expects, summary }) => {
    const shown = name === "pose" ? "the depth camera's own place" : String(initial);
    return [`<code>${name}</code>`, unit ?? "", ...[shown, expects, summary].map(escaped)];
  });
  const parameters = () => table(["parameter", "unit", "default", "may be", "meaning"], rows);
  return body
    .replace("</p>", pictures.includes(stage.name) ? `</p>\n${picture}` : "</p>")
    .replace(/<div class="wide" tabindex="0"><table>\s*<thead>\s*<tr>\s*<th>parameter<.*?<\/div>/s, parameters);
}

function player() {
  const links = Object.entries(SAMPLES).map(
    ([name, [text]]) => `<a href="viewer/index.html?source=../samples/${name}.mcap">${text}</a>`,
  );
  return `<depthloom-view src="samples/desk.mcap" color="lit" compare>
<img src="pictures/bilateralGrid.png" alt="A desk with a lamp, a plant, a globe and two hands: bumpy on the left, smooth on the right"></depthloom-view>
<p class="divide"><label>Raw <input id="compare" type="range" min="0" max="1" step="0.01" value="0.5"> filtered</label></p>
<p>Your browser filters this recording of a simulated Kinect now. Drag the picture to turn it. In the viewer: ${links.join(", ")}.</p>`;
}

writeGuides(root, out, finish);
const search = `<h1>Search</h1>
<p><label>Words <input id="words" type="search" autocomplete="off"></label></p>
<p id="found" role="status"></p>
<ul id="results"></ul>
<p>The <a href="api/index.html">API pages</a> have a search of their own, for names.</p>
`;
writeFileSync(join(out, "search.html"), template("Search", search, ".", true));
for (const file of ["style.css", "site.js"]) cpSync(join(root, "docs/site", file), join(out, file));
cpSync(dist("app"), join(out, "viewer"), { recursive: true });
for (const part of ["element.js", "chunks", "THIRD-PARTY-NOTICES.md"])
  cpSync(dist(`browser/${part}`), join(out, "library", part), { recursive: true });
await writeApi(root, join(out, "api"), library);
console.log(`${out} is ready for any static host`);
