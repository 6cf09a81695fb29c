import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { programVersion } from '../../domain/version.ts';
import { protocolVersion } from '../../protocol/version.ts';
import { imageName } from '../update/download.ts';
import { type ArchivedFile, gzippedArchive, once } from './archive.ts';

export interface Bundle {
  image: string;
  version: string;
  /** `sha256:` and 64 hexadecimal digits, of the bytes. */
  digest: string;
  bytes: Buffer;
}

const agent = join(import.meta.dirname, '..');

/** Makes the agent as it is installed: a few files that need Node and nothing else. Same sources, same bytes. */
export async function makeBundle(): Promise<Bundle> {
  const files = once([
    ...(await compile({ agent: join(agent, 'main.ts') })),
    // By itself: the ingress is replaced only when its own program has changed.
    ...(await compile({ ingress: join(agent, 'ingress', 'main.ts') })),
    // The program that goes into images of static sites.
    ...(await compile({ 'file-server': join(agent, 'builders', 'static', 'file-server.ts') })),
    // The program that packs what a build has left, in a sandbox.
    ...(await compile({ 'pack-image': join(agent, 'builders', 'image', 'pack-image.ts') })),
    // The program that packs volumes into stores.
    ...(await compile({ 'transfer-program': join(agent, 'volumes', 'transfer-program.ts') })),
    // Beside the agent's own thread.
    ...(await compile({ 'watchdog-thread': join(agent, 'program', 'watchdog-thread.ts') })),
    ...scripts(),
    { name: 'LICENSE', bytes: readFileSync(join(agent, '..', 'LICENSE')), executable: false },
  ]);
  files.push({ name: 'release.json', bytes: releaseFile(files), executable: false });
  files.sort((one, other) => (one.name < other.name ? -1 : 1));
  const bytes = await gzippedArchive(files);
  const digest = `sha256:${sha256(bytes)}`;
  return { image: imageName(programVersion, digest), version: programVersion, digest, bytes };
}

async function compile(entryPoints: Record<string, string>): Promise<ArchivedFile[]> {
  const { outputFiles } = await build({
    entryPoints,
    outdir: agent,
    absWorkingDir: join(agent, '..'),
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    minify: true,
    legalComments: 'eof',
    outExtension: { '.js': '.mjs' },
    chunkNames: '[name]-[hash]',
    plugins: [leaveOut(unusedByDocker)],
    // Packages in CommonJS ask for Node's own modules by `require`, and for their place by `__dirname`.
    banner: {
      js: `import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;`,
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return outputFiles.map(({ path, contents }) => ({
    name: basename(path),
    bytes: Buffer.from(contents),
    executable: false,
  }));
}

/**
 * Packages that the Docker client loads for engines reached by SSH and for builds by BuildKit. The agent speaks to a unix
 * socket and builds nothing by it, and they would be a quarter of the bundle.
 */
const unusedByDocker = /^(ssh2|@grpc\/grpc-js|@grpc\/proto-loader|protobufjs)$/;

/** Modules that are there and empty: loading them costs nothing, using them fails. */
function leaveOut(packages: RegExp): Plugin {
  return {
    name: 'leave-out',
    setup(building) {
      building.onResolve({ filter: packages }, ({ path }) => ({ path, namespace: 'left-out' }));
      building.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
    },
  };
}

/** Every shell script of the agent stands beside agent.mjs, where the code that is in there looks for it. */
function scripts(): ArchivedFile[] {
  const found = readdirSync(agent, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sh'));
  return found
    .filter((name) => basename(name) !== 'install.sh')
    .map((name) => ({
      name: basename(name) === 'ballast.sh' ? 'ballast' : basename(name),
      bytes: readFileSync(join(agent, name)),
      executable: true,
    }));
}

function releaseFile(files: readonly ArchivedFile[]): Buffer {
  const digests = Object.fromEntries(files.map(({ name, bytes }) => [name, sha256(bytes)]).sort());
  return Buffer.from(
    `${JSON.stringify({ version: programVersion, protocol: protocolVersion, files: digests }, null, 2)}\n`,
  );
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
