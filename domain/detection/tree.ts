/** The files of a source as detection needs to see them. */
export interface SourceTree {
  /** Relative, with `/` between folders, sorted. */
  paths: readonly string[];
  /** Of files up to `largestText`; undefined if absent or too large. */
  text(path: string): string | undefined;
  /** False of a builder without an engine: a Dockerfile says then which port the program listens on, and nothing else. */
  buildsDockerfiles?: boolean;
}

export const largestText = 256 * 1024;
