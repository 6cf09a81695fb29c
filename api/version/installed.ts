import { readFile } from 'node:fs/promises';
import { type ReleasesFeed, readChangelog } from './changelog.ts';

/** The releases that the changelog of this program tells of. */
export async function readReleases(version: string): Promise<ReleasesFeed> {
  return readChangelog(await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'), version);
}
