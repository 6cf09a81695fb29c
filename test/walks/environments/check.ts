import { expect } from 'vitest';
import type { DriftItem } from '../../../domain/releases/drift.ts';
import { asChanges, type Environment, type Model, withChanges } from './model.ts';
import { dangling, resolvedOf } from './references.ts';
import { ofSettings, rolls, type Seen, type SeenDeployment, type SeenPlace, type SeenRelease } from './seen.ts';
import { type Scope, type Service, type Slot, scopeOf, services } from './vocabulary.ts';

/**
 * Running + drift = applied; applied + held + staged = wanted: for each environment and each place in it. What is deleted is
 * neither staged nor wanted on the cluster.
 */
export async function check(model: Model, seen: Seen): Promise<void> {
  await checkVisible(model, seen);
  const deployments = await seen.deployments();
  const places = await seen.places();
  const variables = await seen.variables();
  const told = await seen.told();
  const drafts = await seen.drafts();
  const held = model.environments.flatMap((one) => one.held?.changeSetId ?? []);
  const items = await seen.items([...drafts.filter((id) => id !== ''), ...held]);
  const waiting = model.environments.flatMap((one) => [
    ...(one.held ? [one.held.approvalId] : []),
    ...one.asked.keys(),
  ]);
  expect([...(await seen.pending())].toSorted(), 'what waits for a decision').toEqual(waiting.toSorted());
  for (const [number, environment] of model.environments.entries()) {
    if (environment.purged) continue;
    const shown = sorted((items.get(drafts[number] ?? '') ?? []).map(({ slot, to, by }) => [slot, { to, by }]));
    expect(shown, `the draft of ${number}`).toEqual(sorted(environment.staged));
    if (environment.held !== undefined) {
      const of = items.get(environment.held.changeSetId) ?? [];
      expect(sorted(of.map(({ slot, to, by }) => [slot, { to, by }])), `held in ${number}`).toEqual(
        sorted(environment.held.items),
      );
    }
    const own = places.filter((place) => place.environment === number);
    const applied = new Map([...(variables[number] ?? []), ...own.flatMap(settingsOf)]);
    const kept = [...environment.applied].filter(([slot]) => !isPurged(model, scopeOf(slot)));
    expect(sorted(applied), `what is applied in ${number}`).toEqual(sorted(kept));
    const drift = environment.deleted === 'no' ? await seen.drift(number) : new Map<Service, DriftItem[]>();
    for (const place of own) {
      const at = { model, environment, place, applied, drift: drift.get(place.service) ?? [] };
      const open = deployments.filter((one) => one.open && one.environment === number && one.service === place.service);
      checkPlace(at, open, told.get(`${number} ${place.service}`));
    }
    checkWanted(model, environment, applied);
  }
}

async function checkVisible(model: Model, seen: Seen): Promise<void> {
  const isThere = (one: { deleted: string; purged: boolean }) => one.deleted === 'no' && !one.purged;
  expect(await seen.visible(), 'what is not deleted').toEqual({
    project: !model.project.deleted,
    environments: [0, 1].filter((number) => isThere(model.environments[number] as Environment)),
    services: services.filter((one) => isThere(model.services[one])).toSorted(),
  });
}

/** Each change is wanted once: where it is staged, else where it is held, else as it is applied. */
function checkWanted(model: Model, environment: Environment, applied: ReadonlyMap<Slot, string>): void {
  const held = withChanges(applied, asChanges(environment.held?.items ?? new Map()));
  const wanted = withChanges(held, asChanges(environment.staged));
  const kept = [...environment.wanted].filter(([slot]) => !isPurged(model, scopeOf(slot)));
  expect(sorted(wanted), 'applied, held and staged together').toEqual(sorted(kept));
}

interface Place {
  model: Model;
  environment: Environment;
  place: SeenPlace;
  applied: ReadonlyMap<Slot, string>;
  drift: readonly DriftItem[];
}

function checkPlace(
  at: Place,
  open: readonly SeenDeployment[],
  told: { rollout: { id: string }; processes: { replicas: number }[] } | undefined,
): void {
  const { model, environment, place } = at;
  const { service, live, liveDeploymentId } = place;
  const known = environment.at[service];
  const name = `${service} in ${environment.production ? 'production' : 'staging'}`;
  expect({ live: live?.id, liveDeploymentId, suspended: place.suspended }, `what serves of ${name}`).toEqual({
    live: known.live?.releaseId,
    liveDeploymentId: known.live?.deploymentId ?? null,
    suspended: known.suspended,
  });
  const rolling = open.filter(({ state }) => rolls.includes(state));
  expect(rolling.length, `rollouts of ${name}`).toBeLessThanOrEqual(1);
  const isThere = model.services[service].deleted === 'no' && environment.deleted === 'no';
  if (!isThere) expect(open.length - rolling.length, `what waits of ${name}, which is deleted`).toBe(0);
  if (rolling.length === 0) {
    const runs = (told?.processes ?? []).some(({ replicas }) => replicas > 0);
    expect(runs, `whether ${name} runs`).toBe(isThere && live !== undefined && !known.suspended);
    if (runs) expect(told?.rollout.id, `what is told of ${name}`).toBe(known.live?.deploymentId);
  }
  if (live === undefined) return;
  const frozen = model.frozen.get(live.id);
  expect({ written: sorted(live.written), resolved: live.resolved }, `the release of ${name}`).toEqual({
    written: sorted(frozen?.written ?? []),
    resolved: frozen?.resolved,
  });
  if (!isThere) return;
  const replicas = rolling.length === 0 && !known.suspended ? told?.processes[0]?.replicas : undefined;
  checkDrift(at, live, replicas, name);
}

/** The listed differences make of what runs what is applied, and each of them is one. */
function checkDrift(at: Place, live: SeenRelease, replicas: number | undefined, name: string): void {
  const { service } = at.place;
  const running = new Map(live.written);
  if (replicas !== undefined) running.set(`${service} replicas`, String(replicas));
  const own = new Map([...at.applied].filter(([slot]) => scopeOf(slot) === service));
  const before = new Map(running);
  // Written as they were, and made of other values by now.
  const followed = at.drift.filter(
    ({ kind, key }) => kind === 'variable.set' && own.get(`${service} ${key}`) === before.get(`${service} ${key}`),
  );
  const drift = at.drift.filter((item) => !followed.includes(item));
  for (const item of drift) {
    const slot = `${service} ${item.key}`;
    if (item.kind === 'variable.unset') running.delete(slot);
    else if (item.secret) running.set(slot, own.get(slot) ?? 'no secret');
    else running.set(slot, textOf(item));
  }
  // A release that runs again has the replicas of today; they are known once it serves.
  if (replicas === undefined && !drift.some(({ key }) => key === 'replicas')) {
    for (const values of [running, own]) values.delete(`${service} replicas`);
  }
  const words = `drift of ${name}: ${JSON.stringify(at.drift)}`;
  expect(sorted(running), words).toEqual(sorted(own));
  for (const { key } of drift.filter((one) => !one.secret)) {
    if (key === 'replicas' && replicas === undefined) continue;
    expect(before.get(`${service} ${key}`), `a difference of ${key}, ${words}`).not.toBe(own.get(`${service} ${key}`));
  }
  checkFollowed(at, live, own, followed, words);
}

/** Each variable that is written as it was, and is made of other values by now, is named, with both where they may be shown. */
function checkFollowed(
  { model, environment, place: { service } }: Place,
  live: SeenRelease,
  own: ReadonlyMap<Slot, string>,
  followed: readonly DriftItem[],
  words: string,
): void {
  const here = model.here(environment);
  if (dangling(here).size > 0) return;
  const now = resolvedOf(here, service);
  const others = Object.keys(now).filter(
    (key) => live.written.get(`${service} ${key}`) === own.get(`${service} ${key}`) && now[key] !== live.resolved[key],
  );
  const named = followed.map(({ key }) => key);
  expect(named, `made of other values, ${words}`).toEqual(expect.arrayContaining(others));
  for (const { key, from, to, secret } of followed) {
    // One with something secret in it may be named although it was set to the same again.
    if (secret) continue;
    expect(others, words).toContain(key);
    if (from !== undefined) expect(from, words).toBe(live.resolved[key]);
    if (to !== undefined) expect(to, words).toBe(now[key]);
  }
}

function textOf({ kind, key, to }: DriftItem): string {
  if (kind === 'service.set' && key === 'source') return (to as { imageRepository: string }).imageRepository;
  if (kind === 'variable.set' || (kind === 'process.set' && key === 'replicas')) return String(to);
  throw new Error(`Nobody changed ${kind} ${key}.`);
}

/** Releases that were composed are those of what was wanted then. */
export async function checkFrozen(
  model: Model,
  seen: Seen,
  here: ReturnType<Model['here']>,
  deployments: readonly { releaseId: string; service: Service }[],
): Promise<void> {
  const releases = await seen.releases(deployments.map(({ releaseId }) => releaseId));
  for (const { releaseId, service } of deployments) {
    const expected = {
      written: new Map([...here.values].filter(([slot]) => scopeOf(slot) === service)),
      resolved: resolvedOf(here, service),
    };
    const release = releases.find(({ id }) => id === releaseId);
    expect(release && { written: sorted(release.written), resolved: release.resolved }).toEqual({
      written: sorted(expected.written),
      resolved: expected.resolved,
    });
    model.frozen.set(releaseId, expected);
  }
}

function settingsOf({ service, settings }: SeenPlace): [Slot, string][] {
  return ofSettings(settings).map(([key, value]) => [`${service} ${key}`, value]);
}

function isPurged(model: Model, scope: Scope): boolean {
  return scope !== 'shared' && model.services[scope].purged;
}

function sorted<Value>(entries: Iterable<readonly [string, Value]>): (readonly [string, Value])[] {
  return [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
