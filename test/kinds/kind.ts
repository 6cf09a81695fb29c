/** A source as people keep it in a repository, and the answer that shows that it was built and started. */
export interface Kind {
  name: string;
  files: Readonly<Record<string, string>>;
  /** The folder of the application, where that is not the root. */
  context?: string;
  /** The sentence depends on packages that were installed, or on files that the build has made. */
  answers: { path: string; includes: string };
  /** Programs that its build and its start need of the machine, besides Node and npm. */
  programs: readonly string[];
  /** The part of its image that is another one with each build of the same commit, whatever the cache has. */
  differs?: string;
  /** The findings of detection; '' where there is nothing to find, port 0 of pages. */
  detected: { provider: string; framework: string; packageManager: string; port: number };
}

/** A source whose packages an npm-like manager installs. */
export function nodeKind(
  name: string,
  files: Kind['files'],
  { framework = name, manager = 'npm', port = 3000, said = name, differs = '' } = {},
): Kind {
  return {
    ...(differs === '' ? {} : { differs }),
    ...{ name, files, programs: [], answers: { path: '/', includes: `Hello from ${said}` } },
    detected: { provider: 'node', framework, packageManager: manager, port },
  };
}

export const packageJson = (said: object): string =>
  `${JSON.stringify({ version: '1.0.0', private: true, ...said }, undefined, 2)}\n`;
