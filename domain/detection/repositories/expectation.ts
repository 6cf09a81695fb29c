/** The work of a person who knows the stack, with a repository. Written before the rules, from its files and its README. */
export interface Expected {
  /** `owner/name`; `:folder` is the context, a `!` at the end leaves Dockerfiles out, as a builder without an engine does. */
  of: string;
  /** Provider, framework or `-`, package manager with its pinned version or `-`. */
  stack: string;
  build?: string;
  start?: string;
  /** The folder that is served, of static sites. */
  out?: string;
  port?: number;
  node?: string;
  /** A word of the message that says why it cannot be built. */
  refused?: RegExp;
}

export const server = (
  of: string,
  stack: string,
  build: string,
  start: string,
  port: number,
  node?: string,
): Expected => ({
  of,
  stack,
  build,
  start,
  port,
  ...(node === undefined ? {} : { node }),
});
export const pages = (of: string, stack: string, build: string, out: string, node?: string): Expected => ({
  of,
  stack,
  build,
  out,
  ...(node === undefined ? {} : { node }),
});
export const image = (of: string, port: number): Expected => ({ of, stack: 'dockerfile - -', port });
export const refused = (of: string, why: RegExp): Expected => ({ of, stack: '', refused: why });
