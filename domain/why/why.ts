import {
  blockerWords,
  type ClaimedDeploymentState,
  type DeploymentStage,
  type FinalDeploymentState,
  isDeploymentClaimed,
  isDeploymentFinal,
} from '../deployments/states.ts';
import { remedyOf } from './remedies.ts';
import type { WhyFacts } from './why-facts.ts';

/** The words for what happens while nothing is waited for. */
const beganWords: Record<'pending' | ClaimedDeploymentState, string> = {
  pending: 'It is its turn, and starts within seconds',
  preparing: 'Its cluster is being told',
  releasing: 'Its release command runs',
  starting: 'New instances start beside the old ones',
  checking: 'Its instances have to stay healthy for a while',
  switching: 'Requests are being led to its instances',
  draining: 'It serves, and the old instances finish what they had begun',
};

const endWords: Record<FinalDeploymentState, string> = {
  live: 'It went live',
  failed: 'It failed',
  superseded: 'A newer deployment took its place before it began',
  cancelled: 'It was cancelled',
  rejected: 'It was rejected',
  expired: 'Nobody decided on its approval in time',
};

export const stageTitles: Record<DeploymentStage, string> = {
  approval: 'Approval',
  queue: 'Queue',
  prepare: 'Prepare',
  'release-command': 'Release command',
  start: 'Start',
  check: 'Check',
  switch: 'Switch',
  drain: 'Drain',
};

/** The five answers: what it waits for or failed by, since when, what was tried, who can change it, by which command or page. */
export const whyTopics = ['what', 'since', 'tried', 'who', 'how'] as const;
type WhyTopic = (typeof whyTopics)[number];

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

/** A service whose applied settings are not those that run, although nothing is under way. */
interface DriftFacts {
  serviceName: string;
  serviceSlug: string;
  environmentName: string;
  environmentSlug: string;
  /** The changes in words. */
  labels: readonly string[];
  liveRelease: number;
}

/** So many changes stand in a line. */
const mostLabels = 5;

/** Changes that are applied and do not run, and how they are deployed. */
export function whyDrift({ labels, liveRelease, ...facts }: DriftFacts): WhyLine[] {
  const { serviceName, serviceSlug, environmentName, environmentSlug } = facts;
  const place = `--service ${serviceSlug} --environment ${environmentSlug}`;
  const more = labels.length - mostLabels;
  const named = [...labels.slice(0, mostLabels), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const count = labels.length === 1 ? '1 change' : `${labels.length} changes`;
  return [
    { topic: 'what', text: `${count} of ${serviceName} in ${environmentName} not deployed: ${named}.` },
    { topic: 'tried', text: `Applied, and no deployment brought them live: release ${liveRelease} serves as before.` },
    { topic: 'who', text: 'A deployer can deploy the settings as they are.' },
    { topic: 'how', text: `\`./ballast deploy ${place}\`; \`./ballast service show ${place}\` has their values.` },
  ];
}

/** A suspended service, and what is under way of it. */
interface SuspendedFacts {
  serviceName: string;
  serviceSlug: string;
  environmentName: string;
  environmentSlug: string;
  production: boolean;
  at?: string;
  by: string;
  /** The release that a resumption starts again. */
  liveRelease?: number;
  resuming: boolean;
}

/** Why nothing of a service runs although nothing waits and nothing failed. */
export function whySuspended(facts: SuspendedFacts): WhyLine[] {
  const { serviceName, serviceSlug, environmentName, environmentSlug, at, by, liveRelease } = facts;
  const starts = liveRelease === undefined ? 'Nothing was ever live there' : `Release ${liveRelease} starts again then`;
  return [
    { topic: 'what', text: `${serviceName} is suspended in ${environmentName}: no instances, no schedules.` },
    { topic: 'since', text: by === '' ? 'Suspended' : `Suspended by ${by}`, ...(at === undefined ? {} : { at }) },
    { topic: 'tried', text: `${starts}. Its volumes, addresses and settings are kept.` },
    {
      topic: 'who',
      text: facts.resuming
        ? 'It is being resumed: it counts as suspended until its release is live.'
        : `${facts.production ? 'An admin' : 'A deployer'} can resume it.`,
    },
    { topic: 'how', text: `\`./ballast service resume ${serviceSlug} --environment ${environmentSlug}\`.` },
  ];
}

/** A service of which nothing was ever live, and its newest build that came to a result. */
interface UnbuiltFacts {
  serviceName: string;
  environmentName: string;
  buildId: string;
  buildNumber: number;
  /** Otherwise its image is there and could not be deployed. */
  failed: boolean;
  message: string;
  at?: string;
  /** All builds of the service there. */
  attempts: number;
}

/** Why nothing of a service runs although nothing waits: its image could not be made, or not be deployed. */
export function whyUnbuilt(facts: UnbuiltFacts): WhyLine[] {
  const { serviceName, environmentName, buildId, buildNumber, failed, message, at, attempts } = facts;
  const [first = ''] = message.split('\n');
  const end = failed ? 'failed' : 'succeeded, and its image was not deployed';
  // Lines of the log follow it in the message, and not here.
  const reason = first.replace(/ Its last lines:$/, '');
  return [
    {
      topic: 'what',
      text: `${serviceName} has no release in ${environmentName}: build #${buildNumber} ${end}.${reason === '' ? '' : ` ${reason}`}`,
    },
    { topic: 'since', text: 'Ended', ...(at === undefined ? {} : { at }) },
    { topic: 'tried', text: attempts === 1 ? 'Built once there.' : `Built ${attempts} times there.` },
    { topic: 'who', text: 'A deployer can build it again, once its cause is removed.' },
    { topic: 'how', text: `\`./ballast build log ${buildId}\` has its log; \`./ballast build retry ${buildId}\`.` },
  ];
}
