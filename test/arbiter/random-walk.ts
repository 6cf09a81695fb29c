import { v7 as uuid } from 'uuid';
import type { AdmissionRequest } from '../../db/deployments/admission.ts';
import { decide } from '../../domain/deployments/arbiter.ts';
import type { AdmissionEvent, Decision, New } from '../../domain/deployments/arbiter-types.ts';
import { type Move, movesOf, type Rules } from './moves.ts';
import type { SeededProject } from './seeded-projects.ts';
import { step } from './step.ts';
import { emptyWorld, type World } from './world.ts';

const rules: Rules = { atOnce: 4, concurrency: [1, 2], messages: 'heard' };

/** One move, as the database is to be asked for it, and the arbiter's own answer. */
export interface Taken {
  move: Move;
  request?: AdmissionRequest;
  /** Approvals to ask for first. */
  approvals: readonly string[];
  decision: Decision | undefined;
}

/** A walk through the states of a project, the same for the same seed but for its ids. */
export class RandomWalk {
  world: World = emptyWorld(1);
  /** The states of all deployments so far. */
  readonly states = new Map<string, string>();
  /** The decisions of all approvals so far, null while it is open. */
  readonly approvals = new Map<string, string | null>();
  readonly project: SeededProject;
  #seed: number;

  constructor(project: SeededProject, seed: number) {
    this.project = project;
    this.#seed = seed;
    this.world = { ...this.world, snapshot: { ...this.world.snapshot, live: new Map() } };
  }

  next(): Taken {
    const moves = movesOf(this.world, rules);
    const creations = moves.filter((move) => move.does === 'event' && move.event.event === 'create');
    const others = moves.filter((move) => !creations.includes(move));
    // As many requests as other events, or walks would fill up and stay.
    const move = this.#named(
      this.#one(others.length === 0 || (creations.length > 0 && this.#random(5) < 2) ? creations : others),
    );
    const { decision, after } = step(decide, this.world, move, rules);
    const approvals =
      move.does === 'event' && decision !== undefined && !('refused' in decision) ? requested(move.event) : [];
    for (const id of approvals) this.approvals.set(id, null);
    if (after !== undefined) this.world = after;
    this.#remember(move, decision);
    return {
      ...{ move, approvals, decision },
      ...(move.does === 'event' ? { request: this.#request(move.event) } : {}),
    };
  }

  #remember(move: Move, decision: Decision | undefined): void {
    for (const { id, state } of this.world.snapshot.deployments) this.states.set(id, state);
    if (decision === undefined || 'refused' in decision) return;
    for (const { id, state } of decision.update) if (state !== undefined) this.states.set(id, state);
    if (move.does === 'event' && move.event.event === 'decide')
      this.approvals.set(move.event.approvalId, move.event.decision);
    for (const { approvalId, decision: closed } of decision.closed) this.approvals.set(approvalId, closed);
  }

  /** Names that are unique in a database, and releases that are there. */
  #named(move: Move): Move {
    if (move.does !== 'event' || move.event.event !== 'create') return move;
    const [approvalId, changeSetId] = [uuid(), uuid()];
    const names = new Map(move.event.deployments.map(({ id }) => [id, uuid()]));
    const deployments = move.event.deployments.map((one): New => {
      const after = one.after?.map((id) => names.get(id) ?? uuid());
      const { releases } = this.project.services[one.place] as SeededProject['services'][string];
      return {
        ...{ ...one, id: names.get(one.id) ?? '', releaseId: this.#one(releases) },
        ...(after === undefined ? {} : { after }),
        ...(one.approvalId === undefined ? {} : { approvalId }),
        ...(one.changeSetId === undefined ? {} : { changeSetId }),
      };
    });
    return { ...move, event: { event: 'create', deployments } };
  }

  #request(event: AdmissionEvent): AdmissionRequest {
    if (event.event !== 'create') return event;
    const { environmentId, services } = this.project;
    const deployments = event.deployments.map(({ place, ...one }) => ({
      ...{ ...one, environmentId, serviceId: services[place]?.id ?? '' },
    }));
    return { event: 'create', deployments };
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#random(list.length)] as T;
  }

  /** Below a number; a linear congruence is even enough for walks. */
  #random(below: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * below);
  }
}

function requested(event: AdmissionEvent): string[] {
  if (event.event !== 'create') return [];
  return [...new Set(event.deployments.flatMap(({ approvalId }) => (approvalId === undefined ? [] : [approvalId])))];
}
