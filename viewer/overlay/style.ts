import css from "./overlay.css?inline";

let sheet: CSSStyleSheet | undefined;

/**
 * Gives a shadow root the overlay's style: one sheet for all of them, which no page has to load and no content security policy
 * minds. Made when it is first wanted, since a server may import the overlay, too.
 */
export function applyStyle(root: ShadowRoot): ShadowRoot {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  root.adoptedStyleSheets = [sheet];
  return root;
}
