import { givenToBuild } from '../../domain/builds/variables.ts';
import { appliedSettings, appliedVariables } from '../change-sets/applied.ts';
import { agentOf } from '../deployments/rolling/agent.ts';
import type { Effect } from '../engine/effect.ts';
import { lateValues } from '../references/late-values.ts';
import { referencesWith } from '../references/referring.ts';
import { frozenFor, scopesFor } from '../references/values.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';
import { appendLog } from './log.ts';

/** From this minor of the protocol on an agent gives variables to builds. */
const variablesMinor = 6;

interface Place {
  id: string;
  organizationId: string;
  environmentId: string;
  serviceId: string;
  clusterId: string;
}

interface Given {
  variables: Record<string, string>;
  secrets: string[];
  masked: string[];
}

/**
 * The variables that are applied, with references put in as releases have them, for the commands of a build. One that leads nowhere is
 * left out, since the build may not need it; the log begins with what is left out.
 */
export async function variablesOfBuild(effect: Effect, keyring: Secrets, build: Place): Promise<Given | object> {
  const { kysely } = effect;
  const { organizationId, environmentId, serviceId } = build;
  const place = { organizationId, environmentId };
  const settings = await appliedSettings(kysely, place);
  const [references] = await referencesWith(kysely, place, { settings, items: [] });
  const values = await appliedVariables(kysely, keyring, place, scopesFor(references, [serviceId]));
  const left: string[] = [];
  const frozen = frozenFor(references, values, [serviceId], (key, why) =>
    left.push(`${key} is not there in this build: ${why}.`),
  ).get(serviceId);
  if (frozen === undefined || frozen.variables.size + left.length === 0) return {};
  const agent = await agentOf(effect, build.clusterId);
  if (agent === undefined || agent.minor < variablesMinor) {
    const update = `update it with \`./ballast cluster update --cluster ${agent?.clusterSlug}\`, then build again`;
    await say(effect, keyring, build, [`The agent of the cluster is too old to give variables to builds: ${update}.`]);
    return {};
  }
  const late = new Map(
    [...frozen.variables].flatMap(([key, { pieces }]) =>
      pieces.some((piece) => typeof piece !== 'string') ? [[key, pieces] as const] : [],
    ),
  );
  const addressed = await lateValues(
    effect,
    { id: build.clusterId, organizationId },
    {
      environmentId,
      late,
      reached: Object.fromEntries(frozen.reached.map((one) => [one.id, one])),
      docker: agent.facts?.driver === 'docker',
    },
  );
  const all = new Map(
    [...frozen.variables].map(([key, { pieces, secret }]) => [
      key,
      { value: addressed[key] ?? pieces.join(''), secret },
    ]),
  );
  const { left: unfit, ...given } = givenToBuild(all);
  await say(effect, keyring, build, [...left, ...unfit]);
  const { variables: led } = references.reached([...references.referring].filter(({ scope }) => scope === serviceId));
  const masked = led.flatMap(({ scope, key }) => {
    const value = values.get(scope)?.get(key);
    return value?.secret === true ? [value.value] : [];
  });
  return { ...given, masked: [...new Set(masked)] };
}

/** The first lines of its log: the agent's own come behind them. */
async function say(
  { kysely }: Effect,
  keyring: Secrets,
  { id, organizationId }: Place,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const text = lines.map((line) => `${line.replaceAll(/\s+/g, ' ')}\n`).join('');
  const last = await appendLog(kysely, keyring, { id, organizationId }, 0, [{ text, at: new Date() }]);
  const begun = { log_lines: last, log_bytes: Buffer.byteLength(text) };
  await kysely.updateTable('build').set(begun).where('id', '=', id).execute();
}
