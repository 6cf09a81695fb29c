export type BuildProvider = 'node' | 'python' | 'go' | 'rust' | 'java' | 'static' | 'dockerfile';

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
  /** Version '' is the builder's own. */
  toolchain: { name: string; version: string }[];
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
}
