import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { takeBuildOutput } from '../../db/builds/output.ts';
import { effect } from '../../db/engine/effect.ts';
import { openKeyring } from '../../db/keys/keys.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { Ask } from '../console/asked.ts';
import { machine } from '../seeds/seed.ts';

/** Builds that have ended: one that was deployed, and one that failed. */
export interface Built {
  build: string;
  failedBuild: string;
}

interface Place {
  organizationId: string;
  deployment: string;
}

/** Builds of a service as they are once they are over, with steps, what was found, and a log. */
export async function addBuilds(
  database: Database,
  keysFile: string,
  asked: Ask,
  { organizationId, deployment }: Place,
): Promise<Built> {
  const keyring = await openKeyring(database, keysFile);
  const of = await asked('GET', `/deployments/${deployment}`);
  const { clusterId } = await asked('GET', `/environments/${of.environmentId}`);
  const insert = async (values: object): Promise<string> => {
    const id = uuid();
    const row = {
      ...{ id, project_id: of.projectId, environment_id: of.environmentId, service_id: of.serviceId },
      ...{ cluster_id: clusterId, requested_by_kind: 'user', requested_by_id: 'katherine' },
      ...{ requested_by_name: 'Katherine Johnson', revision: 2, archived_at: sql<Date>`now()`, ...values },
    };
    await tenant(database.kysely, organizationId)
      .insertInto('build')
      .values(row as never)
      .execute();
    return id;
  };
  const say = (id: string, text: string, progress: object) =>
    effect(database, machine, (taking) =>
      takeBuildOutput(taking, keyring, { id, organizationId }, [{ number: 0, at: new Date(begun), text, progress }]),
    );
  const failedBuild = await insert({
    ...{ number: 1, trigger: 'upload', state: 'failed', message: failure },
    ...{ created_at: at(-5), started_at: at(0), finished_at: at(18) },
  });
  const commit = {
    commit_sha: '9fceb02d0ae598e95dc970b74767f19372d61af8',
    commit_message: 'Greet people in the morning',
  };
  const build = await insert({
    ...{ number: 2, trigger: 'push', state: 'succeeded', repository: 'analytical-engines/shop', branch: 'main' },
    ...{ ...commit, created_at: at(-3), started_at: at(0), finished_at: at(34), deployment_id: deployment },
  });
  await say(failedBuild, failedLog, { engine: 'auto', steps: steps('install').map(failedAtLast) });
  const detection = {
    ...{ provider: 'node', framework: 'vite', packageManager: 'npm', packageManagerPinned: '', nodeVersion: '24' },
    ...{ installCommand: 'npm ci', buildCommand: 'npm run build', startCommand: '', outputDir: 'dist', port: 8080 },
    ...{ portSource: 'static', static: true, monorepo: false, buildable: true },
    signals: [
      { path: 'package.json', detail: 'depends on vite' },
      { path: 'package-lock.json', detail: 'npm' },
      { path: '.nvmrc', detail: 'Node 24' },
    ],
  };
  const cache = { cachedSteps: 2, totalSteps: 7 };
  const image = { digest: `sha256:${'4a'.repeat(32)}` };
  await say(build, log, { engine: 'auto', detection, steps: steps('push'), cache, image });
  return { build, failedBuild };
}

const begun = Date.UTC(2026, 4, 4, 9, 30);
const at = (seconds: number) => new Date(begun + seconds * 1_000);

const lengths = { fetch: 1, detect: 1, tools: 2, install: 14, build: 9, image: 3, push: 4 };

function steps(last: keyof typeof lengths) {
  const names = Object.keys(lengths) as (keyof typeof lengths)[];
  let from = 0;
  return names.slice(0, names.indexOf(last) + 1).map((name) => {
    const startedAt = at(from).toISOString();
    from += lengths[name];
    return { name, status: 'succeeded', startedAt, finishedAt: at(from).toISOString() };
  });
}

function failedAtLast(step: object, index: number, all: readonly object[]) {
  return index === all.length - 1 ? { ...step, status: 'failed' } : step;
}

const failure = `The step "install" failed with exit code 1. Its last lines:
npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/left-padd
A package is not in the registry: check its name and version in package.json.`;

const failedLog = `\u001b[1m$ npm ci\u001b[0m
\u001b[31mnpm error\u001b[0m code E404
\u001b[31mnpm error\u001b[0m 404 Not Found - GET https://registry.npmjs.org/left-padd
`;

const modules = Array.from({ length: 120 }, (_, index) => `transformed src/module-${index + 1}.ts`).join('\n');

const log = `\u001b[1m$ npm ci\u001b[0m
added 214 packages in 13s
\u001b[1m$ npm run build\u001b[0m
> vite build
${modules}
\u001b[32m✓\u001b[0m built in 8.61s
image sha256:4a4a4a4a
`;
