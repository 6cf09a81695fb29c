import type { Demand } from './versions.ts';

export type BuildProvider =
  | 'node'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'php'
  | 'ruby'
  | 'elixir'
  | 'deno'
  | 'dotnet'
  | 'static'
  | 'dockerfile';

/** A program that builds. */
export interface Tool {
  name: string;
  /** '' is the builder's own. */
  version: string;
  /** Versions outside of it are refused by the tool itself, after minutes. */
  demand?: Demand;
  /** Of PHP: an image gets all of them, a machine must have those that are demanded. */
  extensions?: { demanded: readonly string[]; suggested: readonly string[] };
}

export interface BuildStep {
  name: string;
  /** A line for `sh -c`. */
  command: string;
  /** Names of the cache folders that it uses, such as 'npm' and 'next'. */
  caches: string[];
}

/** The work of a builder, which knows no framework. */
export interface BuildPlan {
  provider: BuildProvider;
  kind: 'image' | 'static';
  /** Where commands run, relative to the source; '' is its root. */
  directory: string;
  toolchain: Tool[];
  /** In order: install, build. */
  steps: BuildStep[];
  /** Files of the image, relative to the directory; ['.'] is all. Of a static build: the folder that is served. */
  keep: string[];
  /** Left out of it, such as '.git'. */
  drop: string[];
  /** A line for `sh -c`; '' for static builds and where a Dockerfile says it. */
  start: string;
  /** The folder in which it is started, relative to the directory; '' is that one. */
  startIn: string;
  /** Of the build and of what is started; PORT is given by the platform. */
  environment: Record<string, string>;
  port: number;
  /** Lines like the start of what else may be run of it: `release`, and further processes. */
  proposed: readonly { name: string; line: string }[];
}

/** A word of a shell line: a name from a source may hold anything. */
export function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A name in a sentence, on one line. */
export function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
