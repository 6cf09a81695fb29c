import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pushLayout } from '../../cli/image/push-layout.ts';
import { type SampleOptions, sampleLayout } from '../images/sample-image.ts';
import type { Ask } from './asked.ts';
import type { Console } from './console.ts';

export type Pushed = Pick<SampleOptions, 'version' | 'hostBound'>;

/** Pushes the sample application into a repository of the installation's own registry, under the tag `latest`. */
export async function pushSample(opened: Console, repository: string, image: Pushed = {}): Promise<void> {
  const { installation, url } = opened;
  const directory = await mkdtemp(join(tmpdir(), 'ballast-pushed-'));
  try {
    await sampleLayout(directory, image);
    const { token } = await installation.token('deployer');
    await pushLayout(directory, { url, repository, token, tag: 'latest' });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A project with a service that runs in staging, waits for its approval in production, and has staged changes. */
export interface Delivered {
  deployment: string;
  /** Of a service whose process ends at once. */
  failedDeployment: string;
  approval: string;
}

/** `requester` asks for the approval, which waits for the other one then. */
export async function deliverShop(
  opened: Console,
  asked: Ask,
  organization: string,
  requester: Ask,
): Promise<Delivered> {
  const { project, environments } = await asked('POST', '/projects', {
    name: 'Shop',
    description: 'What customers see.',
  });
  const { id: projectId } = project as { id: string };
  const [production, staging] = environments as { id: string }[];
  const made = await asked('POST', `/projects/${projectId}/services`, {
    name: 'Web',
    source: { kind: 'image', imageRepository: ':latest' },
    environmentId: staging?.id,
    process: { stabilizationSeconds: 0 },
  });
  const { id: serviceId } = made.service as { id: string };
  const [web] = made.processes as { id: string }[];
  await pushSample(opened, `${organization}/shop/web`);
  const nightly = { name: 'nightly', kind: 'cron', schedule: '0 3 * * *', args: ['-once'] };
  const cron = await asked('POST', `/services/${serviceId}/processes?environmentId=${staging?.id}`, nightly);
  await stageVariable(asked, staging?.id, serviceId, 'GREETING', 'Good morning');
  await stageVariable(asked, staging?.id, serviceId, 'PAYMENT_KEY', 'not to be shown', true);
  await stageShared(asked, staging?.id, 'REGION', 'eu-central');
  await stageShared(asked, staging?.id, 'PAYMENT_HOST', 'https://pay.example.com/${{REGION}}');
  await stageVariable(asked, staging?.id, serviceId, 'APP_CONFIG', 'log: info\nregion: ${{shared.REGION}}');
  await stageFile(asked, staging?.id, serviceId, 'config/app.yml', 'APP_CONFIG');
  const { deployments } = await apply(asked, staging?.id, 'The first release');
  const [first] = deployments as { id: string }[];
  await opened.installation.until('the shop is live', async () => {
    const { state, message } = await asked('GET', `/deployments/${first?.id}`);
    if (['failed', 'cancelled'].includes(String(state))) throw new Error(`The shop is ${state}: ${message}`);
    return state === 'live';
  });
  await asked('POST', `/processes/${cron.id}/run?environmentId=${staging?.id}`);
  const failedDeployment = await deployFailing(opened, asked, organization, { projectId, environmentId: staging?.id });
  await requester('PUT', `/environments/${production?.id}/change-set/items`, { kind: 'service.create', serviceId });
  await stageVariable(requester, production?.id, serviceId, 'GREETING', 'Welcome');
  await stageShared(requester, production?.id, 'REGION', 'eu-west');
  const { approval } = await apply(requester, production?.id, 'Open the shop');
  await stageVariable(asked, staging?.id, serviceId, 'GREETING', 'Good evening');
  await stageShared(asked, staging?.id, 'REGION', 'eu-west');
  await stageShared(asked, staging?.id, 'SUPPORT_KEY', 'not to be shown', true);
  await stageFile(asked, staging?.id, serviceId, 'secrets/payment.key', 'PAYMENT_KEY');
  await asked('PUT', `/environments/${staging?.id}/change-set/items`, {
    kind: 'process.set',
    processId: web?.id,
    key: 'replicas',
    value: 3,
  });
  await opened.installation.until('the nightly run and the failing deployment have ended', async () => {
    const runs = await asked('GET', `/processes/${cron.id}/runs?environmentId=${staging?.id}`);
    const { state } = await asked('GET', `/deployments/${failedDeployment}`);
    return state === 'failed' && (runs.items as { state: string }[]).some((run) => run.state === 'ended');
  });
  return { deployment: first?.id ?? '', failedDeployment, approval: (approval as { id: string }).id };
}

/** Begins to deploy a service of which each instance ends with an exit code at once. Answers the id of the deployment. */
async function deployFailing(
  opened: Console,
  asked: Ask,
  organization: string,
  { projectId, environmentId }: { projectId: string; environmentId: string | undefined },
): Promise<string> {
  const { processes } = await asked('POST', `/projects/${projectId}/services`, {
    name: 'Search',
    source: { kind: 'image', imageRepository: ':latest' },
    environmentId,
    process: { args: ['-once', '-code', '3'] },
  });
  const [process] = processes as { id: string }[];
  await asked('POST', `/processes/${process?.id}/volumes?environmentId=${environmentId}`, {
    ...{ name: 'index', mountPath: '/data/index', sizeBytes: 2 ** 30 },
  });
  await pushSample(opened, `${organization}/shop/search`);
  const { deployments } = await apply(asked, environmentId, 'Find things by words');
  return (deployments as { id: string }[])[0]?.id ?? '';
}

function stageVariable(asked: Ask, environment = '', serviceId: string, key: string, value: string, secret = false) {
  const item = { kind: 'variable.set', serviceId, key, value, secret };
  return asked('PUT', `/environments/${environment}/change-set/items`, item);
}

function stageShared(asked: Ask, environment = '', key: string, value: string, secret = false) {
  return asked('PUT', `/environments/${environment}/change-set/items`, { kind: 'variable.set', key, value, secret });
}

function stageFile(asked: Ask, environment = '', serviceId: string, key: string, value: string) {
  return asked('PUT', `/environments/${environment}/change-set/items`, { kind: 'file.set', serviceId, key, value });
}

async function apply(asked: Ask, environment = '', message: string) {
  const { changeSet } = await asked('GET', `/environments/${environment}/change-set`);
  return await asked('POST', `/change-sets/${(changeSet as { id: string }).id}/apply`, { message, reason: message });
}
