import type { ActorDescriptor } from '../actors/actor-descriptor.ts';
import type { HistoryStep, Tone } from './step.ts';
import { stateWords } from './words.ts';

export const stageOutcomes = ['done', 'running', 'failed', 'cancelled', 'waiting', 'skipped'] as const;
export type StageOutcome = (typeof stageOutcomes)[number];

/** A stage of a workflow as people see it: a part of its way, or of a long-lived one the time in one state. */
export interface Stage {
  name: string;
  title: string;
  outcome: StageOutcome;
  tone: Tone;
  /** Absent: it has not begun, or began before the steps that are known. */
  startedAt?: string;
  finishedAt?: string;
}

type Staged = Pick<ActorDescriptor, 'lives' | 'stages' | 'states' | 'ends' | 'words'>;

export interface Course {
  /** Of all runs that were read, in order. */
  steps: readonly HistoryStep[];
  /** The state at the beginning of the first of them. */
  begunIn: string;
  /** The time of that beginning; absent if the state is older. */
  begunAt?: string;
  /** By its row. */
  state: string;
  finishedAt?: string;
}

interface Period {
  state: string;
  startedAt?: string;
  finishedAt?: string;
}

export function stagesOf(kind: Staged, course: Course): Stage[] {
  const periods = periodsOf(course);
  return kind.lives === 'once' ? onTheWay(kind, periods, course) : periods.map((period) => inState(kind, period));
}

/** The states it has been in, each with its time. */
function periodsOf({ steps, begunIn, begunAt, state, finishedAt }: Course): Period[] {
  const periods: Period[] = [{ state: begunIn, ...(begunAt === undefined ? {} : { startedAt: begunAt }) }];
  const enter = (next: string, at: string): void => {
    const last = periods.at(-1);
    if (last?.state === next) return;
    // Clocks of workers and of PostgreSQL differ: no stage ends before it began.
    if (last !== undefined) last.finishedAt = later(last.startedAt, at);
    periods.push({ state: next, startedAt: at });
  };
  for (const step of steps) if (step.state !== undefined) enter(step.state, step.finishedAt ?? step.startedAt);
  if (finishedAt !== undefined) {
    // A decision of a person ends the row before its actor has heard of it.
    enter(state, finishedAt);
    periods.pop();
  }
  return periods;
}

function later(one: string | undefined, other: string): string {
  return one !== undefined && Date.parse(one) > Date.parse(other) ? one : other;
}

function inState({ words }: Staged, { state, startedAt, finishedAt }: Period): Stage {
  const { word, tone } = stateWords(words, state);
  return {
    name: state,
    title: word,
    outcome: finishedAt === undefined ? 'running' : 'done',
    tone,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
  };
}

const tones: Readonly<Record<StageOutcome, Tone>> = {
  done: 'good',
  running: 'live',
  failed: 'fault',
  cancelled: 'neutral',
  waiting: 'neutral',
  skipped: 'neutral',
};

function onTheWay({ stages, ends }: Staged, periods: readonly Period[], { state, finishedAt }: Course): Stage[] {
  const last = periods.at(-1);
  const end = finishedAt === undefined ? undefined : ends[state];
  const reached = stages.findLastIndex(({ states }) => periods.some((period) => states.includes(period.state)));
  return stages.map(({ name, title, states }, index) => {
    const own = periods.filter((period) => states.includes(period.state));
    const outcome = outcomeOf(own, index < reached);
    const startedAt = own[0]?.startedAt;
    const ended = own.at(-1)?.finishedAt;
    return {
      ...{ name, title, outcome, tone: tones[outcome] },
      ...(startedAt === undefined ? {} : { startedAt }),
      ...(ended === undefined || outcome === 'running' ? {} : { finishedAt: ended }),
    };
  });

  function outcomeOf(own: readonly Period[], passed: boolean): StageOutcome {
    if (own.length === 0) return finishedAt === undefined && !passed ? 'waiting' : 'skipped';
    if (last === undefined || !own.includes(last)) return 'done';
    if (finishedAt === undefined) return 'running';
    return end === 'failed' || end === 'cancelled' ? end : 'done';
  }
}
