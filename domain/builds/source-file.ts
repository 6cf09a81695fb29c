/** A file of an uploaded folder. Directories are those of its files: an empty one is not sent. */
export interface SourceFile {
  /** Relative, with `/` between its names. */
  path: string;
  kind: 'file' | 'executable' | 'link';
  size: number;
  /** `sha256:…` of its bytes; of a link of where it leads to, as text. */
  digest: string;
}
