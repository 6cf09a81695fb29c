import type { Deployment } from './deployment.ts';

/** The exit codes of commands that follow deployments, as docs/cli.md and --help say them. */
export const exitCodes = {
  live: 0,
  failed: 1,
  rejected: 3,
  cancelled: 4,
  expired: 6,
  superseded: 7,
} as const;
export const stillUnderWay = 5;
/** The approval that it waits for cannot be given any more. */
export const stale = 8;

export const exitCodesText = `Exit codes: 0 live, 1 failed, 2 usage, 3 rejected, 4 cancelled or declined, 5 still under way when the time was up or while
it is held for an approval, 6 expired, 7 superseded, 8 its approval is stale. Ctrl-C stops the command (130), and nothing else.`;

/** The code of several deployments is that of the one that needs somebody most. */
export function exitCodeOf(deployments: readonly Deployment[]): number {
  const codes = deployments.map(({ state }) => (state in exitCodes ? exitCodes[state as keyof typeof exitCodes] : 5));
  return [1, 3, 6, 4, 7, 5].find((code) => codes.some((one) => one === code)) ?? 0;
}
