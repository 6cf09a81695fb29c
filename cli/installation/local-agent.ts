import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forgetIdentity, hashOf, readIdentity } from '../../agent/home/identity.ts';
import { readFailures } from '../../agent/home/status.ts';
import { TrustFile } from '../../agent/home/trust.ts';
import { shortDigest, unpackBundle } from '../../agent/update/download.ts';
import { Releases } from '../../agent/update/releases.ts';
import { agentCredential } from '../../db/agents/cluster-agents.ts';
import { localAgentImage } from '../../db/clusters/local-cluster.ts';
import type { Database } from '../../db/postgres/database.ts';
import { writeFileAtomically } from '../../machine/files.ts';
import { makeAgentHome } from '../../runtime/home/agent-home.ts';
import { readHome } from '../../runtime/home/home.ts';
import { messageOf, Refusal } from '../../runtime/supervisor/refusal.ts';
import { type SignedRelease, signRelease } from '../agent.ts';
import { withDatabase } from '../database/with-database.ts';
import { refusedCode, tokenFile } from './agent-part.ts';
import { localEnrolmentToken } from './local-enrolment.ts';

const launcher = join(import.meta.dirname, '../..', 'agent', 'update', 'launcher.sh');

/**
 * Makes the agent of this machine ready to be launched. A process of its own that ends: the supervisor, which waits for
 * it, stays small. `--mend`: the last start did not reach the API. `--sign-only`: no agent runs here.
 */
async function prepareLocalAgent({ mend, signOnly }: { mend: boolean; signOnly: boolean }): Promise<void> {
  await withDatabase('up', async (database, settings) => {
    const home = readHome(settings.BALLAST_HOME);
    const release = await signRelease(home, database);
    if (signOnly) return;
    const directory = makeAgentHome(home);
    const reported = await localAgentImage(database.kysely);
    const why = whyReplace(directory, release, reported, mend);
    if (why !== undefined) {
      await replace(directory, release);
      process.stdout.write(`The agent of this machine was replaced by ${release.image}, because ${why}.\n`);
    }
    pinKey(directory, release, why !== undefined);
    copyLauncher(directory);
    if (await isUnknown(database, directory)) {
      forgetIdentity(directory);
      process.stdout.write('The agent of this machine enrols again: the database does not know its credential.\n');
    }
    if (readIdentity(directory)?.cluster === undefined) {
      const path = tokenFile(directory);
      mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
      writeFileAtomically(path, `${await localEnrolmentToken(settings)}\n`);
    }
  });
}

/** As after a restore: the agent has changed its credential since, or belonged to another database. */
async function isUnknown(database: Database, directory: string): Promise<boolean> {
  const identity = readIdentity(directory);
  if (identity?.cluster === undefined) return false;
  for (const credential of [identity.credential, identity.pending]) {
    if (credential === undefined) continue;
    const hash = Buffer.from(hashOf(credential), 'hex');
    if ((await agentCredential(database.kysely, hash)) !== undefined) return false;
  }
  return true;
}

/** A healthy agent is updated through the control plane, as everywhere; one that cannot be reached that way is replaced here. */
function whyReplace(
  directory: string,
  release: SignedRelease,
  reported: string | undefined,
  mend: boolean,
): string | undefined {
  const state = new Releases(directory).read();
  const wanted = shortDigest(release.digest);
  if (state === undefined) return 'there was none';
  if (!existsSync(join(directory, 'releases', state.current, 'digest'))) return 'what it consists of is not there';
  if (state.current === wanted) return undefined;
  if (new TrustFile(directory).read() === undefined) return 'it is of a version that verified no signatures';
  if (reported?.endsWith(`-${state.current}`) !== true) return 'it has never reached the API';
  if ((readFailures(directory)?.count ?? 0) >= 2) return 'it ends again and again';
  return mend ? 'it did not reach the API' : undefined;
}

async function replace(directory: string, { digest, bytes }: SignedRelease): Promise<void> {
  const releases = new Releases(directory);
  const release = shortDigest(digest);
  mkdirSync(releases.directory, { recursive: true, mode: 0o755 });
  const packed = releases.path(`${release}.part`);
  writeFileSync(packed, bytes);
  await unpackBundle(packed, releases.path(release), digest);
  rmSync(packed);
  releases.write({ current: release });
  rmSync(join(directory, 'run', 'failures'), { force: true });
}

/** Who holds the home says what its own agent trusts. */
function pinKey(directory: string, { fingerprint, epoch }: SignedRelease, replaced: boolean): void {
  const trust = new TrustFile(directory);
  const known = trust.read();
  if (known?.fingerprint === fingerprint && !replaced) return;
  trust.write({ fingerprint, epoch, from: 'join' });
}

/** Updates never replace it; here nothing runs by it at this moment. */
function copyLauncher(directory: string): void {
  const installed = join(directory, 'launcher.sh');
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(launcher))) return;
  copyFileSync(launcher, `${installed}.new`);
  renameSync(`${installed}.new`, installed);
}

if (import.meta.main) {
  try {
    const [mend, signOnly] = ['--mend', '--sign-only'].map((flag) => process.argv.includes(flag));
    await prepareLocalAgent({ mend: mend === true, signOnly: signOnly === true });
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = error instanceof Refusal ? refusedCode : 1;
  }
  process.exit();
}
