/** A file of an uploaded folder. Directories are those of its files: an empty one is not sent. */
export interface SourceFile {
  /** Relative, with `/` between its names. */
  path: string;
  kind: 'file' | 'executable' | 'link';
  size: number;
  /** `sha256:…` of its bytes; of a link of where it leads to, as text. */
  digest: string;
}

interface ManifestLimits {
  /** How many files a source may have. */
  files: number;
  /** How many bytes they may have in all. */
  bytes: number;
}

interface ManifestFault {
  /** Of the file; absent where it is about the whole. */
  index?: number;
  field?: 'path' | 'size' | 'digest';
  path?: string;
  /** The fault and what to do, to follow the path. */
  message: string;
}

/** As Linux has it, so that every path can be unpacked anywhere. */
const mostNameBytes = 255;
const mostPathBytes = 4_000;
/** A link leads to a path. */
const mostLinkBytes = 4_000;
const mostFaults = 100;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** All that is wrong with a manifest, up to 100 faults. Of an empty list it is one that it is empty. */
export function manifestFaults(files: readonly SourceFile[], limits: ManifestLimits): ManifestFault[] {
  const whole = wholeFaults(files, limits);
  // Of too many files each would only be read in order to be refused.
  if (whole.length > 0) return whole;
  const faults: ManifestFault[] = [];
  const add = (index: number, field: NonNullable<ManifestFault['field']>, message: string) => {
    if (faults.length < mostFaults) faults.push({ index, field, path: files[index]?.path ?? '', message });
  };
  const known = new Map<string, number>();
  const sizes = new Map<string, number>();
  for (const [index, { path, kind, size, digest }] of files.entries()) {
    const wrong = pathFault(path);
    if (wrong !== undefined) add(index, 'path', wrong);
    else if (known.has(path)) add(index, 'path', 'is listed twice; list each path once');
    known.set(path, index);
    if (!digestPattern.test(digest)) add(index, 'digest', 'must be sha256: and 64 lower case hexadecimal digits');
    const other = sizes.get(digest);
    if (other !== undefined && other !== size) {
      add(index, 'size', `is ${size}, and of another file with the same digest it is ${other}; hash the folder again`);
    }
    sizes.set(digest, size);
    if (kind === 'link' && size > mostLinkBytes) {
      add(index, 'size', `is ${size}: a link leads to a path of at most ${mostLinkBytes} bytes; remove or shorten it`);
    }
  }
  for (const [index, { path }] of files.entries()) {
    const above = parents(path).find((one) => known.has(one));
    if (above === undefined) continue;
    const kind = files[known.get(above) ?? 0]?.kind === 'link' ? 'a link' : 'a file';
    add(index, 'path', `lies beneath ${JSON.stringify(above)}, which is ${kind}; list one of the two`);
  }
  return faults;
}

function wholeFaults(files: readonly SourceFile[], limits: ManifestLimits): ManifestFault[] {
  if (files.length === 0) {
    return [{ message: 'has no file; name a folder that has some, or let its .gitignore leave some' }];
  }
  if (files.length > limits.files) {
    return [{ message: `has ${counted(files.length)} files, and ${counted(limits.files)} are allowed; ${leaveOut}` }];
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= limits.bytes) return [];
  const largest = files.reduce((one, other) => (other.size > one.size ? other : one));
  return [
    {
      message: `has ${counted(bytes)} bytes, and ${counted(limits.bytes)} are allowed (the largest is ${JSON.stringify(largest.path)} with ${counted(largest.size)}); ${leaveOut}`,
    },
  ];
}

const leaveOut = 'leave some out by .gitignore or .dockerignore';

/** The fault of a path alone; undefined if it is relative and plain. */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'is empty; name the file';
  if (path.includes('\0')) return 'has a NUL; rename the file';
  if (!path.isWellFormed()) return 'is no UTF-8; rename the file';
  if (path.startsWith('/')) return 'is absolute; give it relative to the folder';
  if (bytesOf(path) > mostPathBytes) return `is longer than ${mostPathBytes} bytes; shorten it`;
  for (const name of path.split('/')) {
    if (name === '') return 'has an empty name in it; write one slash between names and none at the end';
    if (name === '.' || name === '..') return `has the name "${name}" in it; give the path without it`;
    if (bytesOf(name) > mostNameBytes) return `has a name of more than ${mostNameBytes} bytes; shorten it`;
  }
  return undefined;
}

/**
 * The fault of where a link leads. `..` counts from the link's own directory, which no link is part of, so it is allowed at the
 * beginning alone: behind a name it would count from wherever that leads.
 */
export function linkFault(path: string, target: string): string | undefined {
  if (target === '') return 'is a link to nothing; remove it';
  if (target.includes('\0') || !target.isWellFormed()) return 'is a link to a path that is no UTF-8; remove it';
  if (target.startsWith('/')) return `is a link out of the folder (to ${target}); remove it, or leave it out`;
  const names = target.split('/').filter((name) => name !== '' && name !== '.');
  const first = names.findIndex((name) => name !== '..');
  const ups = first === -1 ? names.length : first;
  if (ups > path.split('/').length - 1) return `is a link out of the folder (to ${target}); remove it, or leave it out`;
  if (!names.slice(ups).includes('..')) return undefined;
  return `is a link with ".." behind a name (to ${target}); write the ".." at its beginning`;
}

/** The same text for the same files, in whatever order: its SHA-256 is the digest of the manifest. */
export function manifestText(files: readonly SourceFile[]): string {
  return files
    .map(({ path, kind, size, digest }) => JSON.stringify([path, kind, size, digest]))
    .toSorted()
    .join('\n');
}

function parents(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'));
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function counted(number: number): string {
  return number.toLocaleString('en');
}

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

/** The text of such a line, without its end; undefined of any other line. */
export function readPackLine(line: string): { digest: string; size: number } | undefined {
  const [, digest, size] = /^(sha256:[0-9a-f]{64}) (0|[1-9][0-9]{0,6})$/.exec(line) ?? [];
  return digest === undefined || Number(size) > mostPackedBlobBytes ? undefined : { digest, size: Number(size) };
}
