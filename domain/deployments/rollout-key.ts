/** The key of a service in an environment in its cluster's desired state. */
export function rolloutKey(environmentId: string, serviceId: string): string {
  return `env/${environmentId}/${serviceId}`;
}
