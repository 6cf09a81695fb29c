import type { z } from 'zod';
import type { clusterSchema } from '../../api/clusters/cluster.ts';
import { detect } from '../../domain/detection/detect.ts';
import { noSource } from '../../domain/services/settings.ts';
import { type Build, followBuild, logBeside } from '../build/build.ts';
import { folderTree } from '../build/list-folder.ts';
import { uploadFolder } from '../build/upload-folder.ts';
import { exitCodes } from '../deployment/follow.ts';
import type { Waiting } from '../deployment/waiting.ts';
import { UsageError } from '../engine/command.ts';
import { Progress } from '../engine/progress.ts';
import type { Rest } from '../engine/rest.ts';
import { said } from '../engine/table.ts';
import type { Environment } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import { tellLeft } from './apply-and-follow.ts';
import { applyDraft, type Changes, changesFor, draftWith, nothingStaged, sourceThere } from './apply-draft.ts';
import { tellProposals, tellVariables } from './findings.ts';
import type { Interrupt } from './interrupt.ts';
import type { Complete } from './missing.ts';
import { untilDecided } from './until-decided.ts';

interface FolderOptions {
  /** Of the application within the folder; undefined: the one that the service has. */
  context: string | undefined;
  /** The sentence that refuses the folder where no service knows an application within it. */
  refusal?: string | undefined;
  port: number | undefined;
  /** `KEY=VALUE` each. */
  variables: readonly string[];
  message: string | undefined;
  all: boolean;
  downtimeAccepted: boolean;
  waiting: Waiting;
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

/** Uploads a folder, and answers the changes by which it is built and deployed. */
export async function folderChanges(
  place: Here,
  to: Complete,
  folder: string,
  { context, refusal, port, variables, all, waiting }: FolderOptions,
  interrupt: Interrupt,
): Promise<Changes & { upload: { serviceId: string; sourceId: string } }> {
  const before = await sourceThere(place.rest, to);
  // A folder that an earlier command has chosen stays chosen.
  const within = context ?? (before.kind === 'upload' ? before.context : '');
  if (within === '' && refusal !== undefined) throw new UsageError(refusal);
  await tellVariables(place.rest, to, detect(folderTree(folder), within).detected, variables);
  const progress = waiting.json ? undefined : new Progress(process.stderr);
  const leaves = (what: string) => interrupt.leaves(what);
  const { sourceId } = await uploadFolder(place, to, folder, { progress, signal: interrupt.signal, leaves }).finally(
    () => progress?.end(),
  );
  const { id: serviceId } = to.service;
  const source = { ...noSource, kind: 'upload' as const, context: within };
  const items = await changesFor(place.rest, to, { source, port, variables });
  return { items, serviceId: all ? undefined : serviceId, upload: { serviceId, sourceId } };
}

/** Whether the settings and the folder are one change set: where the settings wait for an approval, the folder is built behind that. */
export async function isOneChangeSet(
  rest: Rest,
  { environment, service }: Complete,
  changes: Changes,
): Promise<boolean> {
  if (!environment.production) return true;
  return service.skipProductionApproval && !(await draftWith(rest, environment, changes)).summary.needsApproval;
}

/**
 * The same where an approval comes first: settings are applied, which waits for it, and the folder is built with those. Answers the
 * build, or the exit code where it came to none.
 */
export async function buildBehindApproval(
  place: Here,
  to: Complete,
  { upload, ...changes }: Changes & { upload: { serviceId: string; sourceId: string } },
  wanted: FolderOptions,
  interrupt: Interrupt,
): Promise<Build | number> {
  const { rest } = place;
  const { environment, service } = to;
  const { message, all, downtimeAccepted, waiting } = wanted;
  const { json } = waiting;
  const seen = await draftWith(rest, environment, changes);
  if (seen.items.length > 0) {
    const applied = await applyDraft(place, environment, changes, seen, { message, all, downtimeAccepted, interrupt });
    if (applied === undefined) {
      process.stderr.write(`${nothingStaged}\n`);
      return exitCodes.cancelled;
    }
    tellLeft(seen.left, environment);
    if (applied.approval !== undefined) {
      interrupt.leaves('The settings wait for their approval without this command.');
      const undecided = await untilDecided(rest, applied.approval.id, waiting, interrupt);
      if (undecided !== undefined) return undecided;
    }
  }
  interrupt.check();
  const accepted = downtimeAccepted ? { downtimeAccepted: true } : {};
  const why = message === undefined ? {} : { message };
  const body = { environmentId: environment.id, sourceId: upload.sourceId, ...why, ...accepted };
  const { id, number } = await rest.call<Build>('POST', `/services/${service.id}/builds`, body);
  interrupt.leaves('The build and its deployment continue without this command.');
  if (!json) process.stderr.write(said`Build #${number} of ${service.slug} for ${environment.slug}\n`);
  const build = await followBuild(rest, id, interrupt.signal, { json, log: json ? undefined : logBeside });
  if (build.status === 'succeeded') await tellProposals(rest, to, build);
  return build;
}
