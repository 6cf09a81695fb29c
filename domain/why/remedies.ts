import {
  type DeploymentState,
  isDeploymentCancellable,
  isDeploymentFinal,
  type ShownBlocker,
} from '../deployments/states.ts';
import type { WhyFacts } from './why-facts.ts';

/** Who can change it, and by which command or page. */
export interface Remedy {
  who: string;
  how: string;
}

/** So many names stand in a line. */
const mostNames = 3;

/** The end of a wait, by its code. */
const waits: Record<ShownBlocker, (facts: WhyFacts) => Remedy> = {
  approval: ({ approval, requestedBy }) => ({
    who: `${names(approval?.deciders ?? []) || 'An admin or an owner'} can decide; requested by ${requestedBy}.`,
    how: `\`./ballast approve ${approval?.id ?? 'ID'}\` or \`reject\`; in the console beneath Approvals.`,
  }),
  freeze: ({ id }) => ({
    who: 'It goes on by itself when the freeze ends; an admin can end it before.',
    how: `\`./ballast cancel ${id}\` gives up.`,
  }),
  slot: ({ ahead, slots }) => ({
    who: `The ${slots === 1 ? 'slot is' : `${slots} slots are`} held by ${listed(ahead) || 'other deployments'}; a deployer can cancel one, an admin can give the project more.`,
    how: `${cancelled(ahead)}; \`./ballast project set --deploy-concurrency N\` gives it more.`,
  }),
  'earlier-deployment': ({ ahead }) => ({
    who: `It goes on when ${listed(ahead) || 'the earlier one'} has ended; a deployer can cancel that.`,
    how: `${cancelled(ahead)}.`,
  }),
  dependency: ({ ahead }) => ({
    who: `It goes on when ${listed(ahead) || 'the service that it depends on'} is live; a deployer can mend that.`,
    how: '`./ballast status` shows the services; `./ballast why SERVICE` says why one is not live.',
  }),
  build: ({ id }) => ({
    who: 'It goes on when the build has ended.',
    how: `\`./ballast cancel ${id}\` gives up before.`,
  }),
  'cluster-lost': ({ cluster, id }) => ({
    who: `It goes on when the agent of ${named(cluster)} is back${cluster?.connected ? '' : heard(cluster)}: whoever keeps its machine.`,
    how: `\`ballast agent status\` on that machine; \`./ballast cancel ${id}\` gives up.`,
  }),
  image: ({ id }) => ({
    who: 'A deployer can name another image; an admin can change the credentials of its registry.',
    how: `\`./ballast deploy IMAGE\`; \`./ballast cancel ${id}\` gives up.`,
  }),
  capacity: ({ cluster, id }) => ({
    who: `Whoever keeps ${named(cluster)} can add room; a deployer can ask for less.`,
    how: `\`./ballast service set replicas=N\`; \`./ballast cancel ${id}\` gives up.`,
  }),
  configuration: ({ id }) => ({
    who: 'A deployer can correct variables and settings.',
    how: `\`./ballast var set KEY=VALUE\` and \`./ballast deploy --staged\`; \`./ballast cancel ${id}\` gives up.`,
  }),
  health: ({ id }) => ({
    who: 'It goes on when its instances are healthy, or ends by itself; a deployer can cancel it.',
    how: `\`./ballast logs -f\` shows what they say; \`./ballast cancel ${id}\` gives up.`,
  }),
  'release-command': ({ id }) => ({
    who: 'It goes on when the release command has ended; a deployer can cancel it.',
    how: `\`./ballast cancel ${id}\` gives up.`,
  }),
  temporal: ({ id }) => ({
    who: 'It goes on by itself when its workflow can be told again: whoever runs Ballast.',
    how: `\`./ballast doctor\` and \`./ballast workflow show ${id}\`.`,
  }),
  worker: () => ({
    who: 'It goes on by itself when a worker is back: whoever runs Ballast.',
    how: '`./ballast doctor` says what is wrong.',
  }),
};

/** The remedy of a failure, by its code; the release before serves meanwhile. */
const failures: Partial<Record<ShownBlocker, string>> = {
  image: 'A deployer can name another image; an admin can change the credentials of its registry.',
  capacity: 'Whoever keeps the cluster can add room; a deployer can ask for less.',
  configuration: 'A deployer can correct variables and settings.',
  'cluster-lost': 'Whoever keeps the machines of the cluster can bring its agent back; a deployer deploys again then.',
  dependency: 'A deployer can mend the service that it depends on, and deploy again.',
  build: 'A deployer can correct the source, and deploy again.',
  'release-command': 'A deployer can look at what it has done, and rerun the deployment with it or without it.',
  temporal: 'Whoever runs Ballast can see why its workflow was lost; a deployer deploys again.',
};

function again(id: string, blocker: WhyFacts['blocker']): string {
  if (blocker !== 'release-command') return '`./ballast deploy` tries it again';
  return `\`./ballast rerun ${id} --from-stage release-command\` runs it again, \`--from-stage start\` leaves it out`;
}

const ends: Partial<Record<DeploymentState, (facts: WhyFacts) => Remedy>> = {
  live: ({ id }) => ({
    who: '',
    how: `\`./ballast rollback\` returns to the release before; its steps: \`./ballast workflow history ${id}\`.`,
  }),
  failed: ({ id, blocker }) => ({
    who:
      (blocker === '' ? undefined : failures[blocker]) ?? 'A deployer can correct the application, and deploy again.',
    how: `${again(id, blocker)}; \`./ballast workflow history ${id}\` has its steps, \`./ballast replay ${id}\` runs them against this code.`,
  }),
  superseded: () => ({ who: 'The newer deployment goes on in its place.', how: '`./ballast status` shows it.' }),
  cancelled: ({ blocker }) => ({
    who: blocker === 'dependency' ? (failures.dependency ?? '') : 'A deployer can deploy it again.',
    how: '`./ballast deploy` or `./ballast redeploy`.',
  }),
  rejected: ({ approval }) => ({
    who: `${approval === undefined || approval.decidedBy === '' ? 'It was rejected' : `Rejected by ${approval.decidedBy}`}; its changes are staged again, and a deployer can correct them.`,
    how: '`./ballast deploy --staged` asks anew.',
  }),
  expired: () => ({
    who: 'Its changes are staged again; a deployer can ask anew.',
    how: '`./ballast deploy --staged` asks anew.',
  }),
};

export function remedyOf(facts: WhyFacts): Remedy {
  const { state, blocker, id } = facts;
  if (isDeploymentFinal(state)) return ends[state]?.(facts) ?? { who: '', how: '' };
  if (blocker !== '') return waits[blocker](facts);
  if (isDeploymentCancellable(state)) {
    return { who: 'It goes on by itself; a deployer can cancel it.', how: `\`./ballast cancel ${id}\`.` };
  }
  return {
    who: 'It goes on by itself; it is too late to cancel it.',
    how: '`./ballast rollback` returns to the release before.',
  };
}

function names(of: readonly string[]): string {
  const more = of.length - mostNames;
  return [...of.slice(0, mostNames), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function listed(ahead: WhyFacts['ahead']): string {
  return names(
    ahead.map(({ serviceName, releaseNumber, state }) => `release ${releaseNumber} of ${serviceName} (${state})`),
  );
}

function cancelled(ahead: WhyFacts['ahead']): string {
  return `\`./ballast cancel ${ahead[0]?.id ?? 'ID'}\` cancels ${ahead.length > 1 ? 'one' : 'it'}`;
}

function named(cluster: WhyFacts['cluster']): string {
  return cluster === undefined ? 'the cluster' : `the cluster ${cluster.name}`;
}

function heard(cluster: WhyFacts['cluster']): string {
  return cluster?.heardAt === undefined ? '' : ` (last heard ${cluster.heardAt})`;
}
