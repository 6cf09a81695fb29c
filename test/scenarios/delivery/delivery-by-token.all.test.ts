import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expireApproval } from '../../../db/approvals/decide.ts';
import { effect } from '../../../db/engine/effect.ts';
import { tenant } from '../../../db/postgres/tenant.ts';
import { freePort } from '../../ground/free-port.ts';
import { sampleLayout } from '../../images/sample-image.ts';
import { runBallast } from '../../installation/ballast-command.ts';
import { Installation } from '../../installation/installation.ts';
import { machine } from '../../seeds/seed.ts';

/** A job that has a token, and somebody else who approves by one: of all commands only exit codes and `--json` are read. */
/** Without it the application does not start. */
const needed = createServer((socket) => socket.end());
const tokens = { deployer: '', admin: '' };

const shop = ['--project', 'shop', '--service', 'web'];
const toProduction = ['promote', 'web', '--project', 'shop', '--from', 'staging', '--to', 'production'];
const inProduction = ['--environment', 'production'];

interface Told {
  id: string;
  decision: string;
  deployment: Deployment;
  deployments: Deployment[];
  release: { number: number; promotedFromReleaseId: string };
  approval: { id: string };
  approvals: { id: string; waitsForYou: boolean }[];
  services: { activeReleaseNumber: number; pendingDeployment?: { id: string }; blocker: string }[];
}
interface Deployment {
  id: string;
  projectId: string;
  state: string;
  blocker: string;
  approvalId: string;
  stages: { stage: string }[];
}

const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
const installation = await Installation.start('delivery-by-token', cluster);
const directory = mkdtempSync(join(tmpdir(), 'ballast-by-token-'));
const { kysely } = await installation.database();
const here = kysely.selectFrom('organization').select('id').where('slug', '=', 'default');
const { id: organizationId } = await here.executeTakeFirstOrThrow();
for (const role of ['deployer', 'admin'] as const) {
  // Of two people: who asks for something does not approve it.
  const as = await installation.session(organizationId, 'admin');
  const made = await installation.call('POST', '/api/v1/api-tokens', { as, body: { name: role, role } });
  expect(made.status, made.text).toBe(201);
  tokens[role] = String(made.body.secret);
  installation.secrets.add(tokens[role]);
}
afterAll(async () => {
  await installation.remove();
  needed.close();
  if (directory !== undefined) rmSync(directory, { recursive: true });
});

async function by(who: keyof typeof tokens, ...words: string[]): Promise<{ code: number | null; told: Told }> {
  const env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: tokens[who] };
  const { code, stdout, stderr } = await runBallast([...words, '--json'], env, undefined, directory);
  if (code === null || code === 2) throw new Error(`${words.join(' ')}: ${code} ${stderr}`);
  const told: Told = JSON.parse(stdout === '' ? JSON.stringify({ refused: stderr }) : stdout);
  return { code, told };
}

const job = (...words: string[]) => by('deployer', ...words);
const decided = async (how: 'approve' | 'reject', id: string) => {
  const { code, told } = await by('admin', how, id, '--reason', 'As agreed');
  expect([code, told.decision]).toEqual([0, how === 'approve' ? 'approved' : 'rejected']);
};
const layout = async (name: string, ...command: string[]) =>
  (await sampleLayout(join(directory, name), { version: name, command })).layout;

/** The deployment that is held in production, once there is one besides these. */
const held = (...before: string[]) =>
  installation.until('something is held', async () => {
    const { told } = await job('status', '--project', 'shop', ...inProduction);
    const [service] = told.services;
    const { pendingDeployment, blocker } = service ?? {};
    return blocker === 'approval' && !before.includes(pendingDeployment?.id ?? '') && pendingDeployment;
  });
const deploymentOf = async (id: string) => (await job('deployment', 'show', id)).told.deployment;
const approvalOf = async (deploymentId: string) => (await deploymentOf(deploymentId)).approvalId;

test('staged and live; production is requested, waits for its approval, and goes live', async () => {
  expect((await by('admin', 'project', 'create', 'Shop')).code).toBe(0);
  const first = await job('deploy', await layout('1'), ...shop, '--yes', '--wait');
  expect(first).toMatchObject({ code: 0, told: { deployments: [{ state: 'live' }] } });
  const asked = await job('deploy', join(directory, '1'), ...shop, ...inProduction);
  expect(asked).toMatchObject({ code: 5, told: { deployments: [{ state: 'pending', blocker: 'approval' }] } });
  // The token that asked for it decides nothing.
  const approvalId = asked.told.deployments[0]?.approvalId ?? '';
  expect((await job('approve', approvalId)).code).toBe(1);
  expect((await by('admin', 'approval', 'list')).told.approvals).toMatchObject([{ id: approvalId, waitsForYou: true }]);
  await decided('approve', approvalId);
  const { code, told } = await job('status', '--project', 'shop', ...inProduction, '--wait');
  expect([code, told.services]).toMatchObject([0, [{ activeReleaseNumber: 2 }]]);
});

test('what nobody has deployed before is in approved production after three commands', async () => {
  const bakery = ['--project', 'bakery', '--service', 'web'];
  const first = await by('admin', 'deploy', await layout('bakery'), ...bakery, '--yes');
  expect(first).toMatchObject({ code: 0, told: { deployments: [{ state: 'live' }] } });
  const asked = await job('promote', 'web', '--project', 'bakery', '--from', 'staging', '--to', 'production');
  expect(asked).toMatchObject({ code: 5, told: { deployment: { state: 'pending', blocker: 'approval' } } });
  await decided('approve', asked.told.deployment.approvalId);
  const { code, told } = await by('admin', 'status', '--project', 'bakery', ...inProduction, '--wait');
  expect([code, told.services]).toMatchObject([0, [{ activeReleaseNumber: 2, blocker: '' }]]);
});

test('a deployment that fails says so, and is rerun from the stage in which it failed', async () => {
  const port = await freePort();
  const failed = await job('deploy', await layout('needs', '-needs', `127.0.0.1:${port}`), ...shop, '--wait');
  expect(failed).toMatchObject({ code: 1, told: { deployments: [{ state: 'failed', blocker: 'health' }] } });
  const { id = '', stages = [] } = failed.told.deployments[0] ?? {};
  const fromStage = stages.at(-1)?.stage ?? '';
  await new Promise<void>((listening) => needed.listen(port, '127.0.0.1', listening));
  const { code, told } = await job('rerun', id, '--from-stage', fromStage, '--wait');
  expect([code, told.deployment]).toMatchObject([0, { kind: 'rerun', rerunOf: id, fromStage, state: 'live' }]);
  expect((await job('rerun', id)).code).toBe(1);
});

test('a promotion that waits is rejected; another one expires', async () => {
  const rejected = job(...toProduction, '--wait');
  const first = await held();
  await decided('reject', await approvalOf(first.id));
  expect(await rejected).toMatchObject({ code: 3, told: { deployment: { id: first.id, state: 'rejected' } } });

  const expired = job(...toProduction, '--wait');
  const second = await held(first.id);
  const database = await installation.database();
  const id = await approvalOf(second.id);
  const rows = tenant(database.kysely, organizationId).updateTable('approval').where('id', '=', id);
  await rows.set({ expires_at: new Date(0) }).execute();
  const { projectId } = await deploymentOf(second.id);
  // As its actor does once the time has passed.
  const of = { column: 'deployment_id' as const, id: second.id };
  await effect(database, machine, (one) => expireApproval(one, { organizationId, projectId }, of));
  expect(await expired).toMatchObject({ code: 6, told: { deployment: { id: second.id, state: 'expired' } } });
});

test('a promotion that waits is superseded by a newer request', async () => {
  const superseded = job(...toProduction, '--wait');
  const first = await held();
  const newer = await job('redeploy', ...shop, ...inProduction);
  expect(newer).toMatchObject({ code: 5, told: { deployment: { kind: 'redeploy', blocker: 'approval' } } });
  expect(await superseded).toMatchObject({ code: 7, told: { deployment: { id: first.id, state: 'superseded' } } });
  await decided('reject', newer.told.approval.id);
});

test('a promotion waits through its approval to the end; a change that waited meanwhile is stale', async () => {
  const stale = job('deploy', '--staged', '--set', 'GREETING=Cheers', ...shop, ...inProduction, '--wait');
  const older = await held();
  const promoted = job(...toProduction, '--wait');
  const newer = await held(older.id);
  await decided('approve', await approvalOf(newer.id));
  const { code, told } = await promoted;
  expect([code, told.deployment.state, told.release.promotedFromReleaseId]).toEqual([0, 'live', expect.any(String)]);
  const waited = await stale;
  expect(waited).toMatchObject({ code: 8, told: { deployments: [{ id: older.id, state: 'pending' }] } });
  const approval = await approvalOf(older.id);
  expect((await by('admin', 'approve', approval)).code).toBe(1);
  const fresh = await job('approve', '--refresh', approval);
  await decided('approve', fresh.told.id);
  expect((await job('status', '--project', 'shop', ...inProduction, '--wait')).code).toBe(0);
});
