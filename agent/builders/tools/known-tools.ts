/** A package manager that comes from the registry of packages, by its version. */
export interface Fetched {
  /** The package that has it, by version. */
  package(version: string): string;
  /** Where the source demands none. */
  version: string;
  /** Its programs: those that its package.json names and Node runs, or those that run by themselves, with these words. */
  programs: readonly { name: string; by: 'node' | 'itself'; words?: string }[];
}

const machine = process.arch === 'arm64' ? 'aarch64' : 'x64';

export const fetchedTools: Readonly<Record<string, Fetched>> = {
  npm: { package: () => 'npm', version: '11.6.2', programs: [byNode('npm'), byNode('npx')] },
  pnpm: { package: () => 'pnpm', version: '10.18.3', programs: [byNode('pnpm'), byNode('pnpx')] },
  yarn: {
    package: (version) => (version.startsWith('1.') ? 'yarn' : '@yarnpkg/cli-dist'),
    version: '1.22.22',
    programs: [byNode('yarn')],
  },
  // The package `bun` fetches this one in a script of its own, and scripts of packages are not run here.
  bun: {
    package: () => `@oven/bun-linux-${machine}`,
    version: '1.3.0',
    programs: [
      { name: 'bun', by: 'itself', words: 'bin/bun' },
      { name: 'bunx', by: 'itself', words: 'bin/bun x' },
    ],
  },
};

function byNode(name: string) {
  return { name, by: 'node' as const };
}
