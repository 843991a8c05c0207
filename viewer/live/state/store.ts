import { defer, filter, type Observable, Subject } from "rxjs";

/** Tells which settings changed. */
export interface Changed<T extends object> {
  has(name: keyof T): boolean;
}

/** Some settings, as one part of the page sees them. */
export interface Settings<T extends object> {
  /** The present values, in a frozen object. Each change makes a new object, so the caller may keep this one. */
  readonly now: Readonly<T>;
  /** Emits which settings changed, once for each update, after `now` has the new values. */
  readonly changes$: Observable<Changed<T>>;
  /** Changes some settings and notifies the parts that named a setting whose value is now different. */
  update(patch: Partial<T>): void;
}

/**
 * The one place where the settings live. A part of the page names the settings that it acts on: `part("view", "color")`. It can read no
 * others, and is notified of each change of them, whether a control, a key, a link, a settings file or the page itself makes the change.
 */
export class Store<T extends object> {
  #now: Readonly<T>;
  /** The values before the batch that runs. */
  #before: Readonly<T> | undefined;
  readonly #changes$ = new Subject<Changed<T>>();
  readonly #heard = new Set<keyof T>();

  /** `initial`: the default of each setting. */
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

  /** Sets every setting to its default. */
  reset(): void {
    this.update(this.initial);
  }

  /** Runs `work`, which may update several times, and notifies once afterwards: of the settings whose values are different in the end. */
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

  /** The named settings, for a part of the page that acts on them. */
  part<K extends keyof T>(...names: readonly K[]): Settings<Pick<T, K>> {
    return this.#view(names, () => {
      for (const name of names) this.#heard.add(name);
    });
  }

  /** The named settings, for a control that shows and sets them. A control alone does not count as a part that acts on them. */
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

  /** Throws an `Error` that names the settings on which no part of the page acts: changing one of these would have no effect. */
  expectAllHeard(): void {
    const unheard = this.#names.filter((name) => !this.#heard.has(name));
    if (unheard.length > 0) throw new Error(`no part of the page hears of a change of ${unheard.join(", ")}`);
  }

  get #names(): readonly (keyof T)[] {
    return Object.keys(this.initial) as (keyof T)[];
  }
}
