const sheets = new Map<string, CSSStyleSheet>();

/**
 * Applies a style to a shadow root. Roots of one style share a constructed style sheet, which needs no file and which content security
 * policies allow. It is made on first use, since a server may import elements, too.
 */
export function applyStyle(root: ShadowRoot, css: string): ShadowRoot {
  let sheet = sheets.get(css);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.set(css, sheet);
  }
  root.adoptedStyleSheets = [sheet];
  return root;
}
