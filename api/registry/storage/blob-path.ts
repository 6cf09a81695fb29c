/** Where the blob of a digest lies, beneath a directory or a prefix. */
export function blobPath(digest: string): string {
  const [, algorithm, digits] = /^(sha256|sha512):([0-9a-f]{64,128})$/.exec(digest) ?? [];
  if (algorithm === undefined || digits === undefined) throw new Error(`${digest} is no digest.`);
  return `blobs/${algorithm}/${digits.slice(0, 2)}/${digits}`;
}

/** The digest of a blob that lies there; undefined if no blob does. */
export function digestAt(path: string): string | undefined {
  const [, algorithm, prefix, digits] = /^blobs\/(sha256|sha512)\/([0-9a-f]{2})\/([0-9a-f]{64,128})$/.exec(path) ?? [];
  return digits?.slice(0, 2) === prefix && digits !== undefined ? `${algorithm}:${digits}` : undefined;
}

export function checkDraftName(name: string): void {
  if (!/^[0-9a-f-]{36}$/.test(name)) throw new Error(`${name} is no name of a draft.`);
}
