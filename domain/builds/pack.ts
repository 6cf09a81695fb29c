/** A pack is at most so long, as the body of one request: a proxy in front may take no larger ones. */
export const mostPackBytes = 8 * 1024 * 1024;
/** A larger blob goes by itself, by the protocol of the registry: here it is in memory as a whole. No limit of a blob is lower. */
export const mostPackedBlobBytes = 1024 * 1024;
/** How long the line before a blob is at most, with its end. */
export const longestPackLine = 'sha256:'.length + 64 + 1 + String(mostPackedBlobBytes).length + 1;

/** The line before the bytes of a blob in a pack. A pack is nothing but these lines and bytes in turn. */
export function packLine(digest: string, size: number): string {
  return `${digest} ${size}\n`;
}

/** What such a line says, without its end; undefined of one that is none. */
export function readPackLine(line: string): { digest: string; size: number } | undefined {
  const [, digest, size] = /^(sha256:[0-9a-f]{64}) (0|[1-9][0-9]{0,6})$/.exec(line) ?? [];
  return digest === undefined || Number(size) > mostPackedBlobBytes ? undefined : { digest, size: Number(size) };
}
