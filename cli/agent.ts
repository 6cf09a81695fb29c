import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { keptBundle } from '../agent/bundle/kept-bundle.ts';
import { SigningKey } from '../agent/bundle/signing-key.ts';
import { agentCommands } from '../agent/program/commands.ts';
import { type Option as AgentOption, describeOption, readValues } from '../agent/program/options.ts';
import { currentRelease, followRelease, storeRelease } from '../db/agent-updates/agent-releases.ts';
import type { Database } from '../db/postgres/database.ts';
import { type Home, openHome } from '../runtime/home/home.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { withDatabase } from './database/with-database.ts';
import { type Command, command, jsonOption, type Option, UsageError } from './engine/command.ts';

/** A command of the installed agent, as a checkout offers it: the agent reads its own options, which have variables, too. */
export async function agentCommand(name: string): Promise<Command> {
  const load = agentCommands[name];
  if (load === undefined) throw new Error(`The agent has no command ${name}.`);
  const known = await load();
  return {
    summary: known.summary.replace(/\.$/, ''),
    usage: known.word === undefined ? '[options]' : `[${known.word}] [options]`,
    details: known.details,
    options: Object.fromEntries(Object.entries(known.options).map(([option, one]) => [option, described(one)])),
    run: async (args) => {
      process.exit(await known.run(readValues(known, args, process.env)));
    },
  };
}

function described(option: AgentOption): Option {
  const what = describeOption(option);
  return option.value === undefined ? { type: 'boolean', what } : { type: 'string', value: option.value, what };
}

export interface SignedRelease {
  image: string;
  version: string;
  digest: string;
  bytes: Buffer;
  fingerprint: string;
  epoch: number;
}

/** Of the Node that runs this very process, which stays the same as long as it runs. */
let nodeDigest: Promise<string> | undefined;

/** The change of the signing key; without one the key stays, or the first one is created. */
type KeyChange = 'change' | 'replace-lost';

/** Makes the agent of this checkout, signs it and the Node that runs it, and has the API offer both. */
export async function signRelease(home: Home, database: Database, keyChange?: KeyChange): Promise<SignedRelease> {
  const key = await signingKey(home, database, keyChange);
  const { image, version, digest, bytes } = await keptBundle(join(home.path, 'cache'));
  const platform = `${process.platform}-${process.arch}`;
  nodeDigest ??= digestOf(process.execPath);
  const node = { version: process.version, platform, digest: await nodeDigest };
  const { proof, epoch } = key.prove({ version, platform: 'any', digest }, node);
  await storeRelease(database.kysely, { image, version, digest, bytes, proof });
  return { image, version, digest, bytes, fingerprint: key.fingerprint, epoch };
}

/** A file of its own: the API and the worker never open it. */
export function signingKeyFile(home: Home): string {
  return home.file('keys', 'release-signing-key.json');
}

async function signingKey(home: Home, { kysely }: Database, keyChange: KeyChange | undefined): Promise<SigningKey> {
  const path = signingKeyFile(home);
  const known = keyChange === 'replace-lost' ? undefined : SigningKey.read(path);
  if (known !== undefined) {
    if (keyChange === 'change') known.change();
    return known;
  }
  // A new key beside releases of an old one would only hide that the old one was lost: agents refuse it.
  if (keyChange !== 'replace-lost' && (await currentRelease(kysely)) !== undefined) {
    throw new Refusal(
      `${path} is missing, and the agents of this installation run only what that key has signed; restore it from a backup, or run \`./ballast agent sign --replace-lost-key\` and then \`ballast agent trust\` on each machine.`,
    );
  }
  return SigningKey.make(path);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest('hex')}`;
}

export const agentSign = command({
  summary: "Signs this version's release of the agent and offers it to the clusters",
  usage: '[--change-key | --replace-lost-key] [--json]',
  details: `\`./ballast up\` does this at each start. Where API and workers run as processes of their own, run it once for each version,
on the machine whose BALLAST_HOME has keys/release-signing-key.json: agents run nothing that this key has not signed. Back
that file up. A changed key is followed by the agents themselves; after a lost one each machine needs
\`ballast agent trust FINGERPRINT\`.`,
  options: {
    'change-key': { type: 'boolean', what: 'Sign with a new key from now on, which the present one vouches for.' },
    'replace-lost-key': {
      type: 'boolean',
      what: 'Create a new key that nothing vouches for, because the old one is lost.',
    },
    ...jsonOption,
  },
  run: async ({ 'change-key': change, 'replace-lost-key': replace }) => {
    if (change && replace)
      throw new UsageError('--change-key and --replace-lost-key exclude each other; give one of them.');
    const keyChange: KeyChange | undefined = change ? 'change' : replace ? 'replace-lost' : undefined;
    return await withDatabase('agent sign', async (database, settings) => {
      const { image, digest, fingerprint, epoch } = await signRelease(
        openHome(settings.BALLAST_HOME),
        database,
        keyChange,
      );
      // An agent that said hello before this was offered.
      await followRelease(database);
      return {
        jsonLine: { image, digest, epoch, fingerprint },
        text: [
          `${image} is signed and offered (epoch ${epoch}).\nFingerprint of the key: ${fingerprint}\n`,
          replace ? `On each machine that is a cluster, run: ballast agent trust ${fingerprint}` : '',
        ],
      };
    });
  },
});
