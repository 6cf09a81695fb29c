import { tmpdir } from 'node:os';
import { keptConsole } from '../../web/build/kept-console.ts';

/** Has the console built once, before installations would each begin to do it beside their tests. */
export default async function builtConsole(): Promise<void> {
  await keptConsole(tmpdir(), new AbortController().signal);
}
