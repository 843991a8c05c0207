import css from "./overlay.css?inline";

let sheet: CSSStyleSheet | undefined;

/**
 * Applies the overlay's style to a shadow root. All share one constructed style sheet, which needs no file and which content security
 * policies allow. It is made on first use, since a server may import the overlay, too.
 */
export function applyStyle(root: ShadowRoot): ShadowRoot {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  root.adoptedStyleSheets = [sheet];
  return root;
}
