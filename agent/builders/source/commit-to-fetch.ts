import type { BuildBody } from '../../../protocol/build.ts';

/** A commit of a repository, with the credential that reads it. */
export type CommitToFetch = Extract<BuildBody['source'], { kind: 'git' }>;
