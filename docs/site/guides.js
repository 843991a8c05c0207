// The guides: every page of Markdown in the repository as a page of HTML at the same path, and the files that these pages link to.
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import MarkdownIt from "markdown-it";
import { template } from "./template.js";

const PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "pipeline/README.md"];
const markdown = new MarkdownIt({ html: false });

/**
 * Writes the guides below `out`, and the index that their search reads. Throws where a link leads to no file.
 * @param {string} root the repository
 * @param {string} out
 * @param {(path: string, body: string) => string} finish adds to a page's HTML
 */
export function writeGuides(root, out, finish) {
  const pages = [...PAGES, ...markdownIn(root, "docs")];
  const folders = new Set(pages.map((path) => posix.dirname(path)));
  const linked = new Set();
  const index = [];

  /** Where a link of a page leads on the site. */
  const linkFrom = (path, target) => {
    if (/^(https?:|#)/.test(target)) return target;
    const [file, anchor] = target.split("#");
    const full = posix.join(posix.dirname(path), file).replace(/\/$/, "");
    const kind = statSync(join(root, full), { throwIfNoEntry: false });
    if (!kind) throw new Error(`${path} links to ${target}, and there is no such file`);
    const page = folders.has(full) ? `${full}/index.html` : pages.includes(full) ? pagePath(full) : full;
    if (page === full) linked.add(full);
    return posix.relative(posix.dirname(path), copyPath(page, linked)) + (anchor ? `#${anchor}` : "");
  };
  const write = (path, text) => {
    const { title = path, body, parts } = render(text, (target) => linkFrom(path, target));
    const file = join(out, pagePath(path));
    mkdirSync(dirname(file), { recursive: true });
    const up = posix.relative(posix.dirname(path), ".") || ".";
    writeFileSync(file, template(title, finish(path, body), up, path === "README.md"));
    for (const { id, heading, words } of parts)
      index.push([`${pagePath(path)}#${id}`, heading === title ? title : `${title} › ${heading}`, words]);
  };

  for (const path of pages) write(path, readFileSync(join(root, path), "utf8"));
  // A folder without a page of its own gets a list of what is in it.
  for (const folder of folders) {
    const own = posix.join(folder, "README.md");
    if (pages.includes(own)) continue;
    const names = pages.filter((path) => posix.dirname(path) === folder).map((path) => posix.basename(path));
    write(
      own,
      `# ${posix.basename(folder)}\n\n${names.map((name) => `- [${name.replace(".md", "")}](${name})\n`).join("")}`,
    );
  }
  for (const path of linked) cpSync(join(root, path), join(out, copyPath(path, linked)), { recursive: true });
  writeFileSync(join(out, "search.json"), JSON.stringify(index));
}

/** @param {string} root @param {string} folder @returns {string[]} */
function markdownIn(root, folder) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => posix.join(folder, name.replaceAll("\\", "/")));
}

/** Where a linked file stands on the site: an example of a page is shown as text there, since it needs files that are not on the site. */
const copyPath = (path, linked) => (linked.has(path) && path.endsWith(".html") ? `${path}.txt` : path);

const pagePath = (path) => path.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html");

/** The HTML of a page, its first heading, and the words below each heading. */
function render(text, link) {
  const tokens = markdown.parse(text, {});
  for (const token of tokens.flatMap((token) => [token, ...(token.children ?? [])])) {
    for (const name of ["href", "src"]) {
      const target = token.attrGet(name);
      if (target) token.attrSet(name, link(target));
    }
    // Markdown aligns the cells of tables by inline styles, which the policy refuses.
    const align = /^text-align:(right|center)$/.exec(token.attrGet("style") ?? "")?.[1];
    token.attrs = token.attrs?.filter(([name]) => name !== "style") ?? null;
    if (align) token.attrSet("class", align);
  }
  const parts = [];
  for (const [i, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const heading = tokens[i + 1].content;
      token.attrSet("id", slug(heading));
      parts.push({ id: slug(heading), heading, words: "" });
    } else if (parts.length > 0 && token.content)
      parts.at(-1).words += `${token.content.replace(/\]\([^)]*\)|[`*[\]]/g, "")} `;
  }
  const title = tokens.find(({ type }) => type === "inline")?.content;
  // An element that scrolls sideways must be reachable by the keyboard.
  const body = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll("<th></th>", "<td></td>")
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
  return { title, body, parts };
}

/** A heading's anchor as GitHub makes it, so that one link works in both places. */
const slug = (heading) =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
