import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { newSecret } from './secrets.ts';

/** Makes the file of the token that /metrics is read with, if its directory is there and the file is not. */
export async function keepMetricsToken(path: string): Promise<void> {
  await writeFile(path, `${newSecret()}\n`, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
  });
}

/** Whether a request shows that token. The file is read each time, so that another token counts at once. */
export async function showsMetricsToken(path: string, authorization: string | undefined): Promise<boolean> {
  const shown = /^Bearer +(\S{16,256})$/i.exec(authorization ?? '')?.[1];
  if (shown === undefined) return false;
  const token = await metricsToken(path);
  return token.length >= 16 && timingSafeEqual(digest(shown), digest(token));
}

/** The token; nothing while there is none. */
export async function metricsToken(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trim();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
