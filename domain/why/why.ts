import { blockerWords } from '../deployments/blocker-words.ts';
import { isDeploymentClaimed, isDeploymentFinal } from '../deployments/states.ts';
import { remedyOf } from './remedies.ts';
import { beganWords, endWords, stageTitles } from './state-words.ts';
import type { WhyFacts } from './why-facts.ts';

/** The five answers: what it waits for or failed by, since when, what was tried, who can change it, by which command or page. */
export const whyTopics = ['what', 'since', 'tried', 'who', 'how'] as const;
export type WhyTopic = (typeof whyTopics)[number];

export interface WhyLine {
  topic: WhyTopic;
  text: string;
  /** A time that belongs to the text, as ISO 8601: each reader sees it in its own zone. */
  at?: string;
}

/** Why a deployment is where it is: at most five lines, one of each topic. */
export function whyOf(facts: WhyFacts): WhyLine[] {
  const { who, how } = remedyOf(facts);
  const lines: WhyLine[] = [
    { topic: 'what', text: whatOf(facts) },
    sinceOf(facts),
    { topic: 'tried', text: triedOf(facts) },
    { topic: 'who', text: who },
    { topic: 'how', text: how },
  ];
  return lines.filter(({ text }) => text !== '');
}

/** The broken ones first, then those that wait for a person, then those that go on by themselves. */
export function worstFirst<Of extends Pick<WhyFacts, 'state' | 'blocker' | 'createdAt'>>(all: readonly Of[]): Of[] {
  return all.toSorted((one, other) => rank(one) - rank(other) || other.createdAt.localeCompare(one.createdAt));
}

function rank({ state, blocker }: Pick<WhyFacts, 'state' | 'blocker'>): number {
  if (blocker === 'temporal' || blocker === 'worker') return 0;
  if (state === 'failed') return 1;
  if (blocker === 'cluster-lost') return 2;
  if (blocker === 'approval' || blocker === 'freeze') return 3;
  return blocker === '' ? 5 : 4;
}

function whatOf({ serviceName, environmentName, releaseNumber, state, blocker, message, ...facts }: WhyFacts): string {
  const subject = `Release ${releaseNumber} of ${serviceName} in ${environmentName}`;
  if (facts.cancelRequestedAt !== undefined && isDeploymentClaimed(state)) {
    return `${subject} is being cancelled: it returns to the release that is live.`;
  }
  const over = isDeploymentFinal(state);
  const heading = blocker === '' ? '' : over ? blockerWords[blocker].failed : blockerWords[blocker].waits;
  const word = over ? endWords[state] : heading === '' ? beganWords[state] : heading;
  const cause = over && heading !== '' && state === 'failed' ? heading : '';
  // The queue's own sentence says what the lines about who and how say better.
  const told = !over && /^Waits for /.test(message) ? '' : message;
  const sentences = [cause, told].filter((text) => text !== '').map(sentence);
  return [`${subject}: ${sentence(lower(word))}`, ...sentences].join(' ');
}

function sinceOf({ finishedAt, blockedAt, createdAt, stages, state }: WhyFacts): WhyLine {
  const topic = 'since';
  if (isDeploymentFinal(state)) return { topic, text: 'Ended', at: finishedAt ?? createdAt };
  if (blockedAt !== undefined) return { topic, text: 'Waits since', at: blockedAt };
  const stage = stages.findLast(({ endedAt }) => endedAt === undefined);
  if (stage !== undefined) return { topic, text: `${stageTitles[stage.stage]} began`, at: stage.startedAt };
  return { topic, text: 'Requested', at: createdAt };
}

/** How far it came, what ended it, and what serves meanwhile. */
function triedOf({ stages, failure, attempts, liveRelease, state, requestedBy, releaseNumber }: WhyFacts): string {
  const last = stages.at(-1);
  const reached =
    last === undefined ? `Requested by ${requestedBy}; it has not begun` : `It came to: ${stageTitles[last.stage]}`;
  const lastLine = failure?.lines.findLast((line) => line.trim() !== '')?.trim() ?? '';
  const failed =
    failure === undefined
      ? ''
      : `${failure.instance} (${failure.process}) ${failure.end}${lastLine === '' ? '' : `: ${cut(lastLine)}`}`;
  const times = attempts > 1 ? `Deployed ${attempts} times there` : '';
  const serves =
    state === 'live' || liveRelease === releaseNumber
      ? ''
      : liveRelease === undefined
        ? 'Nothing serves there yet'
        : `Release ${liveRelease} serves meanwhile`;
  return [reached, failed, times, serves]
    .filter((text) => text !== '')
    .map(sentence)
    .join(' ');
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const longest = 200;

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
