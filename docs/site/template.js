const MENU = [
  ["Depthloom", "index.html"],
  ["Viewer", "viewer/index.html"],
  ["Guides", "docs/index.html"],
  ["Cameras and formats", "docs/cameras.html"],
  ["Examples", "docs/examples/index.html"],
  ["API", "api/index.html"],
  ["Search", "search.html"],
];
/** Guides have no scripts at all. */
const POLICY = "default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'";
/** The first page and the search have one, and the first page the library's workers. */
const WITH_SCRIPT = `${POLICY}; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'`;

/** A text as HTML. */
export const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/**
 * A table that scrolls by itself where the window is narrow.
 * @param {readonly string[]} head texts
 * @param {readonly (readonly string[])[]} rows HTML
 */
export function table(head, rows) {
  const row = (cells, tag) => `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  const body = rows.map((cells) => row(cells, "td")).join("\n");
  return `<div class="wide" tabindex="0"><table><thead>${row(head, "th")}</thead><tbody>${body}</tbody></table></div>`;
}

/**
 * The page of a guide.
 * @param {string} title as Markdown has it
 * @param {string} body HTML
 * @param {string} up the way from the page's folder to the site's
 * @param {boolean} scripted whether the page has the site's script
 */
export function template(title, body, up, scripted) {
  const name = escaped(title.replace(/[`*]/g, ""));
  const menu = MENU.map(([text, path]) => `<a href="${up}/${path}">${text}</a>`).join("\n        ");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${scripted ? WITH_SCRIPT : POLICY}" />
    <meta name="viewport" content="width=device-width" />
    <title>${name === "Depthloom" ? name : `${name} · Depthloom`}</title>
    <link rel="stylesheet" href="${up}/style.css" />${scripted ? `\n    <script type="module" src="${up}/site.js"></script>` : ""}
  </head>
  <body>
    <header>
      <nav aria-label="Site">
        ${menu}
      </nav>
    </header>
    <main>
${body}    </main>
    <footer>Depthloom · MIT licence</footer>
  </body>
</html>
`;
}
