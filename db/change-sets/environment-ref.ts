/** An environment, by the ids that statements need. */
export interface EnvironmentRef {
  organizationId: string;
  environmentId: string;
}
