import { lazyRouteComponent } from '@tanstack/react-router';
import { silence } from '../live/silence.ts';

/** A file of the console could not be loaded: its version is no longer served, or the server does not answer. */
export class FileMissing extends Error {
  constructor(cause: unknown) {
    super('A file of the console could not be loaded.', { cause });
  }
}

/** A page from a file of its own. */
function page<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => file(load), name);
}

/** The options of a route whose page is in a file of its own. */
export function pageIn<
  Parent,
  const Path extends string,
  Module extends Record<string, unknown>,
  Name extends keyof Module,
>(parent: Parent, path: Path, load: () => Promise<Module>, name: Name) {
  return { getParentRoute: () => parent, path, component: page(load, name) };
}

export async function file<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await silence.waiting('question', load());
  } catch (error) {
    throw new FileMissing(error);
  }
}

const key = 'ballast.reloaded';
const againMillis = 20_000;
const longestPause = 4_000;

/**
 * Reloads the document as soon as the control plane answers, and with it the current names of the files. `false`: a
 * reload a moment ago did not help.
 */
export async function reloadOnce(signal: AbortSignal): Promise<boolean> {
  for (let pause = 300; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
    const answered = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store', signal }).then(
      ({ status }) => status < 500,
      () => false,
    );
    if (answered) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  if (signal.aborted) return true;
  if (Date.now() - reloadedAt() < againMillis) return false;
  if (!remember()) return false;
  location.reload();
  return true;
}

function reloadedAt(): number {
  try {
    return Number(sessionStorage.getItem(key) ?? 0);
  } catch {
    return 0;
  }
}

/** Without storage, reloading could loop for ever. */
function remember(): boolean {
  try {
    sessionStorage.setItem(key, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}
