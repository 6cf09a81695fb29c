import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Admission, Decision } from '../../domain/deployments/arbiter-types.ts';
import { Problem } from '../../domain/problems.ts';
import { goingLive } from '../../domain/releases/going-live.ts';
import type { ImagePlatform } from '../../domain/services/image-fit.ts';
import type { ReleaseContent } from '../../domain/services/settings.ts';
import { askDeciders, expiresAt } from '../approvals/approvals.ts';
import { basisOf, downtimeImpact } from '../approvals/request.ts';
import type { Author, Effect } from '../engine/effect.ts';
import { machineOf, refuseMisfit } from '../environments/machine.ts';
import type { JsonValue } from '../postgres/json.ts';
import { tenant } from '../postgres/tenant.ts';
import { refuseForbiddenRelease } from '../source-credentials/used-by.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';
import { acceptDowntime, type Down, downtimeOf } from './admission/downtime.ts';
import { admit, lockAdmission } from './admission.ts';
import { detailsOfRerun, type Rerun, rowOfRerun } from './rerun.ts';
import { adoptSettings } from './restore-settings.ts';

export interface ReleaseToDeploy {
  id: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
}

/** The release that a promotion takes its image from. */
export interface PromotedFrom {
  releaseId: string;
  number: number;
  environment: string;
  /** Variables that it has and the target goes without. */
  missing: readonly string[];
}

export interface DeploymentOptions {
  kind: 'deploy' | 'rollback' | 'redeploy' | 'promote' | 'rerun' | 'resume';
  /** Waits for a slot instead of being refused. */
  queue: boolean;
  /** Somebody accepts that a process with a volume is down for a moment. */
  downtimeAccepted: boolean;
  /** How somebody can accept it who is not there to be asked. */
  downtimeAdvice?: string;
  /** What changes, in the words of the person who asks. */
  message?: string;
  /** For who decides. */
  reason: string;
  /** The person who answers for it: a token counts as its owner. */
  answerableId: string | undefined;
  /** The author of the effect, unless somebody else asked for it before. */
  requestedBy?: Pick<Author, 'kind' | 'id' | 'name'>;
  promotedFrom?: PromotedFrom;
  /** The variables and processes of others that values of a release are made of which was composed for this. */
  reliedOn?: readonly string[];
  /** Of a rerun: of what, and what of that still holds. */
  rerun?: Rerun;
}

export type Requested = Pick<Admission, 'update'> & { deploymentId: string; approvalId: string | undefined };

/** A direct start of a release that is there: in production it is held until somebody approves it. */
export async function requestDeployment(
  effect: Effect,
  keyring: Secrets,
  release: ReleaseToDeploy,
  asked: DeploymentOptions,
): Promise<Requested | Extract<Decision, { refused: string }>> {
  const { organizationId, projectId, environmentId, serviceId } = release;
  const project = { organizationId, projectId };
  await lockAdmission(effect, project);
  const place = await placeNow(effect, release);
  refuseUnfit(place, release, asked);
  // A resumption that cannot run fails there, which ends the suspension: then another release can be deployed.
  if (asked.kind !== 'resume') {
    const meaning = meaningOf(asked);
    const source = meaning === 'rollback' || meaning === 'promote' || meaning === 'deploy';
    await refuseForbiddenRelease(effect.kysely, { ...place, ...project }, { source });
    refuseMisfit(place.service, place.image, place.platforms, await machineOf(effect.kysely, release));
  }
  const {
    content: { settings },
    runsAs,
  } = place;
  const replaces = replacesAll(asked, place.live?.id === release.id) || { runsAs };
  const down = await downtimeOf(effect.kysely, release, [{ serviceId, settings, replaces }]);
  const downtimeAccepted = await acceptDowntime(effect, release, down, asked.downtimeAccepted, asked.downtimeAdvice);
  const deploymentId = uuid();
  const approvalId = isHeld(place, asked) ? uuid() : undefined;
  const held = approvalId === undefined ? {} : { approvalId };
  const { kind, queue, requestedBy, rerun, message: changeSetMessage = '' } = asked;
  const by = requestedBy === undefined ? {} : { requestedBy };
  const one = {
    id: deploymentId,
    environmentId,
    serviceId,
    releaseId: release.id,
    kind,
    queue,
    changeSetMessage,
    downtimeAccepted,
    ...held,
    ...by,
    ...(rerun === undefined ? {} : rowOfRerun(rerun)),
  };
  const decision = await admit(effect, project, { event: 'create', deployments: [one] });
  if ('refused' in decision) return decision;
  if (approvalId !== undefined)
    await requestApproval(effect, release, place, { ...asked, deploymentId, approvalId, down });
  else await adoptSettings(effect, keyring, meaningOf(asked), release);
  const { promotedFrom: from } = asked;
  effect.audit(
    'deployment.requested',
    { organizationId, id: deploymentId, name: place.service },
    {
      ...{ kind, environment: place.environment, release: place.number },
      ...(from === undefined ? {} : { fromEnvironment: from.environment, fromRelease: from.number }),
      ...(rerun === undefined ? {} : detailsOfRerun(rerun)),
    },
  );
  return { ...decision, deploymentId, approvalId };
}

/** A resumption runs what somebody has approved already. */
function isHeld({ production, skips }: PlannedRelease, { kind, rerun }: DeploymentOptions): boolean {
  return production && !skips && kind !== 'resume' && rerun?.approval === undefined;
}

/** What it does to settings. The rerun of a rollback brings them back, too; the others find theirs applied. */
function meaningOf({ kind, rerun }: DeploymentOptions): DeploymentOptions['kind'] {
  return rerun?.as === 'rollback' ? 'rollback' : kind;
}

/** A release that is live already gets new instances. */
function replacesAll({ kind }: DeploymentOptions, isLive: boolean): boolean {
  return kind === 'redeploy' || (kind === 'rerun' && isLive);
}

interface PlannedRelease {
  number: number;
  digest: string;
  runsAs: number;
  content: ReleaseContent;
  image: string;
  platforms: ImagePlatform[] | null;
  retired: boolean;
  production: boolean;
  environment: string;
  service: string;
  slug: string;
  /** The owner has turned approvals of this service off. */
  skips: boolean;
  /** `content`: where an approval may show what changes. */
  live: { id: string; number: number; image: string; content: ReleaseContent | null } | undefined;
}

async function placeNow({ kysely }: Effect, release: ReleaseToDeploy): Promise<PlannedRelease> {
  const { rows } = await sql<
    Omit<PlannedRelease, 'live'> & {
      live_id: string | null;
      live_number: number;
      live_image: string;
      live_content: ReleaseContent | null;
    }
  >`
    select release.number, release.content_digest as digest, release.runs_as as "runsAs",
      release.content, release.image_ref as image, release.image_platforms as platforms,
      release.retired_at is not null as retired,
      environment.production, environment.name as environment, service.name as service, service.slug,
      service.skip_production_approval as skips, live.id as live_id, live.number as live_number,
      live.image_ref as live_image, case when environment.production then live.content end as live_content
    from release
    join environment on environment.organization_id = release.organization_id
      and environment.id = release.environment_id and environment.deletion_id is null
    join service on service.organization_id = release.organization_id
      and service.id = release.service_id and service.deletion_id is null
    left join environment_service place on place.organization_id = release.organization_id
      and place.environment_id = release.environment_id and place.service_id = release.service_id
    left join release live on live.organization_id = release.organization_id and live.id = place.live_release_id
    where release.organization_id = ${release.organizationId} and release.id = ${release.id}
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Problem('not-found', 'The service of this release or its environment was deleted.');
  const { live_id: id, live_number: number, live_image: image, live_content: content, ...place } = row;
  return { ...place, live: id === null ? undefined : { id, number, image, content } };
}

function refuseUnfit(
  { number, retired, service, environment, live }: PlannedRelease,
  { id }: ReleaseToDeploy,
  { kind }: DeploymentOptions,
) {
  if (retired) {
    throw new Problem(
      'release-retired',
      `Release #${number} of "${service}" is retired: its image and secrets may be gone. Choose a later one.`,
    );
  }
  if (kind === 'rollback' && live?.id === id) {
    throw new Problem(
      'conflict',
      `Release #${number} of "${service}" is live in "${environment}" already: redeploy it to replace its instances.`,
    );
  }
}

async function requestApproval(
  effect: Effect,
  release: ReleaseToDeploy,
  { number, digest, image, content, service, slug, environment, live: running }: PlannedRelease,
  asked: DeploymentOptions & { deploymentId: string; approvalId: string; down: readonly Down[] },
): Promise<void> {
  const { organizationId, projectId, environmentId, serviceId } = release;
  const { approvalId: id, deploymentId, reason, answerableId, down, promotedFrom } = asked;
  const meaning = meaningOf(asked);
  const kind = meaning === 'rollback' || meaning === 'promote' ? meaning : 'deploy';
  const { missing, ...promoted } = promotedFrom ?? { missing: undefined };
  const author = asked.requestedBy ?? effect.author;
  const named = { serviceId, serviceSlug: slug };
  const { content: before, ...live } = running ?? { content: undefined };
  await tenant(effect.kysely, organizationId)
    .insertInto('approval')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, deployment_id: deploymentId },
      kind,
      ...{ requested_by_kind: author.kind, requested_by_id: author.id, requested_by_name: author.name },
      ...{ answerable_id: answerableId ?? null, reason },
      basis: await basisOf(effect, release, [serviceId], asked.reliedOn),
      diff: json([
        {
          ...named,
          from: running === undefined ? null : live,
          to: { id: release.id, number, image },
          // Releases of earlier versions may lack settings.
          items: before?.settings === undefined ? [] : goingLive(service, before, content),
          ...(promotedFrom === undefined ? {} : { promotedFrom: promoted }),
        },
      ]),
      impact: json({
        services: [{ id: serviceId, slug, name: service }],
        removed: [],
        ...downtimeImpact(down),
        missing,
      }),
      target: json({ releases: [{ ...named, releaseId: release.id, number, contentDigest: digest, image }] }),
      expires_at: expiresAt(organizationId),
    })
    .execute();
  effect.audit(
    'approval.requested',
    { organizationId, id, name: environment },
    { environmentId, deployment: deploymentId },
  );
  effect.change({ organizationId, projectId, kind: 'approval', id });
  await askDeciders(effect, organizationId, {
    ...{ approvalId: id, projectId, environmentId, environment, service: { id: serviceId, name: service } },
    ...{ kind, reason, requestedBy: author, answerableId },
  });
}

function json(value: unknown) {
  return sql<JsonValue>`${JSON.stringify(value)}::jsonb`;
}
