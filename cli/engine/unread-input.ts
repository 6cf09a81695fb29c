import { fstatSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { RestRefusal } from './rest.ts';

/** Piped input comes at once, or from something too slow to wait for: an open pipe need not be meant. */
const longest = 300;

/** Throws when somebody gives a standard input to a command that would drop it. */
export async function refuseInput(): Promise<void> {
  if (process.stdin.isTTY || !(await hasInput())) return;
  throw new RestRefusal(
    'The program would get no standard input, and there is some: put it into a file of the instance or into its arguments, or say `</dev/null`.',
  );
}

async function hasInput(): Promise<boolean> {
  let input: ReturnType<typeof fstatSync>;
  try {
    input = fstatSync(0);
  } catch {
    return false;
  }
  if (input.isFile()) return input.size > 0;
  if (!input.isFIFO() && !input.isSocket()) return false;
  const { stdin } = process;
  const over = new AbortController();
  const seen = new Promise<boolean>((resolve) => {
    stdin.once('data', () => resolve(true));
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve(false));
  });
  const late = pause(longest, false, { signal: over.signal }).catch(() => false);
  const found = await Promise.race([seen, late]);
  over.abort();
  stdin.removeAllListeners();
  stdin.pause();
  stdin.unref?.();
  return found;
}
