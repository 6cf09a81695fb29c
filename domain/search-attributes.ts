/** What an operator can search actors by in Temporal. Visibility lags behind, so nothing of ours ever reads it. */
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
