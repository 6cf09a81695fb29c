import { type DeploymentStage, deploymentStages } from './states.ts';

/** The phases of a rollout as an agent tells them, in their order, `releasing` only with a release command; the last two are its ends. */
export const rolloutPhases = [
  'preparing',
  'releasing',
  'starting',
  'checking',
  'switching',
  'draining',
  'done',
  'returned',
] as const;
export type RolloutPhase = (typeof rolloutPhases)[number];

/** Times of the agent's clock, by the phase that began then. */
export type PhaseTimes = Partial<Record<RolloutPhase, string>>;

export type StageTime = {
  stage: DeploymentStage;
  startedAt: string;
  endedAt?: string;
  detail?: string;
};

const stageOf: Partial<Record<RolloutPhase, DeploymentStage>> = {
  preparing: 'prepare',
  releasing: 'release-command',
  starting: 'start',
  checking: 'check',
  switching: 'switch',
  draining: 'drain',
};

/**
 * The stages after an agent has told a phase. Stages that went by between two reports get the agent's times, kept between
 * the stage before and now, so that its clock can make no gap and no order of its own.
 */
export function stagesAfter(
  stages: readonly StageTime[],
  { phase, at, now }: { phase: RolloutPhase; at: PhaseTimes; now: string },
): StageTime[] {
  const passed = rolloutPhases
    .slice(0, rolloutPhases.indexOf(phase) + 1)
    .filter((one) => one !== 'releasing' || phase === one || at[one] !== undefined);
  const result = stages.map((stage) => ({ ...stage }));
  for (const each of phase === 'returned' ? passed.filter((one) => at[one] !== undefined) : passed) {
    const stage = stageOf[each];
    if (stage === undefined) continue;
    const last = result.at(-1);
    if (last !== undefined && orderOf(last.stage) >= orderOf(stage)) continue;
    const from = between(last?.startedAt ?? now, at[each], now);
    if (last !== undefined) last.endedAt = from;
    result.push({ stage, startedAt: from });
  }
  const end = phase === 'done' || phase === 'returned' ? phase : undefined;
  return end === undefined ? result : endedStages(result, at[end], now);
}

/** The stages of a deployment that is over. */
export function endedStages(stages: readonly StageTime[], at: string | undefined, now: string): StageTime[] {
  return stages.map((stage, index) =>
    index === stages.length - 1 && stage.endedAt === undefined
      ? { ...stage, endedAt: between(stage.startedAt, at, now) }
      : stage,
  );
}

/** The stages until a deployment is claimed: the approval, if there was one, then the queue. */
export function stagesAtClaim(times: { createdAt: string; decidedAt?: string | undefined; now: string }): StageTime[] {
  const { createdAt, decidedAt, now } = times;
  const queued = decidedAt === undefined ? createdAt : between(createdAt, decidedAt, now);
  return [
    ...(decidedAt === undefined ? [] : [{ stage: 'approval' as const, startedAt: createdAt, endedAt: queued }]),
    { stage: 'queue', startedAt: queued, endedAt: now },
    { stage: 'prepare', startedAt: now },
  ];
}

function orderOf(stage: DeploymentStage): number {
  return deploymentStages.indexOf(stage);
}

function between(first: string, given: string | undefined, last: string): string {
  if (given === undefined || Number.isNaN(Date.parse(given)) || Date.parse(given) > Date.parse(last)) return last;
  return Date.parse(given) < Date.parse(first) ? first : new Date(given).toISOString();
}
