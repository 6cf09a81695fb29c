import type { z } from 'zod';
import type { clusterSchema } from '../../api/clusters/cluster.ts';
import { noSource } from '../../domain/services/settings.ts';
import { type Build, followBuild } from '../build/follow-build.ts';
import { uploadFolder } from '../build/upload-folder.ts';
import { stageChanges, variableOf } from '../change-set/stage-changes.ts';
import { Progress } from '../engine/progress.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import type { Environment } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import { applyDraft } from './apply-draft.ts';
import type { Interrupt } from './interrupt.ts';
import type { Complete } from './missing.ts';
import { listening } from './stage-image.ts';

interface Wanted {
  port: number | undefined;
  /** `KEY=VALUE` each. */
  variables: readonly string[];
  message: string | undefined;
  all: boolean;
  downtimeAccepted: boolean;
  quiet: boolean;
}

type Cluster = z.output<typeof clusterSchema>;

/** Whether the environment's cluster makes images of folders; of one that is not there yet, whether any cluster does. */
export async function buildsThere(
  rest: Rest,
  environment: Environment | undefined,
  { dockerfile = false }: { dockerfile?: boolean },
): Promise<boolean> {
  const builds = ({ capabilities, driver }: Cluster) => capabilities.autoBuilds && (!dockerfile || driver === 'docker');
  if (environment === undefined) return (await rest.all<Cluster>('/clusters')).some(builds);
  const { clusterId } = environment;
  return clusterId !== undefined && builds(await rest.call<Cluster>('GET', `/clusters/${clusterId}`));
}

/**
 * Uploads a folder, has the cluster build it, and answers the build; undefined if somebody did not want to deploy what others have
 * staged. Settings are applied first: a build is deployed with those that are applied.
 */
export async function buildFolder(
  place: Here,
  to: Complete,
  folder: string,
  wanted: Wanted,
  interrupt: Interrupt,
): Promise<Build | undefined> {
  const { rest } = place;
  const { environment, service } = to;
  const progress = wanted.quiet ? undefined : new Progress(process.stderr);
  const leaves = (what: string) => interrupt.leaves(what);
  const { sourceId } = await uploadFolder(place, to, folder, { progress, signal: interrupt.signal, leaves }).finally(
    () => progress?.end(),
  );
  const seen = await stageSettings(rest, to, wanted);
  if (seen.items.length > 0) {
    const { message, all, downtimeAccepted } = wanted;
    const applied = await applyDraft(place, environment, seen, { message, all, downtimeAccepted, interrupt });
    if (applied === undefined) return undefined;
  }
  interrupt.check();
  const accepted = wanted.downtimeAccepted ? { downtimeAccepted: true } : {};
  const body = { environmentId: environment.id, sourceId, ...accepted };
  const { id, number } = await rest.call<Build>('POST', `/services/${service.id}/builds`, body);
  interrupt.leaves('The build and its deployment continue without this command.');
  if (!wanted.quiet)
    process.stderr.write(`Build #${number} of ${printable(service.slug)} for ${printable(environment.slug)}\n`);
  return await followBuild(rest, id, interrupt.signal, wanted.quiet);
}

/** The service is staged where the environment does not have it yet, and that it is built of what is uploaded. */
async function stageSettings(rest: Rest, to: Complete, { port, variables }: Wanted) {
  const { environment, service } = to;
  const serviceId = service.id;
  const value = { ...noSource, kind: 'upload' };
  const view = await stageChanges(rest, environment, [
    { kind: 'service.create', serviceId },
    { kind: 'service.set', serviceId, key: 'source', value },
    ...variables.map((pair) => variableOf(pair, serviceId)),
  ]);
  if (port === undefined) return view;
  const processId = await listening(rest, to);
  return await stageChanges(rest, environment, [{ kind: 'process.set', processId, key: 'port', value: port }]);
}
