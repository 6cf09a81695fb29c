import type { SourceFile } from '../../domain/builds/source-file.ts';
import { RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

/** A file whose blob the registry does not have. */
export interface MissingFile extends Omit<SourceFile, 'kind'> {
  /** Of a link: its content. */
  target?: string | undefined;
}

/** Told whenever bytes of blobs have arrived: how many of each so far. */
export type OnSent = (files: readonly MissingFile[], sent: (file: MissingFile) => number) => void;

/** The file is not what was hashed any more. */
export class Changed extends RestRefusal {
  constructor(path: string) {
    super(`${printable(path)} changed while it was uploaded; run the command again.`);
  }
}
