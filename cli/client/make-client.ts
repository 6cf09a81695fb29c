import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { KnownHelp } from '../help/help-texts.mjs';
import { asTyped, clientCommands } from './commands.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** The command line as one file that needs Node and nothing else. Same sources, same bytes. */
export async function makeClient(): Promise<{ script: Buffer; inputs: string[] }> {
  const all = JSON.parse(readFileSync(join(checkout, 'cli', 'help', 'help.json'), 'utf8')) as KnownHelp;
  const isOurs = ({ name }: { name: string }) => name === 'help' || Object.hasOwn(clientCommands, name);
  const others = all.commands.filter((one) => !isOurs(one)).map(({ name }) => name);
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    absWorkingDir: checkout,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    legalComments: 'eof',
    plugins: [typedAlone],
    // Packages in CommonJS ask for Node's own modules by `require`.
    banner: {
      js: `#!/usr/bin/env node\nimport{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);`,
    },
    define: {
      'process.env.NODE_ENV': '"production"',
      clientHelp: JSON.stringify(
        asTyped(JSON.stringify({ commands: all.commands.filter(isOurs), settings: settingsOf(all) })),
      ),
      installationCommands: JSON.stringify(others),
    },
    logLevel: 'silent',
  });
  const [made] = outputFiles;
  if (made === undefined) throw new Error('The bundler made nothing of the command line.');
  return { script: Buffer.from(made.contents), inputs: Object.keys(metafile.inputs) };
}

/** Texts name a command as it is typed in a checkout. */
const typedAlone: Plugin = {
  name: 'typed-alone',
  setup(building) {
    building.onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
      if (relative(checkout, path).startsWith('node_modules')) return undefined;
      const text = readFileSync(path, 'utf8');
      const loader = path.endsWith('.ts') ? 'ts' : 'js';
      // Every command that the help shows is one of these.
      const everyOne = path.endsWith('/help-texts.mjs');
      return { contents: everyOne ? text.replaceAll('./ballast', 'ballast') : asTyped(text), loader };
    });
  },
};

function settingsOf({ settings }: KnownHelp): KnownHelp['settings'] {
  return settings
    .filter(({ name }) => name.startsWith('BALLAST_') && name !== 'BALLAST_HOME')
    .map((one) => (one.name === 'BALLAST_URL' ? { ...one, default: 'the control plane that gave this away' } : one));
}
