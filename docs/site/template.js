const MENU = [
  ["Depthloom", "index.html"],
  ["Viewer", "viewer/index.html"],
  ["Guides", "docs/index.html"],
  ["Cameras and formats", "docs/cameras.html"],
  ["Examples", "docs/examples/index.html"],
  ["API", "api/index.html"],
];
/** Guides have no scripts at all. */
const POLICY = "default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'";

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/**
 * The page of a guide.
 * @param {string} title as Markdown has it
 * @param {string} body HTML
 * @param {string} up the way from the page's folder to the site's
 */
export function template(title, body, up) {
  const name = escaped(title.replace(/[`*]/g, ""));
  const menu = MENU.map(([text, path]) => `<a href="${up}/${path}">${text}</a>`).join("\n        ");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta name="viewport" content="width=device-width" />
    <title>${name === "Depthloom" ? name : `${name} · Depthloom`}</title>
    <link rel="stylesheet" href="${up}/style.css" />
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
