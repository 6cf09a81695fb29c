// Started by the shell script `ballast`. Runs on any Node from 20.19 on and without a single package: it installs them. No
// TypeScript here for that reason.
import { existsSync, realpathSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { helpFor, namesCommand } from './help/help.mjs';
import { arePackagesInstalled, cacheDirectory, installPackages } from './packages/install-packages.mjs';

const checkout = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string[]} args */
async function enter(args) {
  // Who reads us may stop reading (`./ballast help | head`); that is no failure of ours.
  process.stdout.on('error', () => {});
  try {
    const help = helpFor(args);
    if (help !== undefined) return void process.stdout.write(help);
    refuseUnsupported();
    if (!namesCommand(args) && !arePackagesInstalled(checkout)) {
      throw Object.assign(new Error(`There is no command "${args[0]}"; see \`./ballast help\`.`), { exitCode: 2 });
    }
    await installPackages(checkout);
    const { program, rest } = programFor(args);
    become(nodeFor(), [...frugal(args), ...program, ...rest], args[0] === 'exec' ? {} : tuned());
  } catch (error) {
    const debug = process.env.BALLAST_DEBUG === '1';
    process.stderr.write(`ballast: ${debug ? error.stack : error.message}\n`);
    process.exitCode = error.exitCode ?? 1;
  }
}

function refuseUnsupported() {
  if (older(process.versions.node, '20.19.0')) {
    throw new Error(
      `This is Node ${process.versions.node}, and Ballast needs 20.19 or newer; install it from https://nodejs.org.`,
    );
  }
  if (!['linux', 'darwin'].includes(process.platform) || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error(
      `Ballast runs on Linux and macOS, on x64 and arm64, and this is ${process.platform}-${process.arch}; use another machine.`,
    );
  }
  if (process.platform === 'linux' && existsSync('/etc/alpine-release')) {
    throw new Error('Ballast needs a Linux with glibc, which Alpine is not; use Debian, Ubuntu, Fedora or the like.');
  }
}

/** `exec <program>` runs a program of a package, or a file of ours, under the pinned Node; all else is a command. */
function programFor(args) {
  const [command, name, ...rest] = args;
  if (command !== 'exec') return { program: [join(checkout, 'cli', 'main.ts')], rest: args };
  if (!name) throw new Error('`./ballast exec` needs the name of a program, such as `./ballast exec vitest run`.');
  if (name.endsWith('.ts')) return { program: [name], rest };
  const link = join(checkout, 'node_modules', '.bin', name);
  if (name.includes('/') || !existsSync(link)) {
    throw new Error(
      `No package here has a program ${name}; see node_modules/.bin for those that there are. Tools of developers come with \`npm ci --include=dev\`.`,
    );
  }
  return { program: [realpathSync(link)], rest };
}

/** The pinned Node if the platform has one, else this one if it runs TypeScript as it is. */
function nodeFor() {
  const pinned = join(checkout, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(pinned)) return pinned;
  if (!older(process.versions.node, '22.18.0')) return process.execPath;
  throw new Error(
    `There is no packaged Node for ${process.platform}-${process.arch} and this one is ${process.versions.node}; install Node 24 from https://nodejs.org.`,
  );
}

/**
 * Compiled code is cached: that takes a third off every start. Young objects get less room than Node gives them: that
 * saves a busy API 25 MB and more, and costs nothing that can be measured (docs/performance.md). The allocator of glibc, which
 * gives each of a few threads memory of its own and takes little of it back, gets along with two such arenas.
 */
function tuned() {
  const {
    NODE_COMPILE_CACHE = join(cacheDirectory(), 'compiled'),
    NODE_OPTIONS = '',
    MALLOC_ARENA_MAX = '2',
  } = process.env;
  return { NODE_COMPILE_CACHE, NODE_OPTIONS: `--max-semi-space-size=8 ${NODE_OPTIONS}`.trim(), MALLOC_ARENA_MAX };
}

/**
 * The supervisor does nothing for weeks: its start alone would leave 20 MB of room for young objects behind. An argument and
 * no variable, since its parts inherit those.
 */
function frugal([command]) {
  return command === 'up' ? ['--max-semi-space-size=1'] : [];
}

/** Tells the shell that started us what to become. Arguments may contain anything. */
function become(file, args, env) {
  const settings = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  const words = [file, '--disable-warning=ExperimentalWarning', ...args];
  writeSync(3, `${settings.join('')}exec ${words.map(quoted).join(' ')}\n`);
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function older(version, than) {
  const [left, right] = [version, than].map((text) => text.split('.').map(Number));
  for (const index of [0, 1, 2]) if (left[index] !== right[index]) return left[index] < right[index];
  return false;
}

await enter(process.argv.slice(2));
