import type { WhyLine } from './why.ts';

/** A service whose applied settings are not those that run, although nothing is under way. */
export interface DriftFacts {
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
