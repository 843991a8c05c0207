import { defer, filter, type Observable, Subject } from "rxjs";

/** Which fields changed. */
export interface Changed<T extends object> {
  has(name: keyof T): boolean;
}

/** Settings as one part of the page sees them: the fields that this part has named, and word of each change of them. */
export interface Settings<T extends object> {
  /** The values now. The object is frozen and another one after each change: it can be kept, and nobody can write to it. */
  readonly now: Readonly<T>;
  /** Emits which fields changed, once for each update, after `now` has them. */
  readonly changes$: Observable<Changed<T>>;
  /** Sets some of the fields and tells whoever named one that has another value than before. */
  update(patch: Partial<T>): void;
}

/**
 * The one place where the settings live. A part of the page names the fields that it goes by: `part("view", "color")`. It can read no
 * others, and hears of these whoever sets them, be it a control, a key, a link, a settings file or the page itself.
 */
export class Store<T extends object> {
  #now: Readonly<T>;
  /** The values before the batch that runs. */
  #before: Readonly<T> | undefined;
  readonly #changes$ = new Subject<Changed<T>>();
  readonly #heard = new Set<keyof T>();

  /** `initial`: each field's value where nobody has chosen another. */
  constructor(readonly initial: Readonly<T>) {
    this.#now = Object.freeze({ ...initial });
  }

  /** See `Settings.now`. */
  get now(): Readonly<T> {
    return this.#now;
  }

  /** See `Settings.update`. */
  update(patch: Partial<T>): void {
    this.batch(() => {
      this.#now = Object.freeze({ ...this.#now, ...patch });
    });
  }

  /** Sets every field to its initial value. */
  reset(): void {
    this.update(this.initial);
  }

  /** Runs `work` and tells only afterwards what changed, at once and only if the value is another in the end. */
  batch(work: () => void): void {
    if (this.#before) {
      work();
      return;
    }
    const before = this.#now;
    this.#before = before;
    try {
      work();
    } finally {
      this.#before = undefined;
      const changed = this.#names.filter((name) => !Object.is(before[name], this.#now[name]));
      if (changed.length > 0) this.#changes$.next(new Set(changed));
    }
  }

  /** The named fields, for a part of the page that does something with them. */
  part<K extends keyof T>(...names: readonly K[]): Settings<Pick<T, K>> {
    return this.#view(names, () => {
      for (const name of names) this.#heard.add(name);
    });
  }

  /** The named fields, for a control that shows and sets them: alone, without a part that does something with them, it would be idle. */
  control<K extends keyof T>(...names: readonly K[]): Settings<Pick<T, K>> {
    return this.#view(names, () => {});
  }

  #view<K extends keyof T>(names: readonly K[], onSubscribe: () => void): Settings<Pick<T, K>> {
    const store = this;
    const changes$ = this.#changes$.pipe(filter((changed) => names.some((name) => changed.has(name))));
    return {
      get now() {
        return store.#now;
      },
      changes$: defer(() => {
        onSubscribe();
        return changes$;
      }),
      update: (patch) => store.update(patch as Partial<T>),
    };
  }

  /** Throws an `Error` that names the fields that no part hears of: to set one of these would change nothing on the page. */
  expectAllHeard(): void {
    const unheard = this.#names.filter((name) => !this.#heard.has(name));
    if (unheard.length > 0) throw new Error(`no part of the page hears of a change of ${unheard.join(", ")}`);
  }

  get #names(): readonly (keyof T)[] {
    return Object.keys(this.initial) as (keyof T)[];
  }
}
