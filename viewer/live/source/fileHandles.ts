/**
 * Stores handles of the files and folders that were opened, so that after a reload one click opens them again. Firefox and Safari give no
 * handles, and a private window stores none: then these functions return nothing, and do not throw.
 */

const DATABASE = "depthloom";
const STORE = "recordings";
/** Stands behind a recording's name in the name of its handle. */
const SEPARATOR = "\0";
/** How many handles are stored; the oldest make room. */
const MOST_SAVED = 12;

interface SavedHandle {
  /** The recording's name and the time when it was first opened, since several recordings may have one name. */
  readonly name: string;
  readonly handle: FileSystemHandle;
  readonly openedMs: number;
}

/** A handle, with methods that TypeScript's types of the page leave out. */
type AskableHandle = FileSystemHandle & {
  queryPermission?(options: { mode: "read" }): Promise<PermissionState>;
  requestPermission?(options: { mode: "read" }): Promise<PermissionState>;
};

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function inStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "name" });
  const database = await answerOf(opening);
  try {
    return await work(database.transaction(STORE, mode).objectStore(STORE));
  } finally {
    database.close();
  }
}

/** The handles of all recordings of this name. */
const handlesOf = async (name: string): Promise<SavedHandle[]> =>
  (await inStore("readonly", (store) => answerOf<SavedHandle[]>(store.getAll()))).filter(
    (saved) => saved.name.split(SEPARATOR)[0] === name,
  );

/** Where a tab, and each half of a page of two views, notes which of the recordings of one name it has opened. */
const noteOf = (name: string) => `depthloom.handle ${frameElement?.getAttribute("title") ?? ""} ${name}`;

/** Stores the handle that a recording was opened from. Of other files it only notes that they were not opened from an earlier handle. */
export async function saveHandle(name: string, input: unknown): Promise<void> {
  try {
    if (!isHandle(input)) return void (input && sessionStorage.setItem(noteOf(name), ""));
    const saved = { name: `${name}${SEPARATOR}${Date.now()}`, handle: input, openedMs: Date.now() };
    for (const one of await handlesOf(name)) if (await input.isSameEntry(one.handle)) saved.name = one.name;
    await inStore("readwrite", async (store) => {
      await answerOf(store.put(saved));
      const all: SavedHandle[] = await answerOf(store.getAll());
      const oldest = all.toSorted((a, b) => b.openedMs - a.openedMs).slice(MOST_SAVED);
      for (const { name } of oldest) await answerOf(store.delete(name));
    });
    sessionStorage.setItem(noteOf(name), saved.name);
  } catch {
    // A private window stores nothing: the user has to choose the recording again.
  }
}

/** The handle that this tab has opened a recording of this name from; in another tab, if there is just one recording of this name. */
export async function loadHandle(name: string): Promise<FileSystemHandle | undefined> {
  try {
    const [all, own] = [await handlesOf(name), sessionStorage.getItem(noteOf(name))];
    const saved = own === null && all.length === 1 ? all[0] : all.find((one) => one.name === own);
    return isHandle(saved?.handle) ? saved.handle : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the page may read the file. With `ask` the browser asks the user, which it does only in answer to a click. */
export async function mayRead(handle: AskableHandle, ask: boolean): Promise<boolean> {
  if (!handle.queryPermission || !handle.requestPermission) return true;
  const answer = await (ask ? handle.requestPermission({ mode: "read" }) : handle.queryPermission({ mode: "read" }));
  return answer === "granted";
}

const isHandle = (value: unknown): value is FileSystemHandle =>
  typeof FileSystemHandle !== "undefined" && value instanceof FileSystemHandle;

type Picker<T> = ((options?: object) => Promise<T>) | undefined;
/** A dialog of the browser, if it has one of that name. */
export const picker = <T>(name: string) => Reflect.get(globalThis, name) as Picker<T>;

/** Lets the user choose a recording or a folder. Returns handles; `undefined` if the browser has no such dialog. */
export async function pick(what: "recording" | "folder"): Promise<FileSystemHandle | File[] | "nothing" | undefined> {
  const files = picker<FileSystemFileHandle[]>("showOpenFilePicker");
  const folder = picker<FileSystemDirectoryHandle>("showDirectoryPicker");
  if (!files || !folder) return undefined;
  try {
    if (what === "folder") return await folder();
    const chosen = await files({ multiple: true });
    return chosen.length === 1 && chosen[0] ? chosen[0] : await Promise.all(chosen.map((handle) => handle.getFile()));
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError" ? "nothing" : undefined;
  }
}
