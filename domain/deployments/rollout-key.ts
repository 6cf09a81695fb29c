import { isId } from '../ids.ts';

/** The key of a service in an environment in its cluster's desired state. */
export function rolloutKey(environmentId: string, serviceId: string): string {
  return `env/${environmentId}/${serviceId}`;
}

/** The service and environment that such a key names; undefined for workloads of other kinds. */
export function placeOfKey(key: string): { environmentId: string; serviceId: string } | undefined {
  const [kind, environmentId = '', serviceId = '', more] = key.split('/');
  if (kind !== 'env' || more !== undefined || !isId(environmentId) || !isId(serviceId)) return undefined;
  return { environmentId, serviceId };
}
