import { v7 as uuid } from 'uuid';
import type { ChangeSetSource } from '../../../domain/change-sets/items.ts';
import { Problem } from '../../../domain/problems.ts';
import { pinnedSource } from '../../../domain/services/image-reference.ts';
import { appliedVariables } from '../../change-sets/applied.ts';
import { applyPlan, recordApplied } from '../../change-sets/apply/apply-draft.ts';
import { planChanges, wantedVariables } from '../../change-sets/apply/plan.ts';
import { imageOf } from '../../change-sets/apply/resolved-image.ts';
import { type DraftRow, lockDraft, raiseRevision } from '../../change-sets/drafts.ts';
import { deleteItems, draftItems, type ItemRow, insertItems } from '../../change-sets/items.ts';
import { type NewItem, type Stager, Staging } from '../../change-sets/staging.ts';
import type { Effect } from '../../engine/effect.ts';
import type { JsonValue } from '../../postgres/json.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { ReleaseKeys } from '../../releases/compose.ts';
import { reviveProcesses } from '../../services/processes.ts';
import { refuseForbiddenRelease } from '../../source-credentials/used-by.ts';
import { goesAlong, type Promoted, type Promotion, type Source, type Target, type Wish } from './places.ts';
import {
  type ComingVariable,
  comingVariables,
  type GivenVariable,
  refuseMissing,
  refuseOtherBuildValues,
} from './variables.ts';

/** The changes of a target that go with a promotion. */
export interface Changes {
  /** Who stages them. */
  by: { id: string; name: string };
  variables: readonly GivenVariable[];
  via: ChangeSetSource;
}

/**
 * A promotion with a change set of its own: the target lacks the service, which is added with the settings of the release and its
 * variables, or lacks variables, which are given. One decision is on all of it. What else is staged there stays staged; of a service
 * that was only staged, that goes along and has the last word, but for its image.
 */
export async function promoteWithChanges(
  effect: Effect,
  keyring: Stager & ReleaseKeys,
  promotion: Promotion,
  { source, target }: { source: Source; target: Target },
  { missingAccepted, ...asked }: Wish,
  { by, variables: given, via }: Changes,
): Promise<Promoted> {
  const { organizationId, projectId, environmentId, serviceId } = promotion;
  const place = { organizationId, environmentId };
  const { service, environment } = target;
  await refuseForbiddenRelease(effect.kysely, { ...promotion, ...source, service }, { source: true });
  const draft = await lockDraft(effect, place);
  const isNew = target.settings === null;
  if (isNew) await refuseUnderWay(effect, promotion, target);
  const changeSetId = uuid();
  const staged = isNew ? await takeStaged(effect, draft, { ...promotion, changeSetId }) : [];
  const there = await wantedVariables(effect.kysely, keyring, place, staged, [serviceId]);
  const origin = await originOf(effect, keyring, promotion, source);
  const variables = comingVariables(origin, { adds: isNew, variables: there.get(serviceId) ?? new Map() }, given);
  const missing = variables.filter(({ from }) => from === 'nowhere').map(({ key }) => key);
  const files = (target.settings ?? source.content.settings).files.map(({ variable }) => variable);
  await refuseMissing(effect.kysely, promotion, { source, target, missing, files, missingAccepted });
  const items = [
    ...(await settingsItems(effect, promotion, source, target)),
    ...variables.flatMap((one) => variableItem(serviceId, one)),
  ];
  await insert(effect, keyring, place, { changeSetId, items, by });
  const image = imageOf(source);
  const promoted = { ...image, made: { ...image.made, promotedFromReleaseId: promotion.releaseId } };
  const plan = await planChanges(effect.kysely, place, changeSetId, [serviceId], {
    promoted: new Map([[serviceId, promoted]]),
  });
  await refuseOtherBuildValues(effect, keyring, promotion, source, target, plan.items);
  const { number, environment: from } = source;
  const request = {
    ...{ changeSetId, title: `Promote ${service} #${number} from ${from}`.slice(0, 500), source: via },
    ...{ reason: asked.reason, downtimeAccepted: asked.downtimeAccepted, answerableId: asked.answerableId },
    deployServiceIds: [serviceId],
  };
  const whole = { ...place, projectId, production: target.production };
  const applied = await applyPlan(effect, keyring, whole, new Map(), request, plan);
  const [deployment] = applied.deployments;
  if (deployment === undefined)
    throw new Problem('conflict', `"${service}" has nothing to run in "${environment}": create a process there first.`);
  recordApplied(effect, whole, { id: changeSetId, name: environment }, plan, request);
  const { id: deploymentId, releaseId } = deployment;
  return { releaseId, deploymentId, approvalId: applied.approvalId, changeSetId, update: [] };
}

/** Two change sets that both add it would have to be decided on one after the other, and the second would be stale. */
async function refuseUnderWay(
  { kysely }: Effect,
  { organizationId, environmentId, serviceId }: Promotion,
  { service, environment }: Target,
): Promise<void> {
  const open = await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .select('approval_id as approvalId')
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where('finished_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (open === undefined) return;
  const how = open.approvalId === null ? 'wait for that' : 'approve it, or withdraw it first';
  throw new Problem('conflict', `"${service}" is being added to "${environment}" already: ${how}.`);
}

/** Gives the change set what is staged of the service; its image is the promotion's, and so are the settings that it begins with. */
async function takeStaged(
  effect: Effect,
  draft: DraftRow,
  { organizationId, environmentId, serviceId, changeSetId }: Promotion & { changeSetId: string },
): Promise<ItemRow[]> {
  const place = { organizationId, environmentId };
  const staged = await draftItems(effect.kysely, place, draft.id, [serviceId]);
  if (staged.length === 0) return [];
  const replaced = staged.filter((item) => !goesAlong(item));
  await deleteItems(
    effect.kysely,
    organizationId,
    replaced.map(({ id }) => id),
  );
  await tenant(effect.kysely, organizationId)
    .updateTable('change_set_item')
    .set({ change_set_id: changeSetId })
    .where('change_set_id', '=', draft.id)
    .where('service_id', '=', serviceId)
    .execute();
  await raiseRevision(effect, place, draft);
  return staged.filter(goesAlong);
}

async function originOf(effect: Effect, keyring: Stager, { organizationId, serviceId }: Promotion, source: Source) {
  const { environmentId, environment, production, variableKeys: keys } = source;
  const applied = await appliedVariables(effect.kysely, keyring, { organizationId, environmentId }, [serviceId]);
  return { environment, production, keys, variables: applied.get(serviceId) ?? new Map() };
}

async function settingsItems(
  effect: Effect,
  promotion: Promotion,
  { content, imageRef }: Source,
  { settings }: Target,
): Promise<NewItem[]> {
  const { serviceId } = promotion;
  if (settings === null) {
    const revived = await reviveProcesses(effect, promotion, content.settings);
    const to = { ...revived, source: pinnedSource(revived.source, content.image, imageRef) };
    return [{ kind: 'service.create', serviceId, key: '', to: to as unknown as JsonValue }];
  }
  const to = pinnedSource(settings.source, content.image, imageRef);
  return [{ kind: 'service.set', serviceId, key: 'source', to: to as unknown as JsonValue }];
}

function variableItem(serviceId: string, { key, variable }: ComingVariable): NewItem[] {
  if (variable === undefined) return [];
  const { value, ...its } = variable;
  return [{ kind: 'variable.set', serviceId, key, to: value, ...its }];
}

async function insert(
  effect: Effect,
  keyring: Stager,
  place: { organizationId: string; environmentId: string },
  { changeSetId, items, by }: { changeSetId: string; items: readonly NewItem[]; by: Changes['by'] },
): Promise<void> {
  const staging = await Staging.of(effect, keyring, place, changeSetId, items);
  for (const item of items) await staging.add(item);
  staging.refuseMounts(items);
  await deleteItems(effect.kysely, place.organizationId, staging.removed);
  const stagedBy = { staged_by_id: by.id, staged_by_name: by.name };
  await insertItems(
    effect.kysely,
    place.organizationId,
    staging.added.map((row) => ({ ...row, ...stagedBy, revision: 1 })),
  );
}
