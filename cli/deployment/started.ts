import { printable } from '../engine/table.ts';
import type { Environment, Project } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import type { Deployment } from './deployment.ts';
import { follow, theseDeployments } from './follow.ts';
import { placeWords } from './place-words.ts';
import { untilStale } from './stale.ts';
import type { Waiting } from './waiting.ts';

export interface CreateResult {
  deployment: Deployment;
  release: { id: string; number: number };
  superseded: { deploymentId: string; releaseNumber: number; state: string }[];
}

/** Sees a deployment through that was just started by itself, outside of a change set. */
export async function seeThrough(
  here: Here,
  { project, environment }: { project: Project; environment: Environment },
  started: CreateResult,
  waiting: Waiting,
): Promise<void> {
  const { deployment, release, superseded } = started;
  for (const { releaseNumber } of superseded) {
    process.stderr.write(`The deployment of release ${releaseNumber}, which waited, is superseded.\n`);
  }
  const look = untilStale(here.rest, theseDeployments(here.rest, [deployment.id]));
  const { deployments, exitCode } = await follow(look, waiting, placeWords(project, environment));
  process.exitCode = exitCode;
  const [now = deployment] = deployments;
  if (waiting.json)
    return void process.stdout.write(`${JSON.stringify({ ...started, deployment: now }, undefined, 2)}\n`);
  const name = printable(now.serviceName);
  const state = now.state === 'live' ? 'is live' : `is ${now.state}`;
  process.stdout.write(`Release ${release.number} of ${name} ${state} in ${environment.slug}.\n`);
}
