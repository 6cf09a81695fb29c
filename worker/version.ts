import { readFile } from 'node:fs/promises';

/** The version of this program. */
export async function programVersion(): Promise<string> {
  const content: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const known = typeof content === 'object' && content !== null && 'version' in content;
  return known && typeof content.version === 'string' ? content.version : 'unknown';
}
