import type { SandboxEnd } from './sandbox/sandbox.ts';

/** How a command of a build failed: its last lines are without colours. */
export interface Failed {
  command: string;
  end: SandboxEnd;
  lines: readonly string[];
}

interface Advice {
  /** Of one of the last lines. */
  said?: RegExp;
  ended?: (end: SandboxEnd) => boolean;
  what: (found: RegExpExecArray, lines: readonly string[]) => string;
}

const killedBy = (name: string) => (end: SandboxEnd) => end.ended === 'killed' && end.by === name;
const plain = (text: string) => () => text;

const unreachable = /^unreachable: (.*)/;
const notReached: Advice['what'] = (_, lines) => {
  const [which = 'An address could not be reached.'] = lines.flatMap((line) => unreachable.exec(line)?.[1] ?? []);
  return `${which} Builds reach the Internet by http and https only, through HTTPS_PROXY: no database, no other port, no service of yours. Retry if the other side was away.`;
};

/** Advice for common failures: the first that fits. Those that name their cause come before those that others cause. */
const table: readonly Advice[] = [
  {
    ended: ({ ended }) => ended === 'memory',
    what: plain(
      'Let the build work on less at a time, for example with fewer workers, or set NODE_OPTIONS=--max-old-space-size.',
    ),
  },
  {
    ended: ({ ended }) => ended === 'disk',
    what: plain('Keep large files out of the source by .dockerignore, and let the build write less.'),
  },
  {
    ended: ({ ended }) => ended === 'processes',
    what: plain('A script probably starts itself again and again; otherwise let the build use fewer workers.'),
  },
  {
    ended: ({ ended }) => ended === 'seconds',
    what: plain('A command that waits for input or watches files never ends: build once and exit.'),
  },
  {
    said: /heap out of memory|Allocation failed - JavaScript heap/i,
    what: plain(
      'Node ran out of memory: set NODE_OPTIONS=--max-old-space-size=3072 for the build, or let it work on less at a time.',
    ),
  },
  {
    said: /ENOSPC|No space left on device/i,
    what: plain('The disk of the cluster is full: free space on its machine, then retry.'),
  },
  {
    said: /file size limit|SIGXFSZ/i,
    ended: killedBy('SIGXFSZ'),
    what: plain('One file became larger than a build may write.'),
  },
  {
    said: /Access to .* was refused|network: (.*)/i,
    what: ([, why = 'the address is not public']) => `The network of builds refused an address: ${why}`,
  },
  {
    said: /npm (?:error|ERR!) `?npm ci`? can only install|package-lock\.json.*(?:not in sync|are in sync)|Missing: .* from lock file/i,
    what: plain(
      'package-lock.json does not fit package.json: run npm install, commit package-lock.json and build again.',
    ),
  },
  {
    said: /ERR_PNPM_OUTDATED_LOCKFILE|ERR_PNPM_LOCKFILE_CONFIG_MISMATCH/,
    what: plain('pnpm-lock.yaml does not fit package.json: run pnpm install, commit pnpm-lock.yaml and build again.'),
  },
  {
    said: /lockfile would have been modified|Your lockfile needs to be updated|lockfile had changes, but lockfile is frozen/i,
    what: plain(
      'The lockfile does not fit package.json: run the install command of your package manager, commit the lockfile and build again.',
    ),
  },
  {
    said: /ERESOLVE|unable to resolve dependency tree|conflicting peer dependency/i,
    what: plain(
      'Two packages want different versions of a third: align them in package.json, or put legacy-peer-deps=true into .npmrc.',
    ),
  },
  {
    said: /EBADENGINE|The engine "node" is incompatible|Unsupported engine|requires a peer of node|ERR_PNPM_UNSUPPORTED_ENGINE/i,
    what: plain(
      `The cluster builds with Node ${process.versions.node}: widen "engines" in package.json, or update the agent of the cluster.`,
    ),
  },
  {
    said: /\b(?:E401|E403)\b|401 Unauthorized|403 Forbidden|ERR_PNPM_FETCH_40[13]|YN0041|authentication token/i,
    what: plain(
      'The registry of packages wants a credential: give builds of the cluster one by --build-environment of its agent, or use packages that are public.',
    ),
  },
  {
    said: /\bE404\b|ERR_PNPM_FETCH_404|404 Not Found - GET (\S+)|YN0035/i,
    what: plain(
      'A package or version is not in the registry: check its name; a private one needs its registry in .npmrc and a credential.',
    ),
  },
  {
    said: /EINTEGRITY|integrity checksum failed|checksum mismatch/i,
    what: plain(
      'A package is not what the lockfile says: remove it from the lockfile, install again, and check where it comes from.',
    ),
  },
  {
    said: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|Could not resolve host|Temporary failure in name resolution|dial tcp: lookup \S+/,
    what: notReached,
  },
  {
    said: /SELF_SIGNED_CERT|unable to get (?:local )?issuer certificate|UNABLE_TO_(?:GET_ISSUER|VERIFY)/i,
    what: plain(
      'A certificate is signed by an authority that builds do not trust: give the agent of the cluster --build-ca-file.',
    ),
  },
  {
    said: /Missing script: "?([\w:.-]+)|ERR_PNPM_NO_SCRIPT.*?([\w:.-]+)$|Command "(build|start)" not found|Couldn't find a script named "([\w:.-]+)"/,
    what: (found) =>
      `package.json has no script ${found.slice(1).find((one) => one !== undefined) ?? 'of this name'}: add it, or correct the build command.`,
  },
  {
    said: /gyp ERR! find Python|not find any Python|gyp ERR! (?:stack|not ok)|node-gyp rebuild|make: not found|(?:g\+\+|gcc|cc): (?:command )?not found/i,
    what: plain(
      'A package is compiled from C or C++: install python3, make and g++ on the machine of the cluster, or take a version of the package with a built binary.',
    ),
  },
  {
    said: /fatal error: ([\w./+-]+\.h(?:pp)?): No such file/,
    what: ([, header]) =>
      `A package is compiled from C, and the machine of the cluster has no ${header}: install the package of Debian that has it (such names end with -dev), or build on a cluster with the driver docker.`,
  },
  {
    said: /Your requirements could not be resolved|lock file does not contain a compatible set|lock file is not up to date with the latest changes in composer\.json/i,
    what: plain(
      'composer.lock does not fit composer.json, or PHP: run composer update, commit composer.lock and build again.',
    ),
  },
  {
    said: /Could not find gem|Bundler could not find compatible versions|The bundle is frozen|in frozen mode|Your Ruby version is/i,
    what: plain(
      'Gemfile.lock does not fit the Gemfile, or Ruby: run bundle install, commit Gemfile.lock and build again.',
    ),
  },
  {
    said: /An error occurred while installing ([\w-]+)|Failed to build gem native extension/,
    what: ([, name]) =>
      `${name ?? 'A gem'} is compiled from C: install the packages of Debian that it names above (such as libpq-dev or libsqlite3-dev) on the machine of the cluster, or build on one with the driver docker.`,
  },
  {
    said: /Hex dependency resolution failed|Unchecked dependencies for environment|Can't continue due to errors on dependencies/i,
    what: plain('mix.lock does not fit mix.exs: run mix deps.get, commit mix.lock and build again.'),
  },
  {
    said: /error NETSDK1045|does not support targeting \.NET (\S+?)\.?(?:\s|$)/i,
    what: plain(
      'The kit of .NET is older than what the project targets: install a newer one on the machine of the cluster.',
    ),
  },
  {
    said: /error TS\d+|Type error: |Failed to type check/,
    what: plain('TypeScript found errors: `tsc --noEmit` shows them on your machine.'),
  },
  {
    said: /Cannot find module ['"]([^'"]+)['"]|Module not found: .*?(?:resolve |: )['"]([^'"]+)['"]|Could not resolve ["']([^"']+)["']|ERR_MODULE_NOT_FOUND.*?'([^']+)'/,
    what: (found) =>
      `${found.slice(1).find((one) => one !== undefined) ?? 'A module'} is not there: add it to the dependencies, or check the spelling; names are case-sensitive here.`,
  },
  {
    said: /ModuleNotFoundError: No module named '([^']+)'/,
    what: ([, name]) => `Python has no module ${name}: add its package to the requirements.`,
  },
  {
    said: /EADDRINUSE|address already in use/i,
    what: plain('The build starts a server on a port that is taken: a build must not start the application.'),
  },
  {
    said: /Tests?:? +(?:Suites: )?\d+ failed|\d+ failing\b|FAIL {1,2}\S+\.(?:test|spec)\.|AssertionError/,
    what: plain('Tests that the build runs failed: run them on your machine, or take them out of the build.'),
  },
  {
    said: /\d+ problems? \(\d+ errors?|ESLint: |Failed to compile.*lint/i,
    what: plain('The linter found errors: correct them, or take it out of the build.'),
  },
  {
    said: /EACCES|EPERM|Permission denied|EROFS|Read-only file system/i,
    what: plain(
      'A command writes where it may not, or a script is not executable: builds write in the source, /tmp and their home; `git update-index --chmod=+x FILE` makes a script executable.',
    ),
  },
  {
    said: /(?:sh|bash): (?:line )?\d*:? ?([\w./@-]+): (?:command )?not found|([\w./@-]+): not found$/,
    what: (found) =>
      `The program ${found[1] ?? found[2]} is not there: add the package that has it to the dependencies, or correct the command.`,
  },
  {
    said: /Invalid environment|environment variable .* (?:is )?(?:missing|required|not set)|Missing (?:required )?env/i,
    what: plain(
      'The build wants a variable of the environment that it does not have: give it a default for the build, and read it when the application starts.',
    ),
  },
  {
    said: /fatal: not a git repository|git: not found/,
    what: plain(
      'The build asks Git, and a source has no history: write what it needs, such as the version, into a file.',
    ),
  },
  {
    said: /SyntaxError: |Unexpected token/,
    what: plain('A file cannot be parsed: the line above names it. A newer syntax needs a newer Node or a build step.'),
  },
  {
    ended: killedBy('SIGKILL'),
    what: plain(
      'It was killed from outside, most likely because the machine ran out of memory: let the build work on less at a time.',
    ),
  },
  {
    ended: (end) => end.ended === 'exited' && end.code === 127,
    what: plain('A program is not there: add the package that has it to the dependencies, or correct the command.'),
  },
  {
    ended: (end) => end.ended === 'exited' && end.code === 126,
    what: plain('A program is there and cannot be run: is it executable, and made for this kind of machine?'),
  },
  // Many tools do without a host that they tell of themselves, so all that names its cause goes before.
  { said: unreachable, what: notReached },
];

/** Advice, if the failure is a common one. */
export function adviceOn({ end, lines }: Failed): string | undefined {
  for (const { said, ended, what } of table) {
    if (ended?.(end) === true) return what([''] as unknown as RegExpExecArray, lines);
    if (said === undefined) continue;
    for (const line of lines) {
      const found = said.exec(line);
      if (found !== null) return what(found, lines);
    }
  }
  return undefined;
}
