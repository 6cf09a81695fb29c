import { expect } from 'vitest';
import type { Credential, RunningApi } from '../installation/running-api.ts';
import { seedAgent } from './seed-cluster.ts';

/** The answer to who makes a cluster. */
export interface MadeCluster {
  cluster: Record<string, unknown> & { id: string };
  token: string;
  installCommand: string;
  expiresAt: string;
}

interface Place {
  api: RunningApi;
  /** An admin's credential. */
  as: Credential;
  /** The release that agents of clusters run. */
  image: string;
}

/** Clusters that are made through the API: bare ones, and those that live, whose agent has enrolled. */
export function madeClusters(at: () => Place) {
  async function make(name: string): Promise<MadeCluster> {
    const { api, as } = at();
    const made = await api.call('POST', '/api/v1/clusters', { as, body: { name } });
    expect(made.status, made.text).toBe(201);
    return made.body as unknown as MadeCluster;
  }
  async function living(name: string): Promise<string> {
    const { cluster } = await make(name);
    await seedAgent(at().api.database, cluster.id, at().image);
    return cluster.id;
  }
  return { make, living };
}

export const sampleProcess = { name: 'web', kind: 'http', port: 8080 };

/** The least that is a workload, and more where a test says so. */
export const sampleWorkload = (more: object = {}) => ({
  image: { layout: '/srv/app' },
  processes: [sampleProcess],
  ...more,
});
