import type { ClusterRef } from '../clusters/clusters.ts';
import type { Keyring } from '../keys/keys.ts';
import type { JsonObject } from '../postgres/json.ts';

export type Secrets = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;

/** The part of protocol/workload.ts that this room stores; callers have validated it. */
export interface WorkloadToStore {
  image: object;
  processes: readonly { name: string; kind: string }[];
  environment: Readonly<Record<string, string>>;
  routes: readonly { host: string; process: string }[];
}

export interface StoredWorkload {
  /** With empty values where a secret was: the names of variables are none. */
  workload: JsonObject;
  sealedSecrets: Buffer | null;
}

interface SecretParts {
  environment: Record<string, string>;
  password?: string;
}

/** Takes what is secret out of a workload and seals it with the organization's key, bound to cluster and key. */
export async function sealWorkload(
  keyring: Secrets,
  cluster: ClusterRef,
  key: string,
  workload: WorkloadToStore,
): Promise<StoredWorkload> {
  const open = plain(workload);
  const environment = { ...workload.environment };
  const parts: SecretParts = { environment };
  open.environment = Object.fromEntries(Object.keys(environment).map((name) => [name, '']));
  const credential = credentialOf(open);
  if (credential !== undefined) {
    parts.password = String(credential.password);
    credential.password = '';
  }
  if (Object.keys(environment).length === 0 && parts.password === undefined) {
    return { workload: open, sealedSecrets: null };
  }
  const text = JSON.stringify(parts);
  return {
    workload: open,
    sealedSecrets: await keyring.encryptSecret(cluster.organizationId, boundTo(cluster, key), text),
  };
}

/** The workload as it was given. Throws when its secrets do not open. */
export async function unsealWorkload(
  keyring: Secrets,
  cluster: ClusterRef,
  key: string,
  { workload, sealedSecrets }: StoredWorkload,
): Promise<JsonObject> {
  const open = plain(workload);
  if (sealedSecrets === null) return open;
  const text = await keyring.decryptSecret(cluster.organizationId, boundTo(cluster, key), sealedSecrets);
  const parts: SecretParts = JSON.parse(text);
  open.environment = parts.environment;
  const credential = credentialOf(open);
  if (credential !== undefined && parts.password !== undefined) credential.password = parts.password;
  return open;
}

/** A copy, as JSON would have it. */
function plain(workload: object): JsonObject {
  return JSON.parse(JSON.stringify(workload));
}

function credentialOf({ image }: JsonObject): JsonObject | undefined {
  return isObject(image) && isObject(image.credential) ? image.credential : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function boundTo({ id }: ClusterRef, key: string): string {
  return `cluster_slice:${id} ${key}:sealed_secrets`;
}
