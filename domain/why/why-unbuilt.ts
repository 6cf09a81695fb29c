import type { WhyLine } from './why.ts';

/** A service of which nothing was ever live, and its newest build that came to a result. */
export interface UnbuiltFacts {
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
