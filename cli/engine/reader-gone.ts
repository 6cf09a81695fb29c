/** Aborted when the reader of the standard output has gone (`./ballast cluster logs shop -f | head`). */
export const readerGone = new AbortController();
