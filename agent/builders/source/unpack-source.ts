import { mkdir, rm } from 'node:fs/promises';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { LayerEntries } from '../../images/layer-entries.ts';
import { shownPath, Tree } from '../../images/tree.ts';
import { Refusal } from '../../program/refusal.ts';

export interface SourceLimits {
  bytes: number;
  files: number;
}

/**
 * Unpacks a source beneath a directory, and nothing anywhere else: names and links that lead out of it, devices and too much of
 * anything are refused, with the path.
 */
export async function unpackSource(
  archive: Readable,
  directory: string,
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<{ files: number; bytes: number }> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const tree = new Tree(directory, 'source');
  const entries = new LayerEntries(tree, false);
  const found = { files: 0, bytes: 0 };
  // Headers and padding are not counted as content, and a name takes as much of the disk as a small file.
  let left = limits.bytes + limits.files * 2_048;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(tooLarge(limits));
      else done(null, chunk);
    },
  });
  const reader = extract();
  let taking = Promise.resolve();
  reader.on('entry', (header, content, next) => {
    content.on('error', () => {}); // Told by the reader itself.
    found.files += 1;
    found.bytes += header.size ?? 0;
    if (found.files > limits.files)
      next(new Refusal(`The source has more than ${limits.files} files; ${shownPath([header.name])} is one too many.`));
    else if (found.bytes > limits.bytes) next(tooLarge(limits, header.name));
    else {
      taking = entries.take(header, content);
      taking.then(() => next(), next);
    }
  });
  try {
    await pipeline([archive, meter, reader], { signal });
  } finally {
    // Nothing is written any more when the caller takes the directory away.
    await taking.catch(() => {});
  }
  tree.checkLinks();
  return found;
}

function tooLarge({ bytes }: SourceLimits, name?: string): Refusal {
  const at = name === undefined ? '' : `; ${shownPath([name])} does not fit`;
  return new Refusal(`The source is larger than ${Math.floor(bytes / 2 ** 20)} MB, all that a build may write${at}.`);
}
