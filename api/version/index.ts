import { getVersion } from './get-version.ts';
import { listReleases } from './list-releases.ts';

export const version = { get: getVersion, releases: listReleases };
