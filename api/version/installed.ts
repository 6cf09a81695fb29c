import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type ReleasesFeed, readChangelog } from './changelog.ts';

const packageFile = z.object({ version: z.string() });

/** The version of this program. */
export async function installedVersion(): Promise<string> {
  return packageFile.parse(JSON.parse(await fromRoot('package.json'))).version;
}

/** The releases that the changelog of this program tells of. */
export async function readReleases(version: string): Promise<ReleasesFeed> {
  return readChangelog(await fromRoot('CHANGELOG.md'), version);
}

function fromRoot(name: string): Promise<string> {
  return readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
}
