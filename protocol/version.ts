import { z } from 'zod';

/**
 * The version of what agent and control plane say to each other. Another major cannot talk at all. Within one, the side
 * with the lower minor decides what is said: fields that it does not know are ignored, and a control plane still serves
 * agents of the minors from `oldestMinor` on.
 */
export const protocolVersion = { major: 1, minor: 11 } as const;
const oldestMinor = 0;

/** From this minor on an agent sends logs to their readers, in chunks with positions. */
export const logsMinor = 1;

/** From this minor on an agent puts a release in place as a whole, and knows addresses within an environment. */
export const rolloutMinor = 2;

/** From this minor on an agent runs the release command of a rollout. */
export const releaseCommandMinor = 3;

/** From this minor on an agent puts files into instances. */
export const filesMinor = 4;

/** From this minor on an agent builds images. */
export const buildsMinor = 5;

/** From this minor on an agent builds commits of repositories, and gives variables to builds. */
export const commitsMinor = 6;

/** From this minor on an agent reads the configuration file of a source, and builds as it says. */
export const repositoryConfigMinor = 7;

/** From this minor on an agent says which arguments of before builds were told apart a Dockerfile takes. */
export const argumentsMinor = 8;

/** From this minor on an agent gives programs the port that they listen on whatever PORT says. */
export const fixedPortMinor = 9;

export const spokenVersion = z.object({ major: z.int().min(0), minor: z.int().min(0) });
export type SpokenVersion = z.infer<typeof spokenVersion>;

/** The version that both can speak, or a sentence that says which side to update. */
export function agree(agent: SpokenVersion): { minor: number } | { refused: string } {
  const { major, minor } = protocolVersion;
  const theirs = `${agent.major}.${agent.minor}`;
  if (agent.major > major) {
    return {
      refused: `The agent speaks protocol ${theirs} and this control plane ${major}.${minor}: update it first.`,
    };
  }
  if (agent.major < major || agent.minor < oldestMinor) {
    return {
      refused: `The agent speaks protocol ${theirs}, which this control plane no longer serves: install the agent again.`,
    };
  }
  return { minor: Math.min(minor, agent.minor) };
}
