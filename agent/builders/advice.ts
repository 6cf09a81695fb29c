import type { SandboxEnd } from './sandbox/sandbox.ts';

/** How a command of a build failed: its last lines are without colours. */
export interface Failed {
  command: string;
  end: SandboxEnd;
  lines: readonly string[];
}

type Found = readonly (string | undefined)[];
/** One of the last lines, or the end, by which a failure is known, and what helps then. */
type Advice = readonly [
  known: RegExp | ((end: SandboxEnd) => boolean),
  advice: string | ((found: Found, lines: readonly string[]) => string),
];

const isEnd = (name: SandboxEnd['ended']) => (end: SandboxEnd) => end.ended === name;
const killedBy = (name: string) => (end: SandboxEnd) => end.ended === 'killed' && end.by === name;
const exitedWith = (code: number) => (end: SandboxEnd) => end.ended === 'exited' && end.code === code;
const named = (found: Found) => found.slice(1).find((one) => one !== undefined);

const unreachable = /^unreachable: (.*)/;
const notReached = (_: Found, lines: readonly string[]): string => {
  const [which = 'An address could not be reached.'] = lines.flatMap((line) => unreachable.exec(line)?.[1] ?? []);
  return `${which} Builds reach the Internet by http and https only, through HTTPS_PROXY: no database, no other port, no service of yours. Retry if the other side was away.`;
};
const tooLargeFile = 'One file became larger than a build may write.';

/** Advice for common failures: the first that fits. Those that name their cause come before those that others cause. */
const table: readonly Advice[] = [
  [
    isEnd('memory'),
    'Let the build work on less at a time, for example with fewer workers, or set NODE_OPTIONS=--max-old-space-size.',
  ],
  [isEnd('disk'), 'Keep large files out of the source by .dockerignore, and let the build write less.'],
  [isEnd('processes'), 'A script probably starts itself again and again; otherwise let the build use fewer workers.'],
  [isEnd('seconds'), 'A command that waits for input or watches files never ends: build once and exit.'],
  [
    /heap out of memory|Allocation failed - JavaScript heap/i,
    'Node ran out of memory: set NODE_OPTIONS=--max-old-space-size=3072 for the build, or let it work on less at a time.',
  ],
  [/ENOSPC|No space left on device/i, 'The disk of the cluster is full: free space on its machine, then retry.'],
  [/file size limit|SIGXFSZ/i, tooLargeFile],
  [killedBy('SIGXFSZ'), tooLargeFile],
  [
    /Access to .* was refused|network: (.*)/i,
    ([, why = 'the address is not public']) => `The network of builds refused an address: ${why}`,
  ],
  [
    /npm (?:error|ERR!) `?npm ci`? can only install|package-lock\.json.*(?:not in sync|are in sync)|Missing: .* from lock file/i,
    'package-lock.json does not fit package.json: run npm install, commit package-lock.json and build again.',
  ],
  [
    /ERR_PNPM_OUTDATED_LOCKFILE|ERR_PNPM_LOCKFILE_CONFIG_MISMATCH/,
    'pnpm-lock.yaml does not fit package.json: run pnpm install, commit pnpm-lock.yaml and build again.',
  ],
  [
    /lockfile would have been modified|Your lockfile needs to be updated|lockfile had changes, but lockfile is frozen/i,
    'The lockfile does not fit package.json: run the install command of your package manager, commit the lockfile and build again.',
  ],
  [
    /ERESOLVE|unable to resolve dependency tree|conflicting peer dependency/i,
    'Two packages want different versions of a third: align them in package.json, or put legacy-peer-deps=true into .npmrc.',
  ],
  [
    /EBADENGINE|The engine "node" is incompatible|Unsupported engine|requires a peer of node|ERR_PNPM_UNSUPPORTED_ENGINE/i,
    `The cluster builds with Node ${process.versions.node}: widen "engines" in package.json, or update the agent of the cluster.`,
  ],
  [
    /\b(?:E401|E403)\b|401 Unauthorized|403 Forbidden|ERR_PNPM_FETCH_40[13]|YN0041|authentication token/i,
    'The registry of packages wants a credential: give builds of the cluster one by --build-environment of its agent, or use packages that are public.',
  ],
  [
    /\bE404\b|ERR_PNPM_FETCH_404|404 Not Found - GET (\S+)|YN0035/i,
    'A package or version is not in the registry: check its name; a private one needs its registry in .npmrc and a credential.',
  ],
  [
    /EINTEGRITY|integrity checksum failed|checksum mismatch/i,
    'A package is not what the lockfile says: remove it from the lockfile, install again, and check where it comes from.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|Could not resolve host|Temporary failure in name resolution|dial tcp: lookup \S+/,
    notReached,
  ],
  [
    /SELF_SIGNED_CERT|unable to get (?:local )?issuer certificate|UNABLE_TO_(?:GET_ISSUER|VERIFY)/i,
    'A certificate is signed by an authority that builds do not trust: give the agent of the cluster --build-ca-file.',
  ],
  [
    /Missing script: "?([\w:.-]+)|ERR_PNPM_NO_SCRIPT.*?([\w:.-]+)$|Command "(build|start)" not found|Couldn't find a script named "([\w:.-]+)"/,
    (found) => `package.json has no script ${named(found) ?? 'of this name'}: add it, or correct the build command.`,
  ],
  [
    /gyp ERR! find Python|not find any Python|gyp ERR! (?:stack|not ok)|node-gyp rebuild|make: not found|(?:g\+\+|gcc|cc): (?:command )?not found/i,
    'A package is compiled from C or C++: install python3, make and g++ on the machine of the cluster, or take a version of the package with a built binary.',
  ],
  [
    /fatal error: ([\w./+-]+\.h(?:pp)?): No such file/,
    ([, header]) =>
      `A package is compiled from C, and the machine of the cluster has no ${header}: install the package of Debian that has it (such names end with -dev), or build on a cluster with the driver docker.`,
  ],
  [
    /Your requirements could not be resolved|lock file does not contain a compatible set|lock file is not up to date with the latest changes in composer\.json/i,
    'composer.lock does not fit composer.json, or PHP: run composer update, commit composer.lock and build again.',
  ],
  [
    /Could not find gem|Bundler could not find compatible versions|The bundle is frozen|in frozen mode|Your Ruby version is/i,
    'Gemfile.lock does not fit the Gemfile, or Ruby: run bundle install, commit Gemfile.lock and build again.',
  ],
  [
    /An error occurred while installing ([\w-]+)|Failed to build gem native extension/,
    ([, name]) =>
      `${name ?? 'A gem'} is compiled from C: install the packages of Debian that it names above (such as libpq-dev or libsqlite3-dev) on the machine of the cluster, or build on one with the driver docker.`,
  ],
  [
    /Hex dependency resolution failed|Unchecked dependencies for environment|Can't continue due to errors on dependencies/i,
    'mix.lock does not fit mix.exs: run mix deps.get, commit mix.lock and build again.',
  ],
  [
    /error NETSDK1045|does not support targeting \.NET (\S+?)\.?(?:\s|$)/i,
    'The kit of .NET is older than what the project targets: install a newer one on the machine of the cluster.',
  ],
  [
    /error TS\d+|Type error: |Failed to type check/,
    'TypeScript found errors: `tsc --noEmit` shows them on your machine.',
  ],
  [
    /Cannot find module ['"]([^'"]+)['"]|Module not found: .*?(?:resolve |: )['"]([^'"]+)['"]|Could not resolve ["']([^"']+)["']|ERR_MODULE_NOT_FOUND.*?'([^']+)'/,
    (found) =>
      `${named(found) ?? 'A module'} is not there: add it to the dependencies, or check the spelling; names are case-sensitive here.`,
  ],
  [
    /ModuleNotFoundError: No module named '([^']+)'/,
    ([, name]) => `Python has no module ${name}: add its package to the requirements.`,
  ],
  [
    /EADDRINUSE|address already in use/i,
    'The build starts a server on a port that is taken: a build must not start the application.',
  ],
  [
    /Tests?:? +(?:Suites: )?\d+ failed|\d+ failing\b|FAIL {1,2}\S+\.(?:test|spec)\.|AssertionError/,
    'Tests that the build runs failed: run them on your machine, or take them out of the build.',
  ],
  [
    /\d+ problems? \(\d+ errors?|ESLint: |Failed to compile.*lint/i,
    'The linter found errors: correct them, or take it out of the build.',
  ],
  [
    /EACCES|EPERM|Permission denied|EROFS|Read-only file system/i,
    'A command writes where it may not, or a script is not executable: builds write in the source, /tmp and their home; `git update-index --chmod=+x FILE` makes a script executable.',
  ],
  [
    /(?:sh|bash): (?:line )?\d*:? ?([\w./@-]+): (?:command )?not found|([\w./@-]+): not found$/,
    (found) =>
      `The program ${found[1] ?? found[2]} is not there: add the package that has it to the dependencies, or correct the command.`,
  ],
  [
    /Invalid environment|environment variable .* (?:is )?(?:missing|required|not set)|Missing (?:required )?env/i,
    'The build wants a variable of the environment that it does not have: give it a default for the build, and read it when the application starts.',
  ],
  [
    /fatal: not a git repository|git: not found/,
    'The build asks Git, and a source has no history: write what it needs, such as the version, into a file.',
  ],
  [
    /SyntaxError: |Unexpected token/,
    'A file cannot be parsed: the line above names it. A newer syntax needs a newer Node or a build step.',
  ],
  [
    killedBy('SIGKILL'),
    'It was killed from outside, most likely because the machine ran out of memory: let the build work on less at a time.',
  ],
  [exitedWith(127), 'A program is not there: add the package that has it to the dependencies, or correct the command.'],
  [exitedWith(126), 'A program is there and cannot be run: is it executable, and made for this kind of machine?'],
  // Many tools do without a host that they tell of themselves, so all that names its cause goes before.
  [unreachable, notReached],
];

/** Advice, if the failure is a common one. */
export function adviceOn({ end, lines }: Failed): string | undefined {
  for (const [known, advice] of table) {
    const found = typeof known === 'function' ? known(end) && [] : firstFound(known, lines);
    if (found) return typeof advice === 'string' ? advice : advice(found, lines);
  }
  return undefined;
}

function firstFound(said: RegExp, lines: readonly string[]): Found | null | undefined {
  return lines.map((line) => said.exec(line)).find((found) => found !== null);
}
