import type { WhyLine } from './why.ts';

/** A suspended service, and what is under way of it. */
export interface SuspendedFacts {
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
