/**
 * Stores handles of the files and folders that were opened, so that after a reload one click opens them again. Firefox and Safari give no
 * handles, and a private window stores none: then these functions return nothing, and do not throw.
 */

const DATABASE = "depthloom";
const STORE = "recordings";
/** How many handles are stored; the oldest make room. */
const MOST_SAVED = 12;

interface SavedHandle {
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

/** Stores the handle that a recording was opened from; does nothing with other inputs. */
export async function saveHandle(name: string, input: unknown): Promise<void> {
  if (!isHandle(input)) return;
  try {
    await inStore("readwrite", async (store) => {
      const saved: SavedHandle = { name, handle: input, openedMs: Date.now() };
      await answerOf(store.put(saved));
      const all: SavedHandle[] = await answerOf(store.getAll());
      const oldest = all.toSorted((a, b) => b.openedMs - a.openedMs).slice(MOST_SAVED);
      for (const { name } of oldest) await answerOf(store.delete(name));
    });
  } catch {
    // A private window stores nothing: the user has to choose the recording again.
  }
}

/** The handle that a recording of this name was opened from. */
export async function loadHandle(name: string): Promise<FileSystemHandle | undefined> {
  try {
    const saved: SavedHandle | undefined = await inStore("readonly", (store) => answerOf(store.get(name)));
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
