import { getImageConfig } from './get-image-config.ts';
import { getRelease } from './get-release.ts';
import { listReleases } from './list-releases.ts';

export const releases = { get: getRelease, list: listReleases, imageConfig: getImageConfig };
