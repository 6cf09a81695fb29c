import { mostPackedBlobBytes, packLine } from '../../domain/builds/pack.ts';
import type { MissingFile } from './missing-file.ts';

/** Smaller than a pack may be: progress is told more often, and a connection that breaks costs less. */
const packBytes = 4 * 1024 * 1024;
/** Several packs go at once, also of a folder whose files are all tiny. */
const filesPerPack = 1_000;

export interface Pack {
  files: MissingFile[];
  /** Of the whole body. */
  size: number;
}

/** The files in packs, and those that go by themselves. One alone needs no pack. */
export function packsOf(files: readonly MissingFile[]): { packs: Pack[]; alone: MissingFile[] } {
  const packs: Pack[] = [];
  const alone: MissingFile[] = [];
  for (const file of files) {
    if (file.size > mostPackedBlobBytes) {
      alone.push(file);
      continue;
    }
    const size = packLine(file.digest, file.size).length + file.size;
    const last = packs.at(-1);
    if (last === undefined || last.size + size > packBytes || last.files.length >= filesPerPack) {
      packs.push({ files: [file], size });
    } else {
      last.files.push(file);
      last.size += size;
    }
  }
  return packs.length === 1 && packs[0]?.files.length === 1
    ? { packs: [], alone: [...packs[0].files, ...alone] }
    : { packs, alone };
}
