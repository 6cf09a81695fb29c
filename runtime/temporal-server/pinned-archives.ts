/** SHA-256 of official archives, by version and file name. */
export type PinnedArchives = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Only what was learned from elsewhere than the host that serves the archives: its own checksums are asked for anyway. None
 * is known yet, so 1.31.2 is trusted as far as https goes. The key is `temporalVersion`, the file's name that of
 * `officialArchive()`.
 */
export const pinnedArchives: PinnedArchives = {};
