import { ReleaseSchema } from './release.ts';

export const releases = [ReleaseSchema] as const;
