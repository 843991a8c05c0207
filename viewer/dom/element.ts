type Child = Node | string;
type Properties<E> = { readonly [K in keyof E]?: E[K] } | Record<never, never>;

/** Makes an element with properties and children. Text is inserted as text, never as markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  properties: Properties<HTMLElementTagNameMap[K]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/** The page's element with this id. Throws where the page has no such element. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Sets a node's text only where it differs, because setting it causes layout. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
