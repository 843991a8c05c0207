import { onTestFinished, vi } from "vitest";

/** As much of an element as what the tests look at needs. */
export class FakeElement extends EventTarget {
  children: FakeElement[] = [];
  textContent = "";
  className = "";
  type = "";
  #value = "";
  selected = false;
  readonly clientWidth = 0;
  readonly clientHeight = 0;
  readonly dataset: Record<string, string> = {};
  readonly style = { setProperty() {} };
  readonly classList = { add() {}, toggle() {} };
  constructor(readonly tagName: string) {
    super();
  }
  get value(): string {
    return this.#value;
  }
  /** Browsers keep a slider at its steps. */
  set value(value: string) {
    this.#value = this.type === "range" ? `${Math.round(Number(value))}` : value;
  }
  append(...more: (FakeElement | string)[]): void {
    for (const one of more)
      if (typeof one === "string") this.textContent += one;
      else this.insertBefore(one);
  }
  prepend(...more: FakeElement[]): void {
    this.children.unshift(...more);
  }
  insertBefore(one: FakeElement, before?: FakeElement): void {
    const others = this.children.filter((child) => child !== one);
    this.children = others.toSpliced(before ? others.indexOf(before) : others.length, 0, one);
    one.remove = () => this.replaceChildren(...this.children.filter((child) => child !== one));
  }
  replaceChildren(...more: FakeElement[]): void {
    this.children = [];
    this.append(...more);
  }
  remove(): void {}
  setAttribute(): void {}
  removeAttribute(): void {}
  getAttribute(): null {
    return null;
  }
  toggleAttribute(): void {}
  querySelector(): null {
    return null;
  }
  get valueAsNumber(): number {
    return Number(this.value);
  }
  blur(): void {}
  /** Of a list: the place of the option that has its value. */
  get selectedIndex(): number {
    return this.children.findIndex(({ value }) => value === this.value);
  }
  /** All elements of this kind below. */
  all(tagName: string): FakeElement[] {
    return this.children.flatMap((child) => [...(child.tagName === tagName ? [child] : []), ...child.all(tagName)]);
  }
}

/** Makes elements of pages for the present test. */
export function fakeDocument(): void {
  const createElement = (tag: string) => new FakeElement(tag);
  const createElementNS = (_: string, tag: string) => new FakeElement(tag);
  const document = new FakeElement("document");
  vi.stubGlobal("document", Object.assign(document, { createElement, createElementNS }));
  onTestFinished(() => void vi.unstubAllGlobals());
}
