/** Aborted when whoever reads the standard output has stopped to (`./ballast cluster logs shop -f | head`). */
export const readerGone = new AbortController();
