/** Attributes by which operators search actors in Temporal. Visibility lags behind, so no code of ours reads them. */
export const searchAttributes = {
  organization: 'BallastOrganization',
  project: 'BallastProject',
  environment: 'BallastEnvironment',
  service: 'BallastService',
  cluster: 'BallastCluster',
  kind: 'BallastKind',
  phase: 'BallastPhase',
} as const;

export type SearchAttribute = keyof typeof searchAttributes;
